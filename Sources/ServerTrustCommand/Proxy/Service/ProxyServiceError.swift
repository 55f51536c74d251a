//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// Why the proxy cannot serve as it was asked to, and what to do.
struct ProxyServiceError: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) { self.description = description }
}
