//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import Foundation

/// The text of a file of this repository.
enum RepositoryText {
    static func text(_ path: String) throws -> String {
        let root = URL(fileURLWithPath: #filePath).appending(path: "../../../..").standardized
        return try String(contentsOf: root.appending(path: path), encoding: .utf8)
    }
}
