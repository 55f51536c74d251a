//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import HTTPSession
import ServerReports
package import ServerTrust
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
/// A level that was given stays given, so that a clock that runs backwards repeats no warning. An end that was reported by a clock far
/// ahead is reported again when it comes. The file is replaced as a whole and belongs to its owner only. The first warnings are
/// saved at once, later ones several at a time.
package final class WarningMemory: Sendable {
    /// The most certificates that are remembered. Those that were not seen for the longest time go first.
    static let capacity = 65_536

    private let path: String?
    private let threshold: ExpiryThreshold
    private let complain: Complaint
    private let state = Mutex(State())

    fileprivate struct State {
        /// The levels that were given, with the date of each in seconds since 1970.
        var warned: [WarnedCertificate: (levels: [ExpiryLevel: Int64], seen: Int)] = [:]
        var sightings = 0
        /// The warnings that the file does not have yet.
        var unsaved = 0
    }

    /// Creates a memory that lasts as long as the process.
    package init() {
        self.path = nil
        self.threshold = .default
        self.complain = { _ in }
    }

    /// Creates a memory in a file.
    ///
    /// - Parameters:
    ///   - path: The file. It is created if it does not exist, and must belong to the user of the process only.
    ///   - threshold: The rule of the level warning. Levels of another rule are forgotten.
    ///   - complain: Receives the error of a later save.
    /// - Throws: ``FleetError`` if the file has other contents, belongs to others, or cannot be read or written.
    package init(
        file path: String, threshold: ExpiryThreshold = .default, complain: @escaping Complaint
    ) throws(FleetError) {
        self.path = path
        self.threshold = threshold
        self.complain = complain
        let document = try Self.read(path)
        let isSameRule = document?.threshold == threshold.text
        self.state.withLock { state in
            for entry in document?.warned ?? [] where isSameRule || entry.level > .warning {
                state.note(entry.target, entry.level, at: entry.date)
            }
            state.unsaved = 0
        }
        // A file that cannot be written is an error now, and not at the first warning.
        do {
            try self.write()
        } catch {
            throw FleetError("\(path): cannot be written: \(error)")
        }
    }

    /// Returns `true` if the level was not given. A certificate that is seen again is remembered for longer.
    ///
    /// - Parameter date: The date of the look, in seconds since 1970.
    func isNew(_ certificate: WarnedCertificate, _ level: ExpiryLevel, at date: Int64) -> Bool {
        self.state.withLock { state in
            guard let given = state.warned[certificate]?.levels[level] else { return true }
            state.note(certificate)
            return level == .expired && given > date + Self.clockTolerance
        }
    }

    /// A clock that is further ahead was wrong.
    private static let clockTolerance: Int64 = 86_400

    /// Remembers a warning that was given.
    func remember(_ certificate: WarnedCertificate, _ level: ExpiryLevel, at date: Int64) {
        let isDue = self.state.withLock { state in
            state.note(certificate, level, at: date)
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
            BoundedFile.resolved(path),
            with: try JSONText.line(Document(threshold: self.threshold.text, warned: warned)) + [0x0A])
        self.state.withLock { $0.unsaved -= unsaved }
    }

    private static func read(_ path: String) throws(FleetError) -> Document? {
        let bytes: [UInt8]?
        do throws(FileError) {
            bytes = try PrivateFile.contents(of: BoundedFile.resolved(path))
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

    fileprivate struct Document: Codable {
        static let currentFormat = "servertrust.watch-state/1"

        struct Entry: Codable {
            let target: WarnedCertificate
            let level: ExpiryLevel
            /// The date of the warning, in seconds since 1970.
            let date: Int64
        }

        var format = Self.currentFormat
        let threshold: String
        let warned: [Entry]
    }
}

extension WarningMemory.State {
    fileprivate mutating func note(_ certificate: WarnedCertificate, _ level: ExpiryLevel? = nil, at date: Int64 = 0) {
        self.sightings += 1
        var levels = self.warned[certificate]?.levels ?? [:]
        if let level { levels[level] = date }
        self.warned[certificate] = (levels, self.sightings)
        guard self.warned.count > WarningMemory.capacity else { return }
        // A sixteenth at once, so that a full memory is not sorted for each warning.
        let oldest = self.warned.sorted { $0.value.seen < $1.value.seen }.prefix(WarningMemory.capacity / 16)
        for (certificate, _) in oldest { self.warned[certificate] = nil }
    }

    /// The warnings, those that were not seen for the longest time first.
    fileprivate var inOrder: [WarningMemory.Document.Entry] {
        self.warned.sorted { $0.value.seen < $1.value.seen }.flatMap { certificate, given in
            given.levels.sorted { $0.key < $1.key }.map { level, date in
                WarningMemory.Document.Entry(target: certificate, level: level, date: date)
            }
        }
    }
}
