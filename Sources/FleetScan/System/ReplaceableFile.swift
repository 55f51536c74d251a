//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import SystemPackage

/// A kind of file that a scan may replace, recognized by its beginning. Other files are kept, so that a mistyped
/// path destroys nothing.
struct ReplaceableFile {
    let name: String
    /// Returns `true` if the bytes are the beginning of such a file, or the part of one that an interrupted scan has left.
    let isBeginning: @Sendable ([UInt8]) -> Bool

    /// The number of bytes that are examined.
    private static let enough = 4_096
    /// The minimum number of bytes that identify a partial beginning.
    static let telling = 16

    /// Returns `true` if the bytes begin with a mark, or are a part of it that an interrupted scan has left.
    static func begins(_ bytes: [UInt8], with mark: [UInt8]) -> Bool {
        bytes.starts(with: mark) || (bytes.count >= Self.telling && mark.starts(with: bytes))
    }

    /// Throws an error unless a file is empty, is a pipe or device, or is of one of these kinds.
    ///
    /// - Throws: ``FleetError`` if the file has other contents or cannot be read.
    static func requireReplaceable(_ file: Descriptor, _ path: String, kinds: [ReplaceableFile]) throws {
        guard file.identity != nil else { return }
        let bytes: [UInt8]
        do {
            bytes = try file.read(Self.enough, at: 0)
        } catch {
            throw FleetError("\(path): cannot be read: \(error)")
        }
        guard !bytes.isEmpty, !kinds.contains(where: { $0.isBeginning(bytes) }) else { return }
        let names = kinds.map(\.name).joined(separator: " or ")
        throw FleetError("\(path): holds something else than \(names). Name another file, or remove this one")
    }
}
