//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import ConfigurationDocuments
import Testing

@Suite struct TextPositionTests {
    @Test func `Positions are compared by line and column`() {
        #expect(TextPosition(line: 1, column: 2) != TextPosition(line: 2, column: 1))
    }
}
