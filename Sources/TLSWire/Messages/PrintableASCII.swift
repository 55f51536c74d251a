//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// A conversion of untrusted octets into text that is safe to display.
package enum PrintableASCII {
    /// Returns the octets as ASCII, with a dot for each that is not printable.
    ///
    /// - Parameters:
    ///   - bytes: The octets.
    ///   - limit: The maximum number of octets in the text.
    package static func text(_ bytes: some Sequence<UInt8>, limit: Int) -> String {
        String(
            decoding: bytes.lazy.prefix(limit).map { (0x20...0x7E).contains($0) ? $0 : UInt8(ascii: ".") },
            as: UTF8.self)
    }
}
