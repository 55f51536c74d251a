//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import CertificatePath

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// The files of one folder with Apple's data.
package struct AppleTrustFolder {
    private let name: String
    private let folder: String
    private let givenDate: Date?

    private static let maximumRoots = 2_000
    package static let rootsFolder = "certificates/roots"
    package static let rootTables = ["certificates/constraints.json", "certificates/EVRoots.json"]
    package static let logListFile = "certificate_transparency/log_list.json"
    package static let statusFile = "root_status/ccadb.csv"
    package static let statusRoots = "root_status/roots"
    package static let parts = ["certificates", "certificate_transparency", "root_status"]

    /// - Parameters:
    ///   - name: The name of the folder in messages.
    ///   - path: The path of the folder.
    ///   - date: The date of all parts, or `nil` to read it.
    init(_ name: String, at path: String, date: Date?) { (self.name, self.folder, self.givenDate) = (name, path, date) }

    var hasRoots: Bool { self.has("certificates") }
    var hasLogs: Bool { self.has("certificate_transparency") }
    var hasStatus: Bool { self.has("root_status") }
    var hasParts: Bool { self.hasRoots || self.hasLogs || self.hasStatus }
    var noParts: AppleTrustDataError {
        AppleTrustDataError("certificates", "neither it nor another part of the data is there")
    }

    /// Returns `true` if the part exists, or is a broken link, which was meant as a part and must not be ignored.
    private func has(_ name: String) -> Bool {
        BoundedFile.exists(self.folder + "/" + name) || BoundedFile.isLink(self.folder + "/" + name)
    }

    func release() throws(AppleTrustDataError) -> RootRelease {
        let roots = try self.roots(Self.rootsFolder)
        guard !roots.isEmpty else { throw AppleTrustDataError(Self.rootsFolder, "it has 0 certificates") }
        return RootRelease(
            roots, policies: try self.table("certificates/constraints.json", section: "system"),
            extendedValidationPolicies: try self.table("certificates/EVRoots.json", section: "EV_config"),
            try self.part("certificates"))
    }

    func status() throws(AppleTrustDataError) -> RootStatus {
        let contents = try self.contents(Self.statusFile)
        let list: RootStatusList
        do { list = try RootStatusList(contents: contents) } catch {
            throw AppleTrustDataError(Self.statusFile, error.reason, remedy: RootStatusError.remedy)
        }
        var roots: [Certificate] = []
        if self.has(Self.statusRoots) { roots = try self.roots(Self.statusRoots) }
        return RootStatus(list, certificates: roots, try self.part("root_status"))
    }

    func part(_ name: String) throws(AppleTrustDataError) -> AppleTrustData.Part {
        let own = name + "/" + AppleTrustData.dateFile
        let date: Date
        if let givenDate {
            date = givenDate
        } else {
            date = try self.date(self.has(own) ? own : AppleTrustData.dateFile)
        }
        return AppleTrustData.Part(date, .folder(self.name))
    }

    private func roots(_ path: String) throws(AppleTrustDataError) -> [Certificate] {
        let names: [String]
        do {
            names = try BoundedFile.entries(of: self.folder + "/" + path).filter { $0.hasSuffix(".cer") }.sorted()
        } catch {
            throw AppleTrustDataError(path, "\(error)")
        }
        guard names.count <= Self.maximumRoots else {
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
                remedy: "Fetch the folder again. The file may have been changed.")
        }
        return certificate
    }

    /// Returns a table from SHA-256 fingerprints to identifiers of policies.
    private func table(_ file: String, section: String) throws(AppleTrustDataError) -> [[UInt8]: Set<String>] {
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
        let contents = try self.contents(Self.logListFile)
        do { return try LogList(contents: contents) } catch {
            throw AppleTrustDataError(Self.logListFile, error.reason)
        }
    }

    private func date(_ file: String) throws(AppleTrustDataError) -> Date {
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
