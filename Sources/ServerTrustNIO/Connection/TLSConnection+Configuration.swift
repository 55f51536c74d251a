//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import NIOCore
public import TLSWire

extension TLSConnection {
    /// What to offer a server, and how much of its time and bytes to put up with.
    public struct Configuration: Hashable, Sendable {
        /// The time for resolving the name, connecting and the handshake together.
        ///
        /// The default is 10 seconds.
        public var timeout: Duration = .seconds(10)

        /// The oldest version of TLS offered.
        ///
        /// The default is TLS 1.0, so that old servers can be reported on instead of only failing. No data of the
        /// caller ever travels over these connections. A session that sends requests must ask for TLS 1.2.
        public var minimumVersion: TLSProtocolVersion = .tls10

        /// The newest version of TLS offered.
        public var maximumVersion: TLSProtocolVersion = .tls13

        /// The cipher suites offered for TLS 1.2 and older, of those BoringSSL has; `nil` for its own choice.
        ///
        /// With none left, only TLS 1.3 is offered.
        public var cipherSuites: [CipherSuite]?

        /// The groups offered, of those BoringSSL has; `nil` for every curve that a server may reasonably have.
        public var groups: [NamedGroup]?

        /// How the server may sign the handshake, of what BoringSSL can verify; `nil` for all of it.
        public var signatureSchemes: [SignatureScheme]?

        /// The application protocols offered by ALPN, the preferred one first.
        public var applicationProtocols: [String] = ["h2", "http/1.1"]

        /// The number of certificates accepted from a server.
        public var maximumCertificateCount = 100

        /// The bytes of certificates accepted from a server, all together.
        ///
        /// The default is 1 MiB. BoringSSL takes no more than 100 KiB, whatever is set here.
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
