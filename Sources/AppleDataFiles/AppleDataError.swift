//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// Why Apple's data cannot be fetched, read or written, and what to do.
package struct AppleDataError: Error, CustomStringConvertible {
    package let description: String

    init(_ description: String) { self.description = description }
}
