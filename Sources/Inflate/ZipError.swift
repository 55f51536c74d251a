//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// The reason that a zip archive, or a file in it, cannot be read.
///
/// Its description names the problem and a remedy. Names from the archive are shortened in it.
public enum ZipError: Error, Sendable, Hashable {
    /// The archive's octets cannot be read from the file system.
    case unreadable
    /// The record at the end of a zip archive is missing. The file is cut off or of another kind.
    case noEnd
    /// The archive ends too early.
    case truncated
    /// The central directory is damaged.
    case malformed
    /// The archive is one of several parts.
    case severalParts
    /// The archive has more files, or a larger directory, than the limits allow.
    case tooManyFiles
    /// The name of a file leads out of the archive.
    case unsafeName(String)
    /// The file with this name is encrypted.
    case encrypted(String)
    /// The file with this name is compressed by an unsupported method, given by its number.
    case method(String, Int)
    /// The file with this name exceeds the limit.
    case tooLarge(String)
    /// The header before the file, or the file itself, contradicts the central directory.
    case contradiction(String)
    /// The compressed octets of the file cannot be decompressed.
    case damaged(String)
    /// The checksum of the file differs from the one in the directory.
    case wrongChecksum(String)
    /// The directory lists this name twice.
    case duplicate(String)
}

extension ZipError: CustomStringConvertible {
    private static func cut(_ name: String) -> String { name.count > 200 ? name.prefix(200) + "…" : name }

    /// The problem and its remedy.
    public var description: String {
        switch self {
        case .unreadable: "the zip archive cannot be read. Look at its permissions"
        case .noEnd, .truncated: "the zip archive is cut off. Download or export it again"
        case .malformed: "the directory of the zip archive is damaged. Export it again"
        case .severalParts: "the zip archive has several parts. Join them first"
        case .tooManyFiles:
            "the zip archive has more than \(ZipArchive.maximumEntries) files, or a larger directory than those have. Unpack it "
                + "first"
        case .unsafeName(let name):
            "the zip archive has a name that leads out of it, “\(Self.cut(name))”. Do not unpack it"
        case .encrypted(let name):
            "“\(Self.cut(name))” in the zip archive is encrypted. Export the app without a password"
        case .method(let name, let method):
            "“\(Self.cut(name))” in the zip archive is compressed by method \(method), which is not read. Pack it with DEFLATE"
        case .tooLarge(let name):
            "“\(Self.cut(name))” in the zip archive is larger than such a file can be. Look at it by itself"
        case .contradiction(let name):
            "the directory of the zip archive and the entry of “\(Self.cut(name))” contradict each other. Do not trust the archive"
        case .damaged(let name), .wrongChecksum(let name):
            "“\(Self.cut(name))” in the zip archive is damaged. Export it again"
        case .duplicate(let name): "“\(Self.cut(name))” stands twice in the zip archive. Do not trust the archive"
        }
    }
}
