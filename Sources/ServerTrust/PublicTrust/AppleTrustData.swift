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

/// Apple's public trust data: the roots of its program and what they are constrained to, as Apple publishes them
/// (apple-oss-distributions/security_certificates); what has become of roots since, by the Common CA Database; and the list of
/// logs.
///
/// Each part has a date of its own, as they change apart: ``parts``. A root that the program does not have is not trusted,
/// whatever this machine's store says. Timestamps count at any age of the list; what lists of sixty days and more may refuse,
/// see ``transparency(at:)``.
public struct AppleTrustData: Sendable {
    let release: RootRelease
    let status: RootStatus
    /// The logs of certificate transparency.
    public let logList: LogList
    private let logListPart: Part
    /// Which of the roots are anchors for which uses.
    public let program: RootProgram
    /// The anchors for TLS servers: roots of the program that are neither constrained to other uses nor blocked.
    public let serverRoots: [Certificate]
    /// The roots that Apple blocks.
    public let blockedRoots: BlockedRoots
    /// The policies that mean extended validation. Identifiers that cannot be read mean nothing.
    public let extendedValidation: ExtendedValidationProgram
    private let transparencyLogs: TransparencyLogs

    /// Where a part of the data comes from, and of when it is.
    public struct Part: Sendable, Hashable {
        /// When it was published or fetched.
        public let date: Date
        /// Where it comes from.
        public let origin: Origin

        init(_ date: Date, _ origin: Origin) { (self.date, self.origin) = (date, origin) }

        /// The day of the date: `2026-08-22`.
        public var day: String { self.date.formatted(.iso8601.year().month().day()) }
    }

    /// The parts of the data, which change apart.
    public struct Parts: Sendable, Hashable {
        /// The release of Apple's roots, with their constraints and their policies of extended validation.
        public let roots: Part
        /// The status of roots since, by the Common CA Database; `nil` where blocked roots are trusted.
        public let rootStatus: Part?
        /// The list of logs.
        public let logList: Part
    }

    /// Where data come from.
    public enum Origin: Sendable, Hashable {
        /// They are part of this package: what they are copied from, by its name.
        case builtIn(release: String)
        /// A folder.
        case folder(String)
    }

    /// The file in the folder that says when the data were fetched, as ISO 8601; Apple's own files have no date. A part whose
    /// folder has such a file too is of that date.
    public static let dateFile = "DATE"

    /// Reads the data from a folder that is laid out as Apple's repository: `certificates/roots/*.cer`,
    /// `certificates/constraints.json`, `certificates/EVRoots.json` and `certificate_transparency/log_list.json`. It may have
    /// `root_status/ccadb.csv` besides, a report of the Common CA Database, and in `root_status/roots` certificates of roots
    /// that the release does not have; without it the built-in status is held over the roots.
    ///
    /// - Parameters:
    ///   - folder: The folder.
    ///   - date: When the data were published or fetched; `nil` reads the files ``dateFile``.
    /// - Throws: ``AppleTrustDataError`` when anything of it is missing or malformed: half of the data would be another
    ///   program.
    public init(folder: String, date: Date? = nil) throws(AppleTrustDataError) {
        try self.init(folder: folder, date: date, completedBy: nil)
    }

    /// The same, with whole parts that are not in the folder from elsewhere.
    ///
    /// - Parameters:
    ///   - folder: The folder.
    ///   - date: When the data were published or fetched; `nil` reads the files ``dateFile``.
    ///   - other: The data to take missing parts from; `nil` takes none.
    package init(folder: String, date: Date? = nil, completedBy other: AppleTrustData?) throws(AppleTrustDataError) {
        // A link is followed once: an update puts another folder in the place of the one that is being read.
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

    /// Every certificate of Apple's release, TLS or not, by file name.
    public var certificates: [Certificate] { self.release.certificates }
    /// The identifiers of the policies that make a certificate below a root one with extended validation, by the root's
    /// SHA-256 fingerprint.
    public var extendedValidationPolicies: [[UInt8]: Set<String>] { self.release.extendedValidationPolicies }
    /// What Apple says of roots between its releases.
    public var rootStatus: RootStatusList { self.status.list }
    /// The certificates of roots with a status that the release does not have.
    public var certificatesBesidesRelease: [Certificate] { self.status.certificates }
    /// When the release of the roots was published or fetched. The other parts have dates of their own: ``parts``.
    public var date: Date { self.release.part.date }
    /// Where the release of the roots comes from.
    public var origin: Origin { self.release.part.origin }
    /// Of when each part is, and where it comes from.
    public var parts: Parts {
        Parts(
            roots: self.release.part, rootStatus: self.status.list.entries.isEmpty ? nil : self.status.part,
            logList: self.logListPart)
    }

    private var logs: (list: LogList, part: Part) { (self.logList, self.logListPart) }

    /// The data of Apple's release alone, without what has become of its roots since: blocked ones are trusted again.
    public func dangerouslyTrustingBlockedRoots() -> AppleTrustData {
        AppleTrustData(
            self.release, RootStatus(RootStatusList([:]), certificates: [], self.status.part),
            logs: self.logs)
    }

    /// Of these data and others the newer of each part.
    func newest(with other: AppleTrustData) -> AppleTrustData {
        return AppleTrustData(
            self.release.part.date > other.release.part.date ? self.release : other.release,
            self.status.part.date > other.status.part.date ? self.status : other.status,
            logs: self.logListPart.date > other.logListPart.date ? self.logs : other.logs)
    }

    /// Whether the list of logs is young enough to refuse certificates for want of timestamps.
    ///
    /// - Parameter now: The present, and not the moment that certificates are judged for.
    public func isCurrent(at now: Date) -> Bool {
        TransparencyRequest.isCurrent(listOf: Timestamp(self.logListPart.date), at: Timestamp(now))
    }

    /// What Apple's systems ask of certificate transparency, as far as these data can tell.
    ///
    /// Apple's systems fetch a new list twice a day. Where the data are older than that, a certificate without enough timestamps
    /// is refused all the same, unless logs that the data do not know may have signed it: that certificate is accepted, and
    /// its status is ``CertificateTransparencyStatus/undetermined``.
    ///
    /// - Parameter now: The present.
    public func transparency(at now: Date) -> TransparencyRequest {
        var request = TransparencyRequest(
            logs: self.transparencyLogs, isListCurrent: self.isCurrent(at: now))
        request.oldListRule = .refusesWhatNewerListsCannotClear
        // A public root stays one where the application trusts it too.
        request.publicRoots = .fingerprints(self.program.roots)
        request.exemptRoots = AppleAnchors.fingerprints
        return request
    }
}

extension TrustStore {
    /// The anchors of Apple's program for TLS servers, as roots of the system, and the roots that Apple blocks.
    ///
    /// - Parameter data: Apple's data.
    /// - Throws: ``TrustStoreError`` when the program has no root for TLS servers.
    public static func apple(_ data: AppleTrustData) throws(TrustStoreError) -> TrustStore {
        var store = try TrustStore(data.serverRoots, anchorClass: .system)
        store.blockedRoots = data.blockedRoots
        return store
    }
}

/// Why a folder does not hold Apple's trust data.
public struct AppleTrustDataError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The file at fault, from the folder on.
    public let file: String
    /// What is wrong with it.
    public let reason: String
    /// What to do about it.
    public let remedy: String

    init(
        _ file: String, _ reason: String,
        remedy: String = "Give a folder laid out as Apple's repository security_certificates."
    ) {
        self.file = file
        self.reason = reason
        self.remedy = remedy
    }

    /// What is wrong and what to do, for a person.
    public var description: String { "\(self.file): \(self.reason). \(self.remedy)" }
}
