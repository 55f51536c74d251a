//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

public import ConfigurationDocuments

/// The requirements for a connection, the key and line that decided each of them, and the keys without effect.
///
/// ``ATSPolicy/explanation(for:client:)`` creates it.
public struct ATSExplanation: Sendable {
    /// A part of the requirements.
    public enum Part: String, Sendable, Hashable, CaseIterable {
        /// The permission of plain HTTP.
        case plainHTTP = "plain-http"
        /// The oldest version of TLS.
        case version = "tls-version"
        /// The cipher suites.
        case cipherSuites = "cipher-suites"
        /// The requirements for certificates.
        case certificates
        /// The pinned keys.
        case pins
    }

    /// The decision on a part, and the key that led to it.
    public struct Decision: Sendable, Hashable {
        /// The part of the requirements.
        public let part: Part
        /// The requirement in a few words.
        public let value: String
        /// The path of keys from `NSAppTransportSecurity` to the deciding one. It is empty if no key decided.
        public let path: [String]
        /// The place of the deciding key.
        public let position: TextPosition?
        /// The reason in one sentence.
        public let reason: String
    }

    /// A key without effect.
    public struct IgnoredKey: Sendable, Hashable {
        /// The path of keys from `NSAppTransportSecurity` to this one.
        public let path: [String]
        /// The place of the key.
        public let position: TextPosition?
        /// The reason that the key has no effect, in one sentence.
        public let reason: String

        init(_ path: [String], at position: TextPosition?, reason: String) {
            self.path = path
            self.position = position
            self.reason = reason
        }
    }

    /// The requirements for the connection.
    public let requirements: ATSRequirements
    /// The decisions on each part, in the order of the parts.
    public let decisions: [Decision]
    /// The keys without effect, in the order of the file.
    public let ignoredKeys: [IgnoredKey]
}

extension ATSPolicy {
    /// Explains the requirements for a connection.
    ///
    /// - Parameters:
    ///   - destination: The destination of the load.
    ///   - client: The part of the app that loads.
    public func explanation(for destination: ATSDestination, client: ATSClient = .app) -> ATSExplanation {
        let decision = self.decision(for: destination, client)
        let requirements = self.requirements(decision, for: destination, client: client)
        let cause = ExplanationCause(self, decision, client: client)
        let ignored = IgnoredKeys(self, decision, destination: destination, client: client).keys
        return ATSExplanation(
            requirements: requirements,
            decisions: ATSExplanation.Part.allCases.map { cause.decision(on: $0, requirements) },
            ignoredKeys: ignored.sorted { Self.line(of: $0) < Self.line(of: $1) })
    }

    private static func line(of key: ATSExplanation.IgnoredKey) -> Int { key.position?.line ?? .max }
}
