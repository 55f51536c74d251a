//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// References to files in SARIF.
enum FileReference {
    /// Returns a relative reference for a file below the working directory, which is valid in any checkout, and a `file` URI for
    /// any other file (RFC 3986 §4.2, RFC 8089).
    static func uri(of path: String, in folder: String = FileManager.default.currentDirectoryPath) -> String {
        let prefix = folder.hasSuffix("/") ? folder : folder + "/"
        var relative = path.hasPrefix(prefix) ? String(path.dropFirst(prefix.count)) : path
        while relative.hasPrefix("./") { relative = String(relative.dropFirst(2)) }
        return (relative.hasPrefix("/") ? "file://" : "") + Self.encoded(relative)
    }

    /// Percent-encodes a path, including colons. A colon would turn the start of a relative reference into a scheme.
    private static func encoded(_ path: String) -> String {
        path.utf8.map { octet in
            switch octet {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"),
                UInt8(ascii: "~"), UInt8(ascii: "/"):
                String(UnicodeScalar(octet))
            default: "%" + JSONText.hexadecimal([octet]).uppercased()
            }
        }.joined()
    }
}
