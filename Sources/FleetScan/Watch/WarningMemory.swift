//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import HTTPSession
import ServerReports
import ServerTrust
import Synchronization

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// A certificate at one address of one target, for which warnings were given.
struct WarnedCertificate: Codable, Sendable, Hashable {
    /// The target, as the list and the options have it.
    let host: String
    let port: Int
    var connectTo: String?
    var sni: String?
    var startTLS: String?
    /// The address that presented the certificate; absent behind a proxy.
    var address: String?
    /// The SHA-256 digest of the certificate.
    let certificate: String

    init(_ record: ScanRecord, address: String?, _ certificate: ScanCertificate) {
        self.host = (record.host ?? "").lowercased()
        self.port = record.port ?? 443
        (self.connectTo, self.sni, self.startTLS) = (record.connectTo, record.sni, record.startTLS)
        self.address = address
        self.certificate = certificate.sha256
    }
}

/// The warnings that were given, in memory and in a file.
///
/// A level once reached stays, whatever the clock says later: a clock that runs backwards repeats no warning. The file is
/// replaced as a whole and belongs to its owner alone. It is saved after the first warnings at once, and after many ones together, so
/// that a fleet costs no more than a few of its sizes.
package final class WarningMemory: Sendable {
    /// The most certificates that are remembered. Those that were not seen for the longest time go first.
    static let capacity = 65_536

    private let path: String?
    private let complain: Complaint
    private let state = Mutex(State())

    fileprivate struct State {
        var warned: [WarnedCertificate: (level: ExpiryLevel, seen: Int)] = [:]
        var sightings = 0
        /// The warnings that the file does not have yet.
        var unsaved = 0
    }

    /// Warnings that a process remembers as long as it runs.
    package init() {
        (self.path, self.complain) = (nil, { _ in })
    }

    /// Warnings that a file remembers.
    ///
    /// - Parameters:
    ///   - path: The file, which is made where nothing is there.
    ///   - complain: Receives the error of a later save.
    /// - Throws: ``FleetError`` when the file has something else in it, or cannot be read or written.
    package init(file path: String, complain: @escaping Complaint) throws(FleetError) {
        (self.path, self.complain) = (path, complain)
        let document = try Self.read(path)
        self.state.withLock { state in
            for entry in document?.warned ?? [] { state.note(entry.target, entry.level) }
            state.unsaved = 0
        }
        // A file that cannot be written is an error now, and not at the first warning.
        do {
            try self.write()
        } catch {
            throw FleetError("\(path): cannot be written: \(error)")
        }
    }

    /// Returns true if the level was not warned of. A certificate that is seen again is remembered for longer.
    func isNew(_ certificate: WarnedCertificate, _ level: ExpiryLevel) -> Bool {
        self.state.withLock { state in
            guard let last = state.warned[certificate] else { return true }
            state.note(certificate, last.level)
            return last.level < level
        }
    }

    /// Remembers a warning that was given.
    func remember(_ certificate: WarnedCertificate, _ level: ExpiryLevel) {
        let isDue = self.state.withLock { state in
            state.note(certificate, level)
            state.unsaved += 1
            return state.unsaved * 8 >= state.warned.count
        }
        if isDue { self.save() }
    }

    /// Saves what the file does not have yet. An error is reported, and the next save tries again.
    func save() {
        guard self.path != nil, self.state.withLock({ $0.unsaved > 0 }) else { return }
        do {
            try self.write()
        } catch {
            self.complain("\(self.path ?? ""): the warnings cannot be saved: \(error). A restart would repeat them")
        }
    }

    private func write() throws {
        guard let path else { return }
        let (warned, unsaved) = self.state.withLock { ($0.inOrder, $0.unsaved) }
        try ExclusiveFile.replace(
            BoundedFile.resolved(path), with: try JSONText.line(Document(warned: warned)) + [0x0A])
        self.state.withLock { $0.unsaved -= unsaved }
    }

    private static func read(_ path: String) throws(FleetError) -> Document? {
        let bytes: [UInt8]?
        do throws(FileError) {
            bytes = try CookieFile.read(path)
        } catch {
            throw FleetError("\(error)")
        }
        guard let bytes else { return nil }
        guard let document = try? JSONDecoder().decode(Document.self, from: Data(bytes)),
            document.format == Document.currentFormat
        else {
            throw FleetError(
                "\(path): holds something else than the state of a watch. Name another file, or remove this one")
        }
        return document
    }

    private struct Document: Codable {
        static let currentFormat = "servertrust.watch-state/1"

        struct Entry: Codable {
            let target: WarnedCertificate
            let level: ExpiryLevel
        }

        var format = Self.currentFormat
        let warned: [Entry]

        init(warned: [(WarnedCertificate, ExpiryLevel)]) {
            self.warned = warned.map { Entry(target: $0.0, level: $0.1) }
        }
    }
}

extension WarningMemory.State {
    fileprivate mutating func note(_ certificate: WarnedCertificate, _ level: ExpiryLevel) {
        self.sightings += 1
        self.warned[certificate] = (max(level, self.warned[certificate]?.level ?? level), self.sightings)
        guard self.warned.count > WarningMemory.capacity else { return }
        // A sixteenth at once, so that a full memory is not sorted for each warning.
        let oldest = self.warned.sorted { $0.value.seen < $1.value.seen }.prefix(WarningMemory.capacity / 16)
        for (certificate, _) in oldest { self.warned[certificate] = nil }
    }

    /// The warnings, those that were not seen for the longest time first.
    fileprivate var inOrder: [(WarnedCertificate, ExpiryLevel)] {
        self.warned.sorted { $0.value.seen < $1.value.seen }.map { ($0.key, $0.value.level) }
    }
}
