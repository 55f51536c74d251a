//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// A labeled fact about a server.
struct FactLine {
    let label: String
    let values: [String]

    init(_ label: String, _ values: [String]) {
        self.label = label
        self.values = values.map(DisplayText.text)
    }
}
