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
    /// The data that are part of this package, read from its table when they are first asked for.
    public static let builtIn: AppleTrustData = {
        let roots = Self.registryRoots.compactMap(BuiltInRoot.init)
        let policies = Self.table(roots, \.policies)
        let fingerprints = Set(roots.map(\.certificate.sha256Fingerprint))
        return AppleTrustData(
            roots.map(\.certificate), serverRoots: roots.filter(\.isServerRoot).map(\.certificate),
            program: RootProgram(roots: fingerprints, policies: policies),
            extendedValidationPolicies: Self.table(roots, \.extendedValidation),
            logList: LogList(Self.registryLogs.compactMap(TransparencyLog.init), version: Self.registryRelease),
            date: Timestamp(Self.registryDate).map { Date($0) } ?? .distantPast,
            origin: .builtIn(release: Self.registryRelease))
    }()

    private static func table(
        _ roots: [BuiltInRoot], _ policies: (BuiltInRoot) -> Set<String>
    ) -> [[UInt8]: Set<String>] {
        roots.reduce(into: [:]) { table, root in
            let identifiers = policies(root)
            if !identifiers.isEmpty { table[root.certificate.sha256Fingerprint] = identifiers }
        }
    }
}

/// A root of the table. One that cannot be read is not trusted.
private struct BuiltInRoot {
    let certificate: Certificate
    let policies: Set<String>
    let extendedValidation: Set<String>
    private let isSelfIssued: Bool

    init?(_ row: AppleTrustData.RegistryRoot) {
        guard let octets = Base64Decoder.octets(row.certificate), let certificate = try? Certificate(der: octets) else {
            return nil
        }
        self.certificate = certificate
        self.policies = Set(row.policies.split(separator: " ").map(String.init))
        self.extendedValidation = Set(row.extendedValidation.split(separator: " ").map(String.init))
        self.isSelfIssued = row.isSelfIssued
    }

    /// What ``RootProgram/admits(_:for:)`` says, without verifying the signature each time: a test verifies it.
    var isServerRoot: Bool {
        self.isSelfIssued
            && (self.policies.isEmpty || self.policies.contains(RootProgram.Use.tlsServer.rawValue))
    }
}

extension TransparencyLog {
    /// A log of the table. One that cannot be read is not known.
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
        try? self.init(
            subjectPublicKeyInfo: key, identifier: identifier, name: row.name, operatorName: row.operatorName,
            state: state, firstExpiry: Timestamp(row.first), endOfExpiry: Timestamp(row.end))
    }
}

extension Base64Decoder {
    /// The octets of a text; `nil` for text that is not Base64.
    fileprivate static func octets(_ text: String) -> [UInt8]? {
        var decoder = Base64Decoder(capacity: text.utf8.count * 3 / 4)
        let characters = Array(text.utf8)
        guard decoder.append(characters[...]), decoder.finish() else { return nil }
        return decoder.output
    }
}
