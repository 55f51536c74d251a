//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// The reason for not reading a zip archive or a file of it.
public enum ZipError: Error, Sendable, Hashable {
    /// The archive cannot be read as a file.
    case unreadable
    /// The end of a zip archive is missing: the file is cut, or is of another kind.
    case noEnd
    /// It ends too early.
    case truncated
    /// Its directory is not one of a zip archive.
    case malformed
    /// It has several parts, of which this is one.
    case severalParts
    /// It has more files than are read.
    case tooManyFiles
    /// A file has a name that leads out of the archive.
    case unsafeName(String)
    /// A file is encrypted.
    case encrypted(String)
    /// A file is compressed by a method that is not read, by its number.
    case method(String, Int)
    /// A file is larger than is read.
    case tooLarge(String)
    /// The header before a file, or the file itself, contradicts the directory.
    case contradiction(String)
    /// The compressed octets of a file cannot be read.
    case damaged(String)
    /// The checksum of a file is another one.
    case wrongChecksum(String)
    /// A name stands twice in the directory.
    case duplicate(String)
}

extension ZipError: CustomStringConvertible {
    /// A name in a length that can be shown.
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
