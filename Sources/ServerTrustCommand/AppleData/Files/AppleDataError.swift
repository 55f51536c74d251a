//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// Why Apple's data cannot be fetched, read or written, and what to do.
struct AppleDataError: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) { self.description = description }
}
