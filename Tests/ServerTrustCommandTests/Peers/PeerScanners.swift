//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import Foundation
import TLSWire
import TestSupport
import Testing

/// What another scanner says about a server, as far as it can be held against what this one says.
struct PeerOpinion: Sendable {
    /// Versions, and whether they are spoken.
    var versions: [TLSProtocolVersion: Bool] = [:]
    /// The suites that were agreed on, in the scanner's order.
    var suites: [TLSProtocolVersion: [CipherSuite]] = [:]
    /// The suites that were tried, where the scanner tells.
    var tried: [TLSProtocolVersion: Set<CipherSuite>] = [:]
    /// The groups that were agreed on.
    var groups: [TLSProtocolVersion: Set<NamedGroup>] = [:]
    /// The groups that were refused.
    var refusedGroups: [TLSProtocolVersion: Set<NamedGroup>] = [:]
    var extendedMasterSecret: Bool?
    var compression: Bool?
    var fallbackSCSV: Bool?
    var secureRenegotiation: Bool?
    /// The certificates at the beginnings of the chains, in base64 of DER.
    var leaves: Set<String>?
}

/// sslscan (Debian).
enum SSLScan {
    static func opinion(of port: Int) async throws -> PeerOpinion {
        let path = try #require(CommandLineTool.installed("sslscan"))
        let xml = try await CommandLineTool.run(path, ["--xml=-", "--no-colour", "localhost:\(port)"]).output
        var opinion = PeerOpinion()
        for tag in xml.matches(of: /<(protocol|cipher|group|renegotiation) ([^>]*)>/) {
            let attributes = Self.attributes(String(tag.2))
            switch tag.1 {
            case "protocol": try Self.addVersion(attributes, to: &opinion)
            case "cipher": try Self.addSuite(attributes, to: &opinion)
            case "group": try Self.addGroup(attributes, to: &opinion)
            // Of TLS 1.3, which has none, it says that there is no such list, and looks at no older version.
            default: if attributes["supported"] == "1" { opinion.secureRenegotiation = attributes["secure"] == "1" }
            }
        }
        return opinion
    }

    private static func attributes(_ text: String) -> [String: String] {
        var attributes: [String: String] = [:]
        for pair in text.matches(of: /([a-z]+)="([^"]*)"/) { attributes[String(pair.1)] = String(pair.2) }
        return attributes
    }

    private static func addVersion(_ attributes: [String: String], to opinion: inout PeerOpinion) throws {
        let name = try #require(attributes["type"]) + (try #require(attributes["version"]))
        let versions: [String: TLSProtocolVersion] = [
            "ssl3": .ssl30, "tls1.0": .tls10, "tls1.1": .tls11, "tls1.2": .tls12, "tls1.3": .tls13,
        ]
        if let version = versions[name] { opinion.versions[version] = attributes["enabled"] == "1" }
    }

    private static func addSuite(_ attributes: [String: String], to opinion: inout PeerOpinion) throws {
        let number = try #require(attributes["id"]).lowercased()
        let suite = try #require(CipherSuite(name: number))
        opinion.suites[try Self.version(attributes), default: []].append(suite)
    }

    private static func addGroup(_ attributes: [String: String], to opinion: inout PeerOpinion) throws {
        let number = try #require(attributes["id"])
        let group = try #require(NamedGroup(name: number))
        opinion.groups[try Self.version(attributes), default: []].insert(group)
    }

    private static func version(_ attributes: [String: String]) throws -> TLSProtocolVersion {
        let versions: [String: TLSProtocolVersion] = [
            "TLSv1.0": .tls10, "TLSv1.1": .tls11, "TLSv1.2": .tls12, "TLSv1.3": .tls13,
        ]
        return try #require(versions[attributes["sslversion"] ?? ""])
    }
}

/// sslyze (PyPI).
enum SSLyze {
    /// What it says about several servers, asked all at once.
    static func opinions(of ports: [Int]) async throws -> [Int: PeerOpinion] {
        let path = try #require(CommandLineTool.installed("sslyze"))
        return try await withTemporaryFolder { folder in
            let file = folder.path("sslyze.json")
            _ = try await CommandLineTool.run(path, ["--json_out=\(file)"] + ports.map { "localhost:\($0)" })
            let answer = try JSONDecoder().decode(Answer.self, from: Data(contentsOf: URL(fileURLWithPath: file)))
            return Dictionary(
                uniqueKeysWithValues: try answer.server_scan_results.map {
                    ($0.server_location.port, try $0.scan_result.opinion())
                })
        }
    }

    private struct Answer: Decodable {
        let server_scan_results: [Server]
    }

    private struct Server: Decodable {
        let server_location: Location
        let scan_result: Scan
    }

    private struct Location: Decodable {
        let port: Int
    }

    private struct Attempt<Result: Decodable>: Decodable {
        let result: Result?
    }

    private struct Suites: Decodable {
        struct Entry: Decodable {
            struct Suite: Decodable { let name: String }
            let cipher_suite: Suite
        }
        let is_tls_version_supported: Bool
        let accepted_cipher_suites: [Entry]
        let rejected_cipher_suites: [Entry]
    }

    private struct Curves: Decodable {
        struct Curve: Decodable { let name: String }
        let supported_curves: [Curve]?
        let rejected_curves: [Curve]?
    }

    private struct Certificates: Decodable {
        struct Deployment: Decodable {
            struct Certificate: Decodable { let as_pem: String }
            let received_certificate_chain: [Certificate]
        }
        let certificate_deployments: [Deployment]
    }

    private struct Flag: Decodable {
        let value: Bool?

        init(from decoder: any Decoder) throws {
            let values = try decoder.singleValueContainer().decode([String: FlagValue].self)
            self.value = values.first { $0.key.hasPrefix("supports_") }?.value.value
        }
    }

    private struct FlagValue: Decodable {
        let value: Bool?
        init(from decoder: any Decoder) throws { self.value = try? decoder.singleValueContainer().decode(Bool.self) }
    }

    private struct Scan: Decodable {
        let certificate_info: Attempt<Certificates>
        let ssl_3_0_cipher_suites: Attempt<Suites>
        let tls_1_0_cipher_suites: Attempt<Suites>
        let tls_1_1_cipher_suites: Attempt<Suites>
        let tls_1_2_cipher_suites: Attempt<Suites>
        let tls_1_3_cipher_suites: Attempt<Suites>
        let tls_compression: Attempt<Flag>
        let tls_fallback_scsv: Attempt<Flag>
        let session_renegotiation: Attempt<Flag>
        let tls_extended_master_secret: Attempt<Flag>
        let elliptic_curves: Attempt<Curves>

        func opinion() throws -> PeerOpinion {
            var opinion = PeerOpinion()
            let versions = [
                (TLSProtocolVersion.ssl30, self.ssl_3_0_cipher_suites), (.tls10, self.tls_1_0_cipher_suites),
                (.tls11, self.tls_1_1_cipher_suites), (.tls12, self.tls_1_2_cipher_suites),
                (.tls13, self.tls_1_3_cipher_suites),
            ]
            for (version, attempt) in versions {
                guard let result = attempt.result else { continue }
                opinion.versions[version] = result.is_tls_version_supported
                let accepted = result.accepted_cipher_suites.compactMap { CipherSuite(name: $0.cipher_suite.name) }
                let refused = result.rejected_cipher_suites.compactMap { CipherSuite(name: $0.cipher_suite.name) }
                opinion.suites[version] = accepted
                opinion.tried[version] = Set(accepted + refused)
            }
            // It asks with the newest version.
            let newest = opinion.versions[.tls13] == true ? TLSProtocolVersion.tls13 : .tls12
            let curves = self.elliptic_curves.result
            opinion.groups[newest] = Set((curves?.supported_curves ?? []).compactMap { NamedGroup(name: $0.name) })
            opinion.refusedGroups[newest] = Set(
                (curves?.rejected_curves ?? []).compactMap { NamedGroup(name: $0.name) })
            opinion.compression = self.tls_compression.result?.value
            opinion.fallbackSCSV = self.tls_fallback_scsv.result?.value
            opinion.secureRenegotiation = self.session_renegotiation.result?.value
            opinion.extendedMasterSecret = self.tls_extended_master_secret.result?.value
            opinion.leaves = self.certificate_info.result.map { info in
                Set(info.certificate_deployments.compactMap { $0.received_certificate_chain.first?.as_pem.base64 })
            }
            return opinion
        }
    }
}

extension String {
    /// The lines between the first and the last of PEM, as one.
    var base64: String { self.split(separator: "\n").filter { !$0.hasPrefix("-----") }.joined() }
}
