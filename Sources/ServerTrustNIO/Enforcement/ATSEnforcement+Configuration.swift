//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

public import AppTransportSecurity
public import NIOSSL
public import ServerTrust

extension ATSEnforcement {
    /// Who connects, what else judges, and how much of a server's time and bytes to put up with.
    public struct Configuration: Sendable {
        /// Who in the program loads something.
        public var client = ATSClient.app

        /// What does not follow from the requirements: application protocols (ALPN), curves, a certificate of the client,
        /// a log of keys. Versions, cipher suites, signature algorithms, roots and verification are replaced, but for a
        /// minimum version that is newer than the one required.
        public var tls = TLSConfiguration.makeClientConfiguration()

        /// Judges beside App Transport Security, as an app's delegate does: a `ServerTrustManager`, which has rules for many
        /// hosts and ports, a `SecurityPolicy`, or one of your own.
        ///
        /// What it refuses is refused. What it trusts in spite of what App Transport Security has against the chain is
        /// let through only where that leaves it to the app (`ATSRequirements.isEnforced` is off); pins, versions and cipher
        /// suites never are. It is called on the event loop, once for each connection, and must not block.
        public var evaluator: (any ServerTrustEvaluating)?

        /// Remembers signatures from one connection to the next, of servers too; `nil` verifies every signature every time.
        /// What is remembered was verified, byte for byte, and everything else about a chain is judged each time.
        public var signatureCache: SignatureCache? = SignatureCache(remembersLeaves: true)

        /// Public suffixes, which wildcards must not cover.
        public var publicSuffixes = PublicSuffixFile.system()

        /// Whether and how revocation is checked, with the lists and responses there are. By default what is put here counts.
        public var revocation = RevocationPolicy.atHand

        /// The time for a handshake, from when there is a connection.
        public var handshakeTimeout: Duration = .seconds(20)

        /// The number of certificates accepted from a server. BoringSSL takes no more than 100 KiB of them.
        public var maximumCertificateCount = 100

        /// Creates a configuration with the defaults.
        public init() {}
    }
}
