//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import ServerReports
import ServerTrust

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// The date and the origin of a part of Apple's data.
struct AppleDataPart: Encodable {
    let origin: String
    let date: String
    private let ageInDays: Int

    init(_ part: AppleTrustData.Part, now: Date) {
        self.origin = Self.text(part.origin)
        self.date = ISO8601.text(part.date)
        self.ageInDays = part.age(at: now)
    }

    var text: String { "\(self.origin), \(self.date), \(self.ageInDays) days ago" }

    static func text(_ origin: AppleTrustData.Origin) -> String {
        switch origin {
        case .builtIn(let release): "built in, from \(release)"
        case .folder(let path): DisplayText.text(path)
        }
    }
}

/// The coverage of certificates of one lifetime that are issued now.
struct AppleDataCoverage: Encodable {
    private let lifetimeInDays: Int
    private let expiry: String
    private let logs: Int
    private let operators: Int
    private let neededLogs: Int
    let suffices: Bool

    init(_ coverage: LogCoverage) {
        self.lifetimeInDays = coverage.lifetimeInDays
        self.expiry = ISO8601.text(coverage.expiry)
        self.logs = coverage.logs
        self.operators = coverage.operators
        self.neededLogs = coverage.neededLogs
        self.suffices = coverage.suffices
    }

    var sentence: String {
        let logs = self.logs == 1 ? "1 usable log" : "\(self.logs) usable logs"
        let operators = self.operators == 1 ? "1 operator" : "\(self.operators) operators"
        let known = "\(logs) of \(operators) known, \(self.neededLogs) logs needed"
        return "Certificates of \(self.lifetimeInDays) days, which end at \(self.expiry): \(known)"
            + (self.suffices ? "." : ": too few to judge them.")
    }
}

/// The changes to the release's roots in the root status.
struct AppleRootChanges: Encodable {
    private let blocked: [Root]
    private let removed: [Root]
    private let added: [Root]
    /// The included roots without an available certificate.
    private let withoutCertificate: [Root]

    private struct Root: Encodable {
        let name: String
        let sha256: String
    }

    init(_ data: AppleTrustData) {
        let status = data.rootStatus
        let known = Set(data.certificates.map(\.sha256Fingerprint))
        let besides = Set(data.certificatesBesidesRelease.map(\.sha256Fingerprint))
        let servers = Set(data.serverRoots.map(\.sha256Fingerprint))
        func roots(_ wanted: Set<RootStatusList.Status>, _ isMeant: ([UInt8]) -> Bool) -> [Root] {
            status.entries.filter { wanted.contains($0.value.status) && isMeant($0.key) }.map {
                Root(name: DisplayText.text($0.value.name), sha256: JSONText.hexadecimal($0.key))
            }.sorted { ($0.name, $0.sha256) < ($1.name, $1.sha256) }
        }
        self.blocked = roots([.blocked]) { _ in true }
        self.removed = roots([.removed, .notIncluded], known.contains)
        self.added = roots([.included]) { servers.contains($0) && !known.contains($0) }
        self.withoutCertificate = roots([.included]) { !known.contains($0) && !besides.contains($0) }
    }

    var text: String {
        [
            Self.list("Blocked by Apple, refused even where they are trusted by hand", self.blocked),
            Self.list("No roots of the program any more", self.removed),
            Self.list("Added since the release", self.added),
            Self.list("Included, without a certificate at hand: not trusted", self.withoutCertificate),
        ].joined()
    }

    private static func list(_ title: String, _ roots: [Root]) -> String {
        guard !roots.isEmpty else { return "" }
        return "\n\(title):\n" + roots.map { "  \($0.sha256.prefix(16).uppercased())  \($0.name)\n" }.joined()
    }
}
