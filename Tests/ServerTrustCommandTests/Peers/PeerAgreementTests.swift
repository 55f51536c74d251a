//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import Foundation
import ServerDiagnosis
import ServerTrustNIO
import TLSProbe
import TLSWire
import TestSupport
import Testing

/// Two scanners that others trust, and three kinds of servers that others run: all that can be compared agrees, and every
/// difference has a name.
@Suite(
    .serialized, .limitedConcurrency, .timeLimit(.minutes(10)),
    .enabled(
        if: ["sslscan", "sslyze", "nginx", "apache2", "openssl"].allSatisfy { CommandLineTool.installed($0) != nil },
        "needs sslscan, nginx, apache2 and openssl (apt), and sslyze (pip) in PATH"))
struct PeerAgreementTests {
    @Test(arguments: PeerSoftware.allCases)
    func `What is found out agrees with sslscan and with sslyze`(_ software: PeerSoftware) async throws {
        try await software.withServers { servers in
            let opinions = try await SSLyze.opinions(of: servers.map(\.port))
            for server in servers {
                let endpoint = try TLSEndpoint(host: "localhost", port: server.port, connectAddress: "127.0.0.1")
                let facts = await Prober().facts(about: endpoint, plan: .standard)
                let name = "\(software.rawValue), \(server)"
                #expect(facts.failure == nil, "\(name)")
                #expect(facts.effort.retries == 0, "\(name)")
                let scan = try await SSLScan.opinion(of: server.port)
                #expect(Comparison(facts, scan, server).differences == [], "\(name): sslscan")
                let sslyze = try #require(opinions[server.port])
                #expect(Comparison(facts, sslyze, server).differences == [], "\(name): sslyze")
                // Only where the server's order decides does the order of two scanners have to be the same.
                if facts.cipherSuites(of: .tls12)?.order == .server {
                    #expect(facts.cipherSuites(of: .tls12)?.suites == scan.suites[.tls12], "\(name): order")
                }
            }
        }
    }

    @Test(arguments: PeerSoftware.allCases)
    func `Whose order of suites decides is what the server was told`(_ software: PeerSoftware) async throws {
        try await software.withServers { servers in
            for server in servers {
                let endpoint = try TLSEndpoint(host: "localhost", port: server.port, connectAddress: "127.0.0.1")
                let facts = await Prober().facts(about: endpoint, plan: .standard)
                let expected: CipherSuiteFacts.Order = server.age == .modern ? .client : .server
                #expect(facts.cipherSuites(of: .tls12)?.order == expected, "\(software.rawValue), \(server)")
                let protocols = facts.features.applicationProtocols
                let offersHTTP2 = software == .openssl || server.age == .modern
                #expect(
                    protocols == (offersHTTP2 ? ["h2", "http/1.1"] : ["http/1.1"]), "\(software.rawValue), \(server)")
            }
        }
    }
}

/// What two scanners say about one server.
private struct Comparison {
    let facts: ServerFacts
    let peer: PeerOpinion
    let server: PeerServer

    init(_ facts: ServerFacts, _ peer: PeerOpinion, _ server: PeerServer) {
        self.facts = facts
        self.peer = peer
        self.server = server
    }

    /// What they do not agree on, and what explains it not.
    var differences: [String] { self.versions + self.suites + self.groups + self.features + self.certificates }

    private var versions: [String] {
        self.peer.versions.compactMap { version, isSpoken in
            switch self.facts.support(of: version) {
            case .supported where isSpoken, .refused where !isSpoken: nil
            default: "\(version): \(isSpoken) there, \(String(describing: self.facts.support(of: version))) here"
            }
        }
    }

    private var suites: [String] {
        self.peer.suites.flatMap { version, theirs -> [String] in
            let ours = self.facts.cipherSuites(of: version)?.suites ?? []
            let missing = Set(theirs).subtracting(ours).map { "\(version): \($0) is not found here" }
            // What a scanner never tried it cannot have found.
            let tried = self.peer.tried[version]
            let more = Set(ours).subtracting(theirs).filter { tried?.contains($0) ?? true }
            return missing + more.map { "\(version): \($0) is found here only" }
        }
    }

    private var groups: [String] {
        self.peer.groups.flatMap { version, theirs -> [String] in
            guard let known = self.facts.groups.first(where: { $0.version == version }) else { return [] }
            let missing = theirs.subtracting(known.groups).map { "\(version): \($0) is not found here" }
            // They offer one curve at a time. Before TLS 1.3 a certificate on another curve then cannot be used, and the
            // server refuses a curve that it has.
            guard self.server.keys != .ecdsa || version >= .tls13 else { return missing }
            let refused = self.peer.refusedGroups[version]
            let more = Set(known.groups).subtracting(theirs).filter { refused?.contains($0) ?? true }
            return missing + more.map { "\(version): \($0) is found here only" }
        }
    }

    private var features: [String] {
        let features = self.facts.features
        let pairs: [(String, Bool?, Bool?)] = [
            ("extended master secret", self.peer.extendedMasterSecret, features.extendedMasterSecret),
            ("compression", self.peer.compression, features.compression),
            ("fallback SCSV", self.peer.fallbackSCSV, features.fallbackSCSV),
            ("secure renegotiation", self.peer.secureRenegotiation, features.secureRenegotiation),
        ]
        return pairs.compactMap { name, theirs, ours in
            guard let theirs, ours != theirs else { return nil }
            return "\(name): \(theirs) there, \(ours.map { "\($0)" } ?? "unknown") here"
        }
    }

    private var certificates: [String] {
        guard let theirs = self.peer.leaves else { return [] }
        let ours = Set(self.facts.chains.compactMap { $0.certificates.first.map { Data($0).base64EncodedString() } })
        return theirs == ours ? [] : ["\(theirs.count) chains there, \(ours.count) here, or others"]
    }
}
