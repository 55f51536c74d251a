//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// The writer of PEM.
enum PEMText {
    /// Writes octets as a block, with lines of 64 characters and a final newline (RFC 7468 §2).
    static func block(_ octets: [UInt8], label: String) -> String {
        var text = "-----BEGIN \(label)-----\n"
        let base64 = Array(Data(octets).base64EncodedString().utf8)
        for start in stride(from: 0, to: base64.count, by: 64) {
            text += String(decoding: base64[start..<min(start + 64, base64.count)], as: UTF8.self) + "\n"
        }
        return text + "-----END \(label)-----\n"
    }
}
