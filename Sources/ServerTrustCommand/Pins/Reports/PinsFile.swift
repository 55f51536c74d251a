//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import AppleFiles
import ConfigurationDocuments
import PinningDialects
import ServerTrust

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// A file of pins, as far as it could be read.
struct PinsFile: Sendable {
    let path: String
    let dialect: PinningDialect
    let reading: PinningReading
    /// The hosts of the configuration; `nil` when it is unusable.
    let hosts: PinnedHosts?

    /// Reads a file.
    ///
    /// - Throws: `FileError` or ``CommandError`` when there is nothing to read, or no telling what it is written in.
    init(_ path: String, _ dialect: PinningDialect?, usesDebugOverrides: Bool = false) throws {
        let contents = try Self.contents(of: path)
        guard let dialect = dialect ?? PinningDialect.detected(in: contents) else {
            throw CommandError("\(path): \(Self.nothingKnown(in: contents))")
        }
        var reader = PinningReader(dialect)
        reader.usesDebugOverrides = usesDebugOverrides
        reader.certificates = { Self.resource($0, besides: path) }
        self.path = path
        self.dialect = dialect
        self.reading = reader.read(contents)
        do {
            self.hosts = try self.reading.configuration.map { try PinnedHosts($0) }
        } catch {
            throw CommandError("\(path): \(error)")
        }
    }

    /// The octets of the file, or of the Info.plist of the app that it is.
    private static func contents(of path: String) throws -> [UInt8] {
        guard let octets = try AppPropertyList.octets(ofAppAt: path) else { return try BoundedFile.read(path) }
        return octets
    }

    private static func nothingKnown(in contents: [UInt8]) -> String {
        let kind = FileKind(of: contents)
        guard !kind.isOfCertificates else {
            return "this is \(kind.title), and no file of pins; `servertrust pin` makes one of a server or a chain"
        }
        if PinningDialect.hasTwoSections(contents) {
            return "it has NSPinnedDomains and TSKPinnedDomains. Say with --pins-dialect which to read, ios or trustkit"
        }
        let isPropertyList = contents.starts(with: "bplist".utf8) || contents.prefix(1_024).contains("<plist".utf8)
        return isPropertyList
            ? "this property list has no NSPinnedDomains and no TSKPinnedDomains. Add the pins to it, or name another file"
            : "no pins in a known format. Name its format with --pins-dialect"
    }

    /// The domain that speaks for a host. Where the port is not known, as with a chain in a file, pins for one port count
    /// too: none may be passed over for want of it.
    ///
    /// - Throws: `InvalidReferenceIdentity` for text that is not a host.
    func domain(forHost host: String, port: Int?) throws -> PinnedDomain? {
        let host = try Host(host)
        if let domain = self.hosts?.domain(for: host, port: port) { return domain }
        guard port == nil else { return nil }
        let ports = Set((self.reading.configuration?.domains ?? []).compactMap(\.port)).sorted()
        return ports.lazy.compactMap { self.hosts?.domain(for: host, port: $0) }.first
    }

    /// Whatever is wrong with the file, nothing may be judged by half of it.
    func requireUsable() throws {
        guard self.hosts == nil else { return }
        let errors = self.reading.diagnostics.filter { $0.severity == .error }
        let first = errors.first.map { "\($0)" } ?? "there is nothing in it"
        let more = errors.count > 1 ? " (and \(errors.count - 1) more. See 'servertrust pins check \(self.path)')" : ""
        throw CommandError("\(self.path): \(first)\(more)")
    }

    /// What is passed over in a file that can be used, and how to hear more of it; `nil` where all of it counts.
    var warning: String? {
        let unread = self.reading.diagnostics.filter { [.unknownKey, .ignored].contains($0.code) }
        guard let first = unread.first else { return nil }
        let place = first.position.map { "line \($0.line): " } ?? ""
        let more = unread.count > 1 ? " (and \(unread.count - 1) more)" : ""
        return "\(self.path): \(place)\(first.message)\(more). 'servertrust pins check' says what to do"
    }

    /// The certificates of `@raw/name`: beside the file, and where Android keeps them from there.
    private static func resource(_ name: String, besides path: String) -> [Certificate]? {
        guard let name = name.split(separator: "/").last, !name.hasPrefix(".") else { return nil }
        let folder = path.contains("/") ? String(path.prefix(upTo: path.lastIndex(of: "/") ?? path.startIndex)) : "."
        for place in [folder, folder + "/../raw"] {
            for suffix in ["", ".pem", ".crt", ".cer", ".der"] {
                guard let contents = try? BoundedFile.read("\(place)/\(name)\(suffix)") else { continue }
                return try? Certificate.certificates(in: contents)
            }
        }
        return nil
    }
}
