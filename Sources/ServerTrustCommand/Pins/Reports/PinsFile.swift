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
    /// The hosts of the configuration, or `nil` if it is not usable.
    let hosts: PinnedHosts?

    /// Reads a file.
    ///
    /// - Throws: `FileError` or ``CommandError`` if the file cannot be read or its dialect is not known.
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

    /// Returns the contents of the file, or of the Info.plist of an app.
    private static func contents(of path: String) throws -> [UInt8] {
        guard let octets = try AppPropertyList.octets(ofAppAt: path) else { return try BoundedFile.read(path) }
        return octets
    }

    private static func nothingKnown(in contents: [UInt8]) -> String {
        let kind = FileKind(of: contents)
        guard !kind.isOfCertificates else {
            return "this is \(kind.title), and no file of pins. `servertrust pin` makes one of a server or a chain"
        }
        if PinningDialect.hasTwoSections(contents) {
            return "it has NSPinnedDomains and TSKPinnedDomains. Say with --pins-dialect which to read, ios or trustkit"
        }
        let isPropertyList = contents.starts(with: "bplist".utf8) || contents.prefix(1_024).contains("<plist".utf8)
        return isPropertyList
            ? "this property list has no NSPinnedDomains and no TSKPinnedDomains. Add the pins to it, or name another file"
            : "no pins in a known format. Name its format with --pins-dialect"
    }

    /// Returns the domain that applies to a host. If the port is not known, as for a chain in a file, pins for a single port
    /// apply too, so that no pins are ignored for lack of a port.
    ///
    /// - Throws: `InvalidReferenceIdentity` for text that is not a host.
    func domain(forHost host: String, port: Int?) throws -> PinnedDomain? {
        let host = try Host(host)
        if let domain = self.hosts?.domain(for: host, port: port) { return domain }
        guard port == nil else { return nil }
        let ports = Set((self.reading.configuration?.domains ?? []).compactMap(\.port)).sorted()
        return ports.lazy.compactMap { self.hosts?.domain(for: host, port: $0) }.first
    }

    /// Refuses a file with any error, because nothing may be evaluated with a part of the file.
    func requireUsable() throws {
        guard self.hosts == nil else { return }
        let errors = self.reading.diagnostics.filter { $0.severity == .error }
        let first = errors.first.map { "\($0)" } ?? "there is nothing in it"
        let more = errors.count > 1 ? " (and \(errors.count - 1) more. See 'servertrust pins check \(self.path)')" : ""
        throw CommandError("\(self.path): \(first)\(more)")
    }

    /// A warning about ignored parts of a usable file, or `nil` if all of it has an effect.
    var warning: String? {
        let unread = self.reading.diagnostics.filter { [.unknownKey, .ignored].contains($0.code) }
        guard let first = unread.first else { return nil }
        let place = first.position.map { "line \($0.line): " } ?? ""
        let more = unread.count > 1 ? " (and \(unread.count - 1) more)" : ""
        return "\(self.path): \(place)\(first.message)\(more). 'servertrust pins check' says what to do"
    }

    /// Returns the certificates of `@raw/name`, from the folder of the file or from Android's resource folder relative to it.
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
