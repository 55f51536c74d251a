//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import PinningDialects
import Testing

@Suite struct PinningDialectTests {
    @Test func `Dialects are known by the words of the command line`() {
        #expect(
            PinningDialect.allCases.map(\.rawValue) == ["ios", "android", "trustkit", "okhttp", "curl", "json", "yaml"])
    }
}
