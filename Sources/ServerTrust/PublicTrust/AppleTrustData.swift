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

/// Apple's public trust data as Apple publishes it (apple-oss-distributions/security_certificates): the roots of its program,
/// what they are constrained to, and the list of logs.
///
/// A root that the program does not have is not trusted, whatever this machine's store says. Timestamps count at any age of
/// the data; what data of sixty days and more may refuse, see ``transparency(at:)``.
public struct AppleTrustData: Sendable {
    /// Every certificate of the program, TLS or not, by file name.
    public let certificates: [Certificate]
    /// Which of them are anchors for which uses.
    public let program: RootProgram
    /// The identifiers of the policies that make a certificate below a root one with extended validation, by the root's
    /// SHA-256 fingerprint.
    public let extendedValidationPolicies: [[UInt8]: Set<String>]
    /// The logs of certificate transparency.
    public let logList: LogList
    /// When the data were published or fetched.
    public let date: Date
    /// The anchors for TLS servers: roots of the program that are not constrained to other uses.
    public let serverRoots: [Certificate]
    /// Where the data come from.
    public let origin: Origin

    /// Where data come from.
    public enum Origin: Sendable, Hashable {
        /// They are part of this package: those of one of Apple's releases, by its name.
        case builtIn(release: String)
        /// A folder.
        case folder(String)
    }

    /// The file in the folder that says when the data were fetched, as ISO 8601; Apple's own files have no date.
    public static let dateFile = "DATE"

    /// Reads the data from a folder that is laid out as Apple's repository: `certificates/roots/*.cer`,
    /// `certificates/constraints.json`, `certificates/EVRoots.json` and `certificate_transparency/log_list.json`.
    ///
    /// - Parameters:
    ///   - folder: The folder.
    ///   - date: When the data were published or fetched; `nil` reads the file ``dateFile``.
    /// - Throws: ``AppleTrustDataError`` when anything of it is missing or malformed: half of the data would be another
    ///   program.
    public init(folder: String, date: Date? = nil) throws(AppleTrustDataError) {
        // A link is followed once: an update puts another folder in the place of the one that is being read.
        let files = Files(folder: BoundedFile.resolved(folder))
        let roots = try files.roots()
        let constraints = try files.table(["certificates", "constraints.json"], section: "system")
        self.certificates = roots
        self.program = RootProgram(roots: Set(roots.map(\.sha256Fingerprint)), policies: constraints)
        self.extendedValidationPolicies = try files.table(["certificates", "EVRoots.json"], section: "EV_config")
        self.logList = try files.logList()
        if let date { self.date = date } else { self.date = try files.date() }
        let program = self.program
        self.serverRoots = roots.filter { program.admits($0, for: .tlsServer) }
        self.origin = .folder(folder)
    }

    init(
        _ certificates: [Certificate], serverRoots: [Certificate], program: RootProgram,
        extendedValidationPolicies: [[UInt8]: Set<String>], logList: LogList, date: Date, origin: Origin
    ) {
        (self.certificates, self.serverRoots, self.program) = (certificates, serverRoots, program)
        (self.extendedValidationPolicies, self.logList) = (extendedValidationPolicies, logList)
        (self.date, self.origin) = (date, origin)
    }

    /// Whether the data are young enough to refuse certificates for want of timestamps.
    ///
    /// - Parameter now: The present, and not the moment that certificates are judged for.
    public func isCurrent(at now: Date) -> Bool {
        TransparencyRequest.isCurrent(listOf: Timestamp(self.date), at: Timestamp(now))
    }

    /// The policies that mean extended validation. Identifiers that cannot be read mean nothing.
    public var extendedValidation: ExtendedValidationProgram {
        ExtendedValidationProgram(
            policies: self.extendedValidationPolicies.mapValues { Set($0.compactMap { OID($0) }) })
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
            logs: TransparencyLogs(self.logList.logs), isListCurrent: self.isCurrent(at: now))
        request.oldListRule = .refusesWhatNewerListsCannotClear
        // A public root stays one where the application trusts it too.
        request.publicRoots = .fingerprints(self.program.roots)
        request.exemptRoots = AppleAnchors.fingerprints
        return request
    }
}

extension TrustStore {
    /// The anchors of Apple's program for TLS servers, as roots of the system.
    ///
    /// - Parameter data: Apple's data.
    /// - Throws: ``TrustStoreError`` when the program has no root for TLS servers.
    public static func apple(_ data: AppleTrustData) throws(TrustStoreError) -> TrustStore {
        try TrustStore(data.serverRoots, anchorClass: .system)
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
        (self.file, self.reason, self.remedy) = (file, reason, remedy)
    }

    /// What is wrong and what to do, for a person.
    public var description: String { "\(self.file): \(self.reason). \(self.remedy)" }
}

extension AppleTrustData {
    /// The files of one folder.
    private struct Files {
        let folder: String

        private static let maximumRoots = 2_000

        func roots() throws(AppleTrustDataError) -> [Certificate] {
            let path = "certificates/roots"
            let names: [String]
            do {
                names = try BoundedFile.entries(of: self.folder + "/" + path).filter { $0.hasSuffix(".cer") }.sorted()
            } catch {
                throw AppleTrustDataError(path, "\(error)")
            }
            guard !names.isEmpty, names.count <= Self.maximumRoots else {
                throw AppleTrustDataError(path, "it has \(names.count) certificates")
            }
            return try names.map { name throws(AppleTrustDataError) in try self.root("\(path)/\(name)") }
        }

        private func root(_ path: String) throws(AppleTrustDataError) -> Certificate {
            let contents = try self.contents(path)
            let certificate: Certificate
            do { certificate = try Certificate(der: contents) } catch { throw AppleTrustDataError(path, "\(error)") }
            let name = path.split(separator: "/").last?.dropLast(".cer".count) ?? ""
            guard Fingerprint.octets(String(name)) == certificate.sha256Fingerprint else {
                throw AppleTrustDataError(
                    path, "its name is not the SHA-256 fingerprint of the certificate in it",
                    remedy: "Fetch the folder again; the file may have been changed.")
            }
            return certificate
        }

        /// A table from SHA-256 fingerprints to identifiers of policies.
        func table(
            _ path: [String], section: String
        ) throws(AppleTrustDataError) -> [[UInt8]: Set<String>] {
            let file = path.joined(separator: "/")
            var table: [[UInt8]: Set<String>] = [:]
            for (name, identifiers) in try self.section(section, of: file) {
                guard let fingerprint = Fingerprint.octets(name) else {
                    throw AppleTrustDataError(file, "\"\(PrintableText.text(of: name))\" is not a SHA-256 fingerprint")
                }
                guard table.updateValue(Set(identifiers), forKey: fingerprint) == nil else {
                    throw AppleTrustDataError(file, "it has the fingerprint \(PrintableText.text(of: name)) twice")
                }
            }
            return table
        }

        private func section(_ name: String, of file: String) throws(AppleTrustDataError) -> [String: [String]] {
            struct Document: Decodable {
                let system: [String: [String]]?
                let EV_config: [String: [String]]?
            }
            let contents = try self.contents(file)
            guard let document = try? JSONDecoder().decode(Document.self, from: Data(contents)),
                let section = name == "system" ? document.system : document.EV_config
            else { throw AppleTrustDataError(file, "it has no section \(name) with policies by fingerprint") }
            return section
        }

        func logList() throws(AppleTrustDataError) -> LogList {
            let file = "certificate_transparency/log_list.json"
            let contents = try self.contents(file)
            do { return try LogList(contents: contents) } catch { throw AppleTrustDataError(file, error.reason) }
        }

        func date() throws(AppleTrustDataError) -> Date {
            let file = AppleTrustData.dateFile
            let remedy =
                "Apple's files have no date. Write the moment when they were fetched: date -u +%FT%TZ > \(self.folder)/\(file)"
            let contents: [UInt8]
            do { contents = try self.contents(file) } catch {
                throw AppleTrustDataError(file, error.reason, remedy: remedy)
            }
            let text = String(decoding: contents, as: UTF8.self)
            guard let time = Timestamp(text.filter { !$0.isWhitespace }) else {
                throw AppleTrustDataError(file, "it holds no time such as 2025-10-04T00:00:00Z", remedy: remedy)
            }
            return Date(time)
        }

        private func contents(_ file: String) throws(AppleTrustDataError) -> [UInt8] {
            do {
                return try BoundedFile.read(self.folder + "/" + file)
            } catch {
                throw AppleTrustDataError(file, "\(error)")
            }
        }
    }
}

/// SHA-256 fingerprints in hexadecimal.
public enum Fingerprint {
    /// The 32 octets that 64 hexadecimal digits write, in any case; `nil` for other text.
    public static func octets(_ text: String) -> [UInt8]? {
        text.utf8.count == 64 ? [UInt8](hexadecimal: text.utf8) : nil
    }
}
