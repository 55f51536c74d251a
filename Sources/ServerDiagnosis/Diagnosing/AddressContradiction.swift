//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import AppTransportSecurity
import ServerTrust
import TLSProbe
import TLSWire

/// A difference between the addresses of one name, which makes the result of a client's connection depend on chance.
///
/// ``DiagnosedServer/addressContradictions`` lists them. Show ``message`` and ``remedy`` to people, and use ``code`` in programs.
public struct AddressContradiction: Sendable, Hashable {
    /// The kinds of difference.
    public enum Kind: String, Sendable, Hashable, CaseIterable {
        /// The addresses have different verdicts on one of the questions.
        case verdict
        /// The addresses present different certificates.
        case certificate
        /// The addresses speak different versions of TLS.
        case versions
        /// Only some of the addresses accept a connection.
        case connection
    }

    /// One of the differing answers, with the addresses that gave it.
    public struct Answer: Sendable, Hashable {
        /// The answer in a few words. For certificates it is the SHA-256 fingerprints in hexadecimal.
        public let value: String
        /// The addresses with their ports.
        public let addresses: [String]
    }

    /// The kind of difference.
    public let kind: Kind
    /// The subject of the difference, in a few words.
    public let subject: String
    /// The answers, beginning with the one of the first address.
    public let answers: [Answer]

    /// A short, stable name for programs.
    public var code: String { self.kind.code }

    /// The difference with the addresses, in one sentence.
    public var message: String {
        let answers = self.answers.map { "\($0.value) at \($0.addresses.joined(separator: ", "))" }
        return "The addresses of the name differ in \(self.subject): \(answers.joined(separator: "; "))."
    }

    /// The remedy, in one sentence.
    public var remedy: String { self.kind.remedy }
}

extension AddressContradiction.Kind {
    package var code: String { "addresses-differ-in-\(self.rawValue)" }

    package var remedy: String {
        switch self {
        case .verdict, .versions: "Give all machines the same settings, or take those that differ out of DNS."
        case .certificate: "Check that each machine is meant to have its certificate, and renew all of them."
        case .connection:
            "Start the server there, or take the address out of DNS. Clients lose time before they go on to another."
        }
    }
}

extension AddressContradiction {
    /// Returns the differences between servers that are the addresses of one name.
    static func contradictions(of servers: [DiagnosedServer]) -> [AddressContradiction] {
        let reached = servers.filter(\.facts.wasReached)
        let subjects = reached.first?.diagnosis.verdicts.map(\.subject) ?? []
        let verdicts = subjects.map { subject in
            Self.differing(.verdict, subject.title, reached) { $0.diagnosis[subject]?.outcome.word }
        }
        let others = [
            Self.differing(.certificate, "their certificate", reached, by: \.facts.leafFingerprints),
            Self.differing(.versions, "their versions of TLS", reached, by: \.facts.versionList),
            Self.differing(.connection, "whether there is a connection", servers) { server in
                server.facts.wasReached ? Self.connected : server.facts.failure?.message.withoutPeriod
            },
        ]
        return (verdicts + others).compactMap(\.self)
    }

    private static func differing(
        _ kind: Kind, _ subject: String, _ servers: [DiagnosedServer], by value: (DiagnosedServer) -> String?
    ) -> AddressContradiction? {
        let answers = servers.compactMap { server in
            server.address.flatMap { address in value(server).map { (address: address, value: $0) } }
        }
        return AddressContradiction(kind, in: subject, answers)
    }

    /// Creates the difference between the answers of addresses. Returns `nil` if they agree.
    ///
    /// - Parameters:
    ///   - kind: The kind of difference.
    ///   - subject: The subject of the difference, in a few words.
    ///   - answers: The addresses, each with its answer.
    package init?(_ kind: Kind, in subject: String, _ answers: [(address: String, value: String)]) {
        var groups: [(value: String, addresses: [String])] = []
        for (address, value) in answers {
            if let index = groups.firstIndex(where: { $0.value == value }) {
                groups[index].addresses.append(address)
            } else {
                groups.append((value, [address]))
            }
        }
        guard groups.count > 1, kind != .connection || groups.contains(where: { $0.value == Self.connected }) else {
            return nil
        }
        self.kind = kind
        self.subject = subject
        self.answers = groups.map { Answer(value: $0.value, addresses: $0.addresses) }
    }

    package static let connected = "a connection"
}

extension ServerFacts {
    /// The fingerprints of the presented leaves, or `nil` if there are none.
    fileprivate var leafFingerprints: String? {
        let leaves = Set(self.chains.compactMap(\.certificates.first)).map { leaf in
            (try? Certificate(der: leaf)).map { Self.hexadecimal($0.sha256Fingerprint) } ?? "unreadable"
        }
        return leaves.isEmpty ? nil : leaves.sorted().joined(separator: " and ")
    }

    private static func hexadecimal(_ bytes: [UInt8]) -> String {
        bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
    }

    fileprivate var versionList: String? {
        self.speaksTLS ? self.supportedVersions.map(\.description).joined(separator: ", ") : nil
    }
}

extension ATSOutcome {
    fileprivate var word: String {
        switch self {
        case .passed: "PASS"
        case .failed: "FAIL"
        case .unknown: "UNKNOWN"
        }
    }
}

extension String {
    fileprivate var withoutPeriod: String { self.hasSuffix(".") ? String(self.dropLast()) : self }
}
