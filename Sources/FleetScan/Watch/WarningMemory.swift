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
/// ahead is reported again when it comes, if the certificate was seen before its end in between. The file is replaced as a whole and
/// belongs to its owner only. The first warnings are saved at once, later ones several at a time.
package final class WarningMemory: Sendable {
    /// The most certificates that are remembered. Those that were not seen for the longest time go first.
    static let capacity = 65_536

    private let path: String?
    let maximumSize: Int
    private let threshold: ExpiryThreshold
    private let complain: Complaint
    private let state = Mutex(State())

    fileprivate struct State {
        struct Given {
            /// The levels that were given, with the date of each in seconds since 1970.
            var levels: [ExpiryLevel: Int64] = [:]
            /// `true` if the certificate was seen before its end after the end was reported.
            var isEndDoubted = false
            var seen = 0
        }

        var warned: [WarnedCertificate: Given] = [:]
        var sightings = 0
        /// The warnings that the file does not have yet.
        var unsaved = 0
    }

    /// Creates a memory that lasts as long as the process.
    package init() {
        self.path = nil
        self.maximumSize = 0
        self.threshold = .default
        self.complain = { _ in }
    }

    /// Creates a memory in a file.
    ///
    /// - Parameters:
    ///   - path: The file. It is created if it does not exist, and must belong to the user of the process only.
    ///   - threshold: The rule of the level warning. Levels of another rule are forgotten.
    ///   - maximumSize: The maximum size of the file, in octets: no more than the next start reads.
    ///   - complain: Receives the error of a later save.
    /// - Throws: ``FleetError`` if the file has other contents, belongs to others, or cannot be read or written.
    package init(
        file path: String, threshold: ExpiryThreshold = .default, maximumSize: Int = BoundedFile.maximumSize,
        complain: @escaping Complaint
    ) throws(FleetError) {
        self.path = path
        self.maximumSize = min(maximumSize, BoundedFile.maximumSize)
        self.threshold = threshold
        self.complain = complain
        let document = try Self.read(path)
        let isSameRule = document?.threshold == threshold.text
        self.state.withLock { state in
            for entry in document?.warned ?? [] where isSameRule || entry.level > .warning {
                state.note(entry.target, entry.level, at: entry.date)
                if entry.isDoubted == true { state.warned[entry.target]?.isEndDoubted = true }
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

    /// Returns `true` if a warning is due. A certificate that is seen again is remembered for longer.
    ///
    /// - Parameters:
    ///   - certificate: The certificate.
    ///   - level: The level, or `nil` if the certificate does not end soon.
    ///   - date: The date of the look, in seconds since 1970.
    func isNew(_ certificate: WarnedCertificate, _ level: ExpiryLevel?, at date: Int64) -> Bool {
        let (isNew, isDue) = self.state.withLock { state in
            let unsaved = state.unsaved
            let isNew = state.isNew(certificate, level, at: date)
            // A look that changes nothing must not repeat a save that failed.
            return (isNew, state.unsaved > unsaved && state.isSaveDue)
        }
        if isDue { self.save() }
        return isNew
    }

    /// A clock that is further ahead was wrong.
    fileprivate static let clockTolerance: Int64 = 86_400

    /// Remembers a warning that was given.
    func remember(_ certificate: WarnedCertificate, _ level: ExpiryLevel, at date: Int64) {
        let isDue = self.state.withLock { state in
            state.note(certificate, level, at: date)
            state.unsaved += 1
            return state.isSaveDue
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
        try ExclusiveFile.replace(BoundedFile.resolved(path), with: try self.contents(warned))
        self.state.withLock { $0.unsaved -= unsaved }
    }

    /// Returns the contents of the file. Those that were not seen for the longest time are left out where there are too many.
    private func contents(_ warned: [Document.Entry]) throws -> [UInt8] {
        var warned = warned[...]
        while true {
            let document = Document(threshold: self.threshold.text, warned: Array(warned))
            let contents = try JSONText.line(document) + [0x0A]
            guard contents.count > self.maximumSize, !warned.isEmpty else { return contents }
            warned = warned.suffix(min(warned.count - 1, warned.count * self.maximumSize / contents.count))
        }
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
            /// `true` for an end that was reported while the clock may have been ahead. Otherwise absent.
            var isDoubted: Bool?
        }

        var format = Self.currentFormat
        let threshold: String
        let warned: [Entry]
    }
}

extension WarningMemory.State {
    fileprivate mutating func note(_ certificate: WarnedCertificate, _ level: ExpiryLevel? = nil, at date: Int64 = 0) {
        self.sightings += 1
        var given = self.warned[certificate] ?? Given()
        given.seen = self.sightings
        if let level { given.levels[level] = date }
        if level == .expired { given.isEndDoubted = false }
        self.warned[certificate] = given
        guard self.warned.count > WarningMemory.capacity else { return }
        // A sixteenth at once, so that a full memory is not sorted for each warning.
        let oldest = self.warned.sorted { $0.value.seen < $1.value.seen }.prefix(WarningMemory.capacity / 16)
        for (certificate, _) in oldest { self.warned[certificate] = nil }
    }

    fileprivate var isSaveDue: Bool { self.unsaved > 0 && self.unsaved * 8 >= self.warned.count }

    fileprivate mutating func isNew(_ certificate: WarnedCertificate, _ level: ExpiryLevel?, at date: Int64) -> Bool {
        guard let known = self.warned[certificate] else { return level != nil }
        self.note(certificate)
        if let end = known.levels[.expired] { self.doubtEnd(of: certificate, level, given: end, at: date) }
        guard let level else { return false }
        guard let given = known.levels[level] else { return true }
        return level == .expired && known.isEndDoubted && given > date
    }

    /// Doubts an end that was reported at a later date than this look at the certificate, which is before the end. Once that date comes,
    /// there is no doubt any more.
    fileprivate mutating func doubtEnd(
        of certificate: WarnedCertificate, _ level: ExpiryLevel?, given: Int64, at date: Int64
    ) {
        let isDoubted = level != .expired && given > date + WarningMemory.clockTolerance
        guard isDoubted || given <= date, self.warned[certificate]?.isEndDoubted != isDoubted else { return }
        self.warned[certificate]?.isEndDoubted = isDoubted
        self.unsaved += 1
    }

    /// The warnings, those that were not seen for the longest time first.
    fileprivate var inOrder: [WarningMemory.Document.Entry] {
        self.warned.sorted { $0.value.seen < $1.value.seen }.flatMap { certificate, given in
            given.levels.sorted { $0.key < $1.key }.map { level, date in
                WarningMemory.Document.Entry(
                    target: certificate, level: level, date: date,
                    isDoubted: level == .expired && given.isEndDoubted ? true : nil)
            }
        }
    }
}
