//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// Why content cannot be read, written or completed, and what to do.
struct TransferError: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) { self.description = description }
}
