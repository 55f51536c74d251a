//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import SystemPackage

/// A kind of file that a scan writes whole, told by how it begins. Only a file of such a kind is replaced: anything else that
/// a caller names by mistake would be gone.
struct ReplaceableFile {
    /// What an error calls it.
    let name: String
    /// Whether bytes are the beginning of such a file, or as much of one as an interrupted scan has left.
    let isBeginning: @Sendable ([UInt8]) -> Bool

    /// How much of a file is looked at.
    private static let enough = 4_096
    /// Fewer bytes may be the beginning of anything.
    static let telling = 16

    /// Whether bytes begin with a mark, or are as much of it as an interrupted scan has left.
    static func begins(_ bytes: [UInt8], with mark: [UInt8]) -> Bool {
        bytes.starts(with: mark) || (bytes.count >= Self.telling && mark.starts(with: bytes))
    }

    /// Requires that a file may be replaced: it is empty, no file but a pipe or device, or of one of these kinds.
    ///
    /// - Throws: ``FleetError`` when it holds something else, or cannot be read.
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
