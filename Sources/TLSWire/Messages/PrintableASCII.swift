//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// Octets of unknown origin as text that is fit to be shown anywhere.
package enum PrintableASCII {
    /// The octets as ASCII, those that are none as dots.
    ///
    /// - Parameters:
    ///   - bytes: The octets.
    ///   - limit: How many of them are shown.
    package static func text(_ bytes: some Sequence<UInt8>, limit: Int) -> String {
        String(
            decoding: bytes.lazy.prefix(limit).map { (0x20...0x7E).contains($0) ? $0 : UInt8(ascii: ".") },
            as: UTF8.self)
    }
}
