//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import NIOCore
public import NIOSSL
import ServerTrustNIO
public import TLSWire

extension TestTLSServer {
    /// The certificates and the TLS settings of a server.
    ///
    /// Create one from a certificate of a ``TestAuthority`` and start the server with `withTestServer`.
    public struct Configuration: Sendable {
        /// The certificates to send in DER, the server's own first.
        public var certificates: [[UInt8]]

        /// The private key of the first certificate.
        public var privateKey: TestPrivateKey

        /// The oldest version of TLS that the server supports.
        public var minimumTLSVersion = TLSVersion.tlsv1

        /// The newest version of TLS that the server supports, or `nil` for the newest available.
        public var maximumTLSVersion: TLSVersion?

        /// The cipher suites for TLS 1.2 and older, restricted to those of BoringSSL, or `nil` for the default.
        public var cipherSuites: [CipherSuite]?

        /// The key exchange groups, restricted to those of BoringSSL, or `nil` for the default.
        public var groups: [NamedGroup]?

        /// The application protocols that the server accepts by ALPN.
        public var applicationProtocols = ["http/1.1"]

        /// `true` if the server refuses clients without a certificate.
        public var requiresClientCertificate = false

        /// The text in the body of the response.
        public var response = "hello\n"

        /// The listening address, on the loopback interface.
        package var address = "127.0.0.1"

        /// The listening port, or 0 to let the system choose one.
        package var port = 0

        /// Creates a configuration.
        ///
        /// - Parameters:
        ///   - certificates: The certificates to send in DER, the server's own first.
        ///   - privateKey: The private key of the first certificate.
        public init(certificates: [[UInt8]], privateKey: TestPrivateKey) {
            self.certificates = certificates
            self.privateKey = privateKey
        }

        /// Creates a configuration from certificates of a ``TestAuthority``.
        ///
        /// - Parameters:
        ///   - leaf: The server's certificate.
        ///   - others: The certificates to send after it, usually the intermediates up to the root, without the root.
        public init(_ leaf: TestCertificate, sending others: [TestCertificate] = []) {
            self.init(certificates: ([leaf] + others).map(\.der), privateKey: leaf.privateKey)
        }
    }
}

extension TestTLSServer.Configuration {
    /// Returns the configuration for NIOSSL.
    ///
    /// - Returns: A server configuration.
    /// - Throws: `NIOSSLError` if BoringSSL refuses a certificate or the key.
    func makeTLSConfiguration() throws -> TLSConfiguration {
        let pem = try self.privateKey.pem
        let certificates = try self.certificates.map { try NIOSSLCertificate(bytes: $0, format: .der) }
        var tls = TLSConfiguration.makeServerConfiguration(
            certificateChain: certificates.map { .certificate($0) },
            privateKey: .privateKey(try NIOSSLPrivateKey(bytes: Array(pem.utf8), format: .pem))
        )
        tls.minimumTLSVersion = self.minimumTLSVersion
        tls.maximumTLSVersion = self.maximumTLSVersion
        if let suites = self.cipherSuites.map(CipherSuite.offerable), !suites.isEmpty { tls.cipherSuiteValues = suites }
        if let groups = self.groups.map(NamedGroup.offerable), !groups.isEmpty { tls.curves = groups }
        tls.applicationProtocols = self.applicationProtocols
        tls.trustRoots = .certificates([])
        tls.shutdownTimeout = .milliseconds(500)
        if self.requiresClientCertificate {
            tls.certificateVerification = .noHostnameVerification
        }
        if self.privateKey.kind == .ed25519 {
            // BoringSSL signs with Ed25519 only if the configuration lists it.
            tls.signingSignatureAlgorithms = [.ed25519]
        }
        return tls
    }
}
