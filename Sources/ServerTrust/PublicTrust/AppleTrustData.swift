//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

public import CertificatePath

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// Apple's public trust data: the roots of its program with their constraints, as Apple publishes them
/// (apple-oss-distributions/security_certificates), the later status of roots from the Common CA Database, and the log list.
///
/// The parts change independently, so each has its own date: ``parts``. A root outside of the program is not trusted, even if this
/// machine's store has it. Timestamps count regardless of the age of the log list. ``transparency(at:)`` describes the refusals by
/// lists of sixty days or more.
public struct AppleTrustData: Sendable {
    let release: RootRelease
    let status: RootStatus
    /// The logs of certificate transparency.
    public let logList: LogList
    private let logListPart: Part
    /// The roots with the uses for which they are anchors.
    public let program: RootProgram
    /// The anchors for TLS servers: roots of the program that are neither constrained to other uses nor blocked.
    public let serverRoots: [Certificate]
    /// The roots that Apple blocks.
    public let blockedRoots: BlockedRoots
    /// The policies of extended validation. Identifiers that cannot be read are left out.
    public let extendedValidation: ExtendedValidationProgram
    private let transparencyLogs: TransparencyLogs

    /// The origin and the date of a part of the data.
    ///
    /// ``AppleTrustData/parts`` has one for each part.
    public struct Part: Sendable, Hashable {
        /// The date of its publication or of the fetch.
        public let date: Date
        /// The origin of the part.
        public let origin: Origin

        init(_ date: Date, _ origin: Origin) { (self.date, self.origin) = (date, origin) }

        /// The day of the date: `2026-08-22`.
        public var day: String { self.date.formatted(.iso8601.year().month().day()) }
    }

    /// The origins and dates of the parts of the data, which change independently.
    public struct Parts: Sendable, Hashable {
        /// The release of Apple's roots, with their constraints and their policies of extended validation.
        public let roots: Part
        /// The later status of roots from the Common CA Database, or `nil` if blocked roots are trusted.
        public let rootStatus: Part?
        /// The log list.
        public let logList: Part
    }

    /// The origins of data.
    public enum Origin: Sendable, Hashable {
        /// The data are built into this package. The name is that of the copied release.
        case builtIn(release: String)
        /// The data are from this folder.
        case folder(String)
    }

    /// The name of the file with the date of the fetch in ISO 8601, as Apple's own files have no date. A part whose folder also has
    /// such a file has that date.
    public static let dateFile = "DATE"

    /// Reads the data from a folder with the layout of Apple's repository: `certificates/roots/*.cer`,
    /// `certificates/constraints.json`, `certificates/EVRoots.json` and `certificate_transparency/log_list.json`.
    ///
    /// The folder may also have `root_status/ccadb.csv`, a report of the Common CA Database, and in `root_status/roots`
    /// certificates of roots that the release lacks. Without the report, the built-in status list applies.
    ///
    /// - Parameters:
    ///   - folder: The folder.
    ///   - date: The date of the publication or of the fetch, or `nil` to read the files ``dateFile``.
    /// - Throws: ``AppleTrustDataError`` if any part is missing or malformed. Incomplete data would be a different program.
    public init(folder: String, date: Date? = nil) throws(AppleTrustDataError) {
        try self.init(folder: folder, date: date, completedBy: nil)
    }

    /// Reads the data from a folder, and takes missing parts from other data.
    ///
    /// - Parameters:
    ///   - folder: The folder.
    ///   - date: The date of the publication or of the fetch, or `nil` to read the files ``dateFile``.
    ///   - other: The data with the missing parts, or `nil` to require all parts.
    package init(folder: String, date: Date? = nil, completedBy other: AppleTrustData?) throws(AppleTrustDataError) {
        // A link is resolved once, as an update may replace the folder during the read.
        let files = AppleTrustFolder(folder, at: BoundedFile.resolved(folder), date: date)
        guard other == nil || files.hasParts else { throw files.noParts }
        var (release, status, logs) = (other?.release, other?.status ?? .builtInList, other.map(\.logs))
        if files.hasRoots || release == nil { release = try files.release() }
        if files.hasStatus { status = try files.status().knowing((other?.status ?? .builtIn).certificates) }
        if files.hasLogs || logs == nil { logs = (try files.logList(), try files.part("certificate_transparency")) }
        guard let release, let logs else { throw files.noParts }
        self.init(release, status, logs: logs)
    }

    init(_ release: RootRelease, _ status: RootStatus, logs: (list: LogList, part: Part)) {
        self.release = release
        self.status = status
        (self.logList, self.logListPart) = logs
        let outside = status.excluded
        let additional = status.additionalRoots(besides: release)
        self.serverRoots =
            release.serverRoots.filter { !outside.contains($0.sha256Fingerprint) } + additional
        self.program = RootProgram(
            roots: release.fingerprints.subtracting(outside).union(additional.map(\.sha256Fingerprint)),
            policies: release.policies)
        self.blockedRoots = status.blockedRoots(with: release.certificates)
        self.extendedValidation = ExtendedValidationProgram(
            policies: release.extendedValidationPolicies.mapValues { Set($0.compactMap { OID($0) }) })
        self.transparencyLogs = TransparencyLogs(logs.list.logs)
    }

    /// Every certificate of Apple's release, with or without the use for TLS, by file name.
    public var certificates: [Certificate] { self.release.certificates }
    /// The identifiers of the policies of extended validation below a root, by the root's SHA-256 fingerprint.
    public var extendedValidationPolicies: [[UInt8]: Set<String>] { self.release.extendedValidationPolicies }
    /// The status of roots between Apple's releases.
    public var rootStatus: RootStatusList { self.status.list }
    /// The certificates of roots in the status list that the release lacks.
    public var certificatesBesidesRelease: [Certificate] { self.status.certificates }
    /// The date at which the release of the roots was published or fetched. The other parts have their own dates: ``parts``.
    public var date: Date { self.release.part.date }
    /// The origin of the release of the roots.
    public var origin: Origin { self.release.part.origin }
    /// The date and origin of each part.
    public var parts: Parts {
        Parts(
            roots: self.release.part, rootStatus: self.status.list.entries.isEmpty ? nil : self.status.part,
            logList: self.logListPart)
    }

    private var logs: (list: LogList, part: Part) { (self.logList, self.logListPart) }

    /// Returns the data of Apple's release alone, without the status list, so that blocked roots are trusted again.
    public func dangerouslyTrustingBlockedRoots() -> AppleTrustData {
        AppleTrustData(
            self.release, RootStatus(RootStatusList([:]), certificates: [], self.status.part),
            logs: self.logs)
    }

    /// Returns the newer version of each part, from these data and others.
    func newest(with other: AppleTrustData) -> AppleTrustData {
        return AppleTrustData(
            self.release.part.date > other.release.part.date ? self.release : other.release,
            self.status.part.date > other.status.part.date ? self.status : other.status,
            logs: self.logListPart.date > other.logListPart.date ? self.logs : other.logs)
    }

    /// Returns `true` if the log list is recent enough to refuse certificates that lack timestamps.
    ///
    /// - Parameter now: The current date, not the date of the evaluation.
    public func isCurrent(at now: Date) -> Bool {
        TransparencyRequest.isCurrent(listOf: Timestamp(self.logListPart.date), at: Timestamp(now))
    }

    /// Returns Apple's requirements of certificate transparency, as far as these data determine them.
    ///
    /// Apple's systems fetch a new list twice a day. Even older data refuse a certificate without enough timestamps, unless logs
    /// that are missing in the data may have signed it. Such a certificate is accepted with the status
    /// ``CertificateTransparencyStatus/undetermined``.
    ///
    /// - Parameter now: The current date.
    public func transparency(at now: Date) -> TransparencyRequest {
        var request = TransparencyRequest(
            logs: self.transparencyLogs, isListCurrent: self.isCurrent(at: now))
        request.oldListRule = .refusesWhatNewerListsCannotClear
        // A public root counts as public even if the application also trusts it.
        request.publicRoots = .fingerprints(self.program.roots)
        request.exemptRoots = AppleAnchors.fingerprints
        return request
    }
}

extension TrustStore {
    /// Returns a store with the anchors of Apple's program for TLS servers, as system roots, and the roots that Apple blocks.
    ///
    /// - Parameter data: Apple's data.
    /// - Throws: ``TrustStoreError`` if the program has no root for TLS servers.
    public static func apple(_ data: AppleTrustData) throws(TrustStoreError) -> TrustStore {
        var store = try TrustStore(data.serverRoots, anchorClass: .system)
        store.blockedRoots = data.blockedRoots
        return store
    }
}

/// An error for a folder without usable trust data of Apple.
///
/// The description names the file, the fault and the remedy.
public struct AppleTrustDataError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The file at fault, as a path relative to the folder.
    public let file: String
    /// The fault of the file.
    public let reason: String
    /// The remedy, in a sentence.
    public let remedy: String

    init(
        _ file: String, _ reason: String,
        remedy: String = "Give a folder laid out as Apple's repository security_certificates."
    ) {
        self.file = file
        self.reason = reason
        self.remedy = remedy
    }

    /// The file, its fault and the remedy, in a few words.
    public var description: String { "\(self.file): \(self.reason). \(self.remedy)" }
}
