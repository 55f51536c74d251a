//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import NIOCore
public import TLSWire

extension TLSConnection {
    /// The offer to a server, and the limits on its time and certificates.
    public struct Configuration: Hashable, Sendable {
        /// The time for resolving the name, connecting and the handshake together.
        ///
        /// The default is 10 seconds.
        public var timeout: Duration = .seconds(10)

        /// The oldest version of TLS to offer.
        ///
        /// The default is TLS 1.0, so that a report about an old server is possible. These connections never carry data of the
        /// caller. A session that sends requests must ask for TLS 1.2.
        public var minimumVersion: TLSProtocolVersion = .tls10

        /// The newest version of TLS to offer.
        public var maximumVersion: TLSProtocolVersion = .tls13

        /// The cipher suites to offer for TLS 1.2 and older, as far as BoringSSL implements them, or `nil` for BoringSSL's own
        /// choice.
        ///
        /// If none is left, only TLS 1.3 is offered.
        public var cipherSuites: [CipherSuite]?

        /// The groups to offer, as far as BoringSSL implements them, or `nil` for every curve that a server may reasonably use.
        public var groups: [NamedGroup]?

        /// The signature schemes to offer, as far as BoringSSL can verify them, or `nil` for all of these.
        public var signatureSchemes: [SignatureScheme]?

        /// The application protocols to offer by ALPN, the preferred one first.
        public var applicationProtocols: [String] = ["h2", "http/1.1"]

        /// The maximum number of certificates from a server.
        public var maximumCertificateCount = 100

        /// The maximum number of bytes in all certificates of a server together.
        ///
        /// The default is 1 MiB. BoringSSL accepts at most 100 KiB, whatever the value.
        public var maximumChainSize = 1 << 20

        /// Creates a configuration with the defaults.
        public init() {}
    }
}

extension TLSConnection.Configuration {
    /// The timeout for NIO, at least a millisecond and at most a day.
    var timeAmount: TimeAmount {
        let bounded = min(max(self.timeout, .milliseconds(1)), .seconds(86_400))
        return TimeAmount(bounded)
    }
}
