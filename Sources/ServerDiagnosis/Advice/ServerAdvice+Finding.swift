//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import AppTransportSecurity
import ServerTrust
import TLSProbe
import TLSWire

extension ServerDiagnosis {
    /// The server's settings to change, in the order of their effect.
    public var advice: [ServerAdvice] { ServerAdvice.advice(for: self) }
}

extension ServerAdvice {
    /// Returns the changes that turn failed verdicts into passed ones.
    static func advice(for diagnosis: ServerDiagnosis) -> [ServerAdvice] {
        let failed = diagnosis.verdicts.filter { $0.outcome == .failed }
        let found = failed.map { ($0.subject, Self.causes(of: $0.verdict, diagnosis)) }
        let rows = diagnosis.rows.filter { $0.outcome == .failed }
            .map { ($0.test.number, Self.causes(of: $0.verdict, diagnosis)) }
        let context = AdviceContext(diagnosis, for: found.flatMap(\.1))
        let all = Kind.allCases.compactMap { kind -> ServerAdvice? in
            guard let reason = found.flatMap(\.1).first(where: { $0.kind == kind })?.reason else { return nil }
            return ServerAdvice(
                kind, reason: reason,
                subjects: found.filter { $0.1.contains { $0.kind == kind } }.map(\.0),
                rows: rows.filter { $0.1.contains { $0.kind == kind } }.map(\.0), context: context)
        }
        return Self.withOneCertificate(all)
    }

    /// Merges all advice on the certificate, because one new certificate remedies all its faults.
    private static func withOneCertificate(_ advice: [ServerAdvice]) -> [ServerAdvice] {
        let parts = advice.filter(\.kind.isOfNewCertificate)
        guard let first = parts.first else { return advice }
        let merged = parts.dropFirst().reduce(first) { $0.merging($1) }
        return advice.compactMap { item in
            item.kind == first.kind ? merged : item.kind.isOfNewCertificate ? nil : item
        }
    }

    private static func causes(of verdict: ATSVerdict, _ diagnosis: ServerDiagnosis) -> [AdviceCause] {
        AdviceCause.causes(
            of: verdict, diagnosis.facts, known: diagnosis.transportSecurity, trust: diagnosis.trust)
    }
}

extension AdviceContext {
    init(_ diagnosis: ServerDiagnosis, for causes: [AdviceCause]) {
        let destination = ATSDestination(host: diagnosis.host)
        let isPlain = destination.address != nil ? destination.host.utf8.allSatisfy(Self.isOfAddress) : false
        self.isAddress = isPlain
        self.host = isPlain || Self.isName(destination.host) ? destination.host : "www.example.com"
        let leaves = diagnosis.facts.chains.compactMap { chain in
            chain.certificates.first.flatMap { try? Certificate(der: $0) }
        }
        self.names = leaves.first.map(Self.names) ?? []
        self.suites = Self.suites(forKeysOf: leaves)
        self.present = Self.present(in: diagnosis.facts)
        self.needsRSAKey = (leaves.first(where: Self.isSmall) ?? leaves.first)?.publicKey.kind == .rsa
        let port = diagnosis.facts.address?.split(separator: ":").last.flatMap { UInt16($0) }
        self.port = Int(port ?? 443)
        self.sentName = diagnosis.facts.serverName != nil
        self.needsNewKey = causes.contains(where: \.needsNewKey)
        self.certificateRemedies = causes.filter { $0.kind == .certificate }.compactMap(\.remedy).withoutRepetitions
        self.needsOtherIssuer = causes.contains(where: \.needsOtherIssuer)
        self.authorityRemedies =
            causes.filter { $0.kind == .authorityCertificate }.compactMap(\.remedy).withoutRepetitions
    }

    /// 20, because a longer list of names is better managed by a program.
    private static let maximumNames = 20

    /// Returns the host names and addresses of a certificate that a new one must have as well.
    private static func names(of leaf: Certificate) -> [String] {
        let domains = leaf.dnsNames.filter { name in
            Self.isName(name) && !name.hasSuffix(".") && ATSDestination(host: name).address == nil
        }
        let addresses = leaf.ipAddresses.map { "IP:\($0)" }
        return Array((domains.map { "DNS:\($0)" } + addresses).prefix(Self.maximumNames))
    }

    /// Returns the ECDHE suites with AES-GCM that suit the server's keys. FCP_v2.1 allows all of them.
    private static func suites(forKeysOf leaves: [Certificate]) -> [CipherSuite] {
        let hasRSA = leaves.isEmpty || leaves.contains { $0.publicKey.kind == .rsa }
        let hasCurve = leaves.isEmpty || leaves.contains { $0.publicKey.kind != .rsa }
        let numbers: [UInt16] = (hasCurve ? [0xC02B, 0xC02C] : []) + (hasRSA ? [0xC02F, 0xC030] : [])
        return numbers.map(CipherSuite.init)
    }

    private static func present(in facts: ServerFacts) -> [CipherSuite]? {
        let versions = facts.cipherSuites.filter { $0.version < .tls13 }
        guard !versions.isEmpty, versions.allSatisfy(\.isComplete) else { return nil }
        let hasSmallPrime = facts.groups.flatMap(\.primeSizes).contains { $0 < 2_048 }
        var seen = Set<CipherSuite>()
        return versions.flatMap(\.suites).filter { suite in
            guard suite.isWorthKeeping, seen.insert(suite).inserted else { return false }
            return !hasSmallPrime || suite.keyExchange != .dhe
        }
    }

    /// Returns `true` if App Transport Security refuses the key for its size.
    private static func isSmall(_ leaf: Certificate) -> Bool {
        leaf.publicKey.sizeInBits < (leaf.publicKey.kind == .rsa ? 2_048 : 256)
    }

    /// Returns `true` for a name that is safe in commands and configurations, whatever its source. It may have letters, digits,
    /// dots and hyphens, and a wildcard in front.
    private static func isName(_ name: String) -> Bool {
        let rest = name.hasPrefix("*.") ? name.dropFirst(2) : name[...]
        return (1...253).contains(rest.utf8.count) && rest.utf8.first != UInt8(ascii: "-")
            && rest.utf8.allSatisfy { octet in
                octet == UInt8(ascii: ".") || octet == UInt8(ascii: "-")
                    || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(octet)
                    || (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(octet | 0x20)
            }
    }

    private static func isOfAddress(_ octet: UInt8) -> Bool {
        octet == UInt8(ascii: ".") || octet == UInt8(ascii: ":")
            || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(octet)
            || (UInt8(ascii: "a")...UInt8(ascii: "f")).contains(octet | 0x20)
    }
}

extension CipherSuite {
    /// `true` for a suite to keep after the new ones: it authenticates the server and encrypts securely enough. Suites that no
    /// current client has, such as those with GOST and SM4, are left out.
    fileprivate var isWorthKeeping: Bool {
        guard self.authentication == .rsa || self.authentication == .ecdsa else { return false }
        return switch self.protection {
        case .aesGCM, .aesCCM, .aesCBC, .chaCha20Poly1305, .ariaGCM, .ariaCBC, .camelliaGCM, .camelliaCBC, .seedCBC:
            true
        default: false
        }
    }
}

extension [String] {
    fileprivate var withoutRepetitions: [String] {
        var seen: Set<String> = []
        return self.filter { seen.insert($0).inserted }
    }
}
