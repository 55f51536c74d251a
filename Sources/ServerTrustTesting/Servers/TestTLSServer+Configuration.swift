//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import NIOCore
public import NIOSSL
import ServerTrustNIO
public import TLSWire

extension TestTLSServer {
    /// The certificates of a server and what it speaks.
    public struct Configuration: Sendable {
        /// The certificates to send in DER, the server's own first.
        public var certificates: [[UInt8]]

        /// The private key of the first certificate.
        public var privateKey: TestPrivateKey

        /// The oldest version of TLS the server speaks.
        public var minimumTLSVersion = TLSVersion.tlsv1

        /// The newest version of TLS the server speaks, or `nil` for the newest there is.
        public var maximumTLSVersion: TLSVersion?

        /// The cipher suites of TLS 1.2 and older the server takes, of those BoringSSL has; `nil` for its own choice.
        public var cipherSuites: [CipherSuite]?

        /// The groups the server agrees on keys in, of those BoringSSL has; `nil` for its own choice.
        public var groups: [NamedGroup]?

        /// The application protocols the server takes, by ALPN.
        public var applicationProtocols = ["http/1.1"]

        /// Whether the server refuses clients without a certificate.
        public var requiresClientCertificate = false

        /// The text in the body of the response.
        public var response = "hello\n"

        /// Where it listens: an address of the loopback interface.
        package var address = "127.0.0.1"

        /// The port it listens on; 0 for one that the system chooses.
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

        /// Creates a configuration of certificates that were made here.
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
    /// The configuration for NIOSSL.
    ///
    /// - Returns: A server configuration.
    /// - Throws: `NIOSSLError` if BoringSSL does not take a certificate or the key.
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
            // BoringSSL does not sign with Ed25519 unless told to.
            tls.signingSignatureAlgorithms = [.ed25519]
        }
        return tls
    }
}
