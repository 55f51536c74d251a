//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

public import ConfigurationDocuments

/// What an Info.plist asks of a connection, which key at which line decided each part of it, and which keys did not count.
public struct ATSExplanation: Sendable {
    /// A part of what is asked.
    public enum Part: String, Sendable, Hashable, CaseIterable {
        /// Whether plain HTTP is allowed.
        case plainHTTP = "plain-http"
        /// The oldest version of TLS.
        case version = "tls-version"
        /// The cipher suites.
        case cipherSuites = "cipher-suites"
        /// What certificates must be like.
        case certificates
        /// Which keys the server must have.
        case pins
    }

    /// What was decided of a part, and by what.
    public struct Decision: Sendable, Hashable {
        /// The part.
        public let part: Part
        /// What holds, in a few words.
        public let value: String
        /// The keys that lead to the one that decided, from `NSAppTransportSecurity`; empty when none did.
        public let path: [String]
        /// Where it is.
        public let position: TextPosition?
        /// Why, in one sentence.
        public let reason: String
    }

    /// A key that did not count.
    public struct IgnoredKey: Sendable, Hashable {
        /// The keys that lead to it, from `NSAppTransportSecurity`.
        public let path: [String]
        /// Where it is.
        public let position: TextPosition?
        /// Why not, in one sentence.
        public let reason: String

        init(_ path: [String], at position: TextPosition?, reason: String) {
            self.path = path
            self.position = position
            self.reason = reason
        }
    }

    /// What is asked.
    public let requirements: ATSRequirements
    /// What was decided of each part, in their order.
    public let decisions: [Decision]
    /// The keys that did not count, in the order of the file.
    public let ignoredKeys: [IgnoredKey]
}

extension ATSPolicy {
    /// What is asked of a connection, and why.
    ///
    /// - Parameters:
    ///   - destination: Where it goes.
    ///   - client: Who in the app makes it.
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
