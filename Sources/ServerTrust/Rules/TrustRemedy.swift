//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// What puts a broken rule right, under one circumstance: what helps a server's certificate does not help its issuer's.
public struct TrustRemedy: Sendable, Hashable {
    /// When the remedy holds.
    public let circumstance: Circumstance
    /// What to do, in a sentence or two.
    public let advice: String

    /// The circumstances that remedies depend on.
    public enum Circumstance: String, Sendable, Hashable, CaseIterable {
        /// The fault is the server's certificate's, or it does not matter whose it is.
        case leaf
        /// The fault is an intermediate's.
        case intermediate
        /// The fault is the root's.
        case root
        /// The server's certificate is signed with its own key.
        case selfSignedServer = "self-signed-server"
        /// The certificate says where its issuer can be fetched.
        case fetchableIssuer = "fetchable-issuer"
        /// The address stands in the certificate as a DNS name.
        case addressAsDNSName = "address-as-dns-name"
        /// No name of the certificate can match any host.
        case noUsableName = "no-usable-name"
        /// What was asked for is no name that a certificate can have.
        case impossibleName = "impossible-name"
        /// The certificate is of version 1 or 2, which has no extensions.
        case oldVersion = "old-version"
        /// A list or response is at hand and does not count.
        case unusableEvidence = "unusable-evidence"
        /// Timestamps are of logs that are not known here.
        case unknownLogs = "unknown-logs"
        /// Enough timestamps count, and too few operators run their logs.
        case fewOperators = "few-operators"

        /// The circumstance as the beginning of a sentence.
        public var title: String {
            switch self {
            case .leaf: "the server's certificate"
            case .intermediate: "an intermediate"
            case .root: "the root"
            case .selfSignedServer: "a server's certificate that is signed with its own key"
            case .fetchableIssuer: "the certificate says where its issuer is"
            case .addressAsDNSName: "the address stands in the certificate as a DNS name"
            case .noUsableName: "no name of the certificate can match a host"
            case .impossibleName: "the name that was asked for is no name of a host"
            case .oldVersion: "a certificate of version 1 or 2"
            case .unusableEvidence: "a list or response is at hand and does not count"
            case .unknownLogs: "timestamps of unknown logs"
            case .fewOperators: "enough timestamps, of logs of too few operators"
            }
        }
    }
}

extension TrustRule {
    /// The remedy under a circumstance; the first one, which is general, where the circumstance has none of its own.
    func remedy(_ circumstance: TrustRemedy.Circumstance) -> TrustRemedy? {
        self.remedies.first { $0.circumstance == circumstance } ?? self.remedies.first
    }

    /// What puts the rule right when it is broken, by circumstance; the first is general.
    public var remedies: [TrustRemedy] {
        let rows = Self.remedies[self.id] ?? Self.formRemedy
        return rows.map { TrustRemedy(circumstance: $0.0, advice: $0.1) }
    }

    typealias Advice = (TrustRemedy.Circumstance, String)

    private static let formRemedy: [Advice] = [
        (.leaf, "Have the certificate issued again by an authority that keeps this rule.")
    ]

    private static let remedies: [String: [Advice]] = [
        Self.validityRemedies, Self.chainRemedies, Self.algorithmRemedies, Self.nameRemedies, Self.extensionRemedies,
        Self.useRemedies, Self.pinRemedies, Self.statusRemedies,
    ]
    .reduce(into: [:]) { all, part in all.merge(part) { first, _ in first } }
}
