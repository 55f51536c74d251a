//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// The version of this package. `packaging/version` reads it from this file, for everything outside the program.
package enum PackageVersion {
    /// The version, by Semantic Versioning 2.0.0.
    package static let current = "0.2.0"
    /// The value of User-Agent in requests of the libraries (RFC 9110 §10.1.5).
    package static let userAgent = "swift-server-trust/\(PackageVersion.current)"
}
