//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import NIOCore
import NIOSSL
import TLSWire

extension TLSConnection.Configuration {
    private static let contexts = TLSContexts<Self>()

    /// Returns the context for the offer. Connections share it, whatever their limits.
    ///
    /// - Throws: `NIOSSLError` or `BoringSSLError` if the offer is unusable.
    func context() throws -> NIOSSLContext {
        var offer = self
        (offer.timeout, offer.maximumCertificateCount, offer.maximumChainSize) = (.zero, 0, 0)
        return try Self.contexts.context(for: offer, TLSConfiguration.init(offering:))
    }
}

extension TLSConfiguration {
    /// Creates a client configuration that leaves trust to a verification callback.
    init(offering configuration: TLSConnection.Configuration) {
        self = .makeClientConfiguration()
        self.leaveTrustToCallback()
        self.minimumTLSVersion = TLSVersion(atLeast: configuration.minimumVersion)
        self.maximumTLSVersion = TLSVersion(atLeast: configuration.maximumVersion)
        if let suites = configuration.cipherSuites.map(CipherSuite.offerable) {
            // An empty list would end the process.
            if suites.isEmpty { self.minimumTLSVersion = .tlsv13 } else { self.cipherSuiteValues = suites }
        }
        self.applicationProtocols = configuration.applicationProtocols
        // The offer is broad, so that a report about a server with an unusual key is possible.
        self.curves = configuration.groups.map(NamedGroup.offerable) ?? [.x25519, .secp256r1, .secp384r1, .secp521r1]
        self.verifySignatureAlgorithms = Self.verifiable.filter { algorithm in
            configuration.signatureSchemes?.contains { $0.rawValue == algorithm.rawValue } ?? true
        }
        self.shutdownTimeout = .milliseconds(500)
    }

    private static let verifiable: [SignatureAlgorithm] = [
        .ecdsaSecp256R1Sha256, .rsaPssRsaeSha256, .rsaPkcs1Sha256, .ecdsaSecp384R1Sha384, .rsaPssRsaeSha384,
        .rsaPkcs1Sha384, .ecdsaSecp521R1Sha512, .rsaPssRsaeSha512, .rsaPkcs1Sha512, .ed25519, .rsaPkcs1Sha1, .ecdsaSha1,
    ]
}

extension TLSVersion {
    /// Creates the oldest version of NIOSSL's that is not older than `version`.
    init(atLeast version: TLSProtocolVersion) {
        switch version {
        case ...TLSProtocolVersion.tls10: self = .tlsv1
        case TLSProtocolVersion.tls11: self = .tlsv11
        case TLSProtocolVersion.tls12: self = .tlsv12
        default: self = .tlsv13
        }
    }
}
