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

extension AppleTrustData {
    /// The data of this package, parsed on first use.
    public static let builtIn: AppleTrustData = {
        let list = LogList(Self.registryLogs.compactMap(TransparencyLog.init), version: Self.registryLogListVersion)
        return AppleTrustData(
            .builtIn, .builtIn,
            logs: (list, .builtIn(Self.registryLogListDate, "Apple's list of logs, version \(list.version)")))
    }()

    /// The blocked roots of the built-in data, available without parsing the other roots.
    static let builtInBlockedRoots = RootStatus.builtIn.blockedRoots(with: [])
}

extension AppleTrustData.Part {
    fileprivate static func builtIn(_ date: String, _ name: String) -> Self {
        Self(Timestamp(date).map { Date($0) } ?? .distantPast, .builtIn(release: name))
    }
}

extension RootStatus {
    static let builtIn = RootStatus(
        RootStatusList(
            Dictionary(AppleTrustData.registryStatus.compactMap(Self.entry), uniquingKeysWith: { first, _ in first })),
        certificates: AppleTrustData.registryStatus.compactMap { Certificate(base64: $0.certificate) },
        .builtIn(AppleTrustData.registryStatusDate, "Common CA Database"))

    /// The same list for data without a status list of their own. It adds no roots to them.
    static let builtInList: RootStatus = {
        let blocked = Self.builtIn.list.fingerprints(.blocked)
        return RootStatus(
            Self.builtIn.list,
            certificates: Self.builtIn.certificates.filter { blocked.contains($0.sha256Fingerprint) },
            Self.builtIn.part)
    }()

    private static func entry(_ row: AppleTrustData.RegistryStatus) -> ([UInt8], RootStatusList.Entry)? {
        // A root with an unreadable status is not trusted.
        Fingerprint.octets(row.fingerprint).map {
            (
                $0,
                RootStatusList.Entry(
                    RootStatusList.Status(rawValue: row.status) ?? .notIncluded, name: row.name,
                    servesServers: row.servesServers)
            )
        }
    }
}

extension RootRelease {
    static var builtIn: RootRelease {
        let roots = AppleTrustData.registryRoots.compactMap(BuiltInRoot.init)
        let program = RootProgram(
            roots: Set(roots.map(\.certificate.sha256Fingerprint)), policies: Self.table(roots, \.policies))
        return RootRelease(
            roots.map(\.certificate), serverRoots: roots.filter(\.isServerRoot).map(\.certificate), program,
            extendedValidationPolicies: Self.table(roots, \.extendedValidation),
            part: .builtIn(AppleTrustData.registryDate, AppleTrustData.registryRelease))
    }

    private static func table(
        _ roots: [BuiltInRoot], _ policies: (BuiltInRoot) -> Set<String>
    ) -> [[UInt8]: Set<String>] {
        roots.reduce(into: [:]) { table, root in
            let identifiers = policies(root)
            if !identifiers.isEmpty { table[root.certificate.sha256Fingerprint] = identifiers }
        }
    }
}

/// A root of the table. An unreadable one is not trusted.
private struct BuiltInRoot {
    let certificate: Certificate
    let policies: Set<String>
    let extendedValidation: Set<String>
    private let isSelfIssued: Bool

    init?(_ row: AppleTrustData.RegistryRoot) {
        guard let certificate = Certificate(base64: row.certificate) else { return nil }
        self.certificate = certificate
        self.policies = Set(row.policies.split(separator: " ").map(String.init))
        self.extendedValidation = Set(row.extendedValidation.split(separator: " ").map(String.init))
        self.isSelfIssued = row.isSelfIssued
    }

    /// `true` under the conditions of ``RootProgram/admits(_:for:)``, without a verification of the signature, which a test does.
    var isServerRoot: Bool {
        self.isSelfIssued
            && (self.policies.isEmpty || self.policies.contains(RootProgram.Use.tlsServer.rawValue))
    }
}

extension TransparencyLog {
    /// Creates a log from a row of the table, or `nil` if it cannot be read. The log is then unknown.
    fileprivate init?(_ row: AppleTrustData.RegistryLog) {
        guard let key = Base64Decoder.octets(row.key), let identifier = Base64Decoder.octets(row.identifier),
            let since = Timestamp(row.since)
        else { return nil }
        let state: State =
            switch row.state {
            case "retired": .retired(since: since)
            case "readonly": .readOnly(since: since)
            default: .usable
            }
        let log = try? TransparencyLog(
            subjectPublicKeyInfo: key, identifier: identifier, name: row.name, operatorName: row.operatorName,
            state: state, firstExpiry: Timestamp(row.first), endOfExpiry: Timestamp(row.end))
        guard let log else { return nil }
        self = log
        self.isStatic = row.isStatic
    }
}

extension Certificate {
    /// Creates a certificate from a table. `nil` if the text is empty or cannot be read.
    fileprivate init?(base64 text: String) {
        guard !text.isEmpty, let octets = Base64Decoder.octets(text) else { return nil }
        try? self.init(der: octets)
    }
}

extension Base64Decoder {
    fileprivate static func octets(_ text: String) -> [UInt8]? {
        var decoder = Base64Decoder(capacity: text.utf8.count * 3 / 4)
        let characters = Array(text.utf8)
        guard decoder.append(characters[...]), decoder.finish() else { return nil }
        return decoder.output
    }
}
