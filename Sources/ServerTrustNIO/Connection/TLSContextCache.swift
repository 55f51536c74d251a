//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import NIOCore
import NIOSSL
import Synchronization
import TLSWire

/// The TLS contexts in use, one for each kind of offer.
final class TLSContextCache: Sendable {
    static let shared = TLSContextCache()

    /// More kinds of offers than anyone makes on purpose; beyond it, contexts are made anew.
    private static let capacity = 16

    /// What a context depends on.
    private struct Offer: Hashable {
        let minimumVersion: TLSProtocolVersion
        let maximumVersion: TLSProtocolVersion
        let cipherSuites: [CipherSuite]?
        let groups: [NamedGroup]?
        let signatureSchemes: [SignatureScheme]?
        let applicationProtocols: [String]
    }

    private let contexts = Mutex<[Offer: NIOSSLContext]>([:])

    /// The context for the offer in a configuration.
    ///
    /// - Parameter configuration: The configuration.
    /// - Returns: A context that is shared between connections.
    /// - Throws: `NIOSSLError` or `BoringSSLError` if the offer is unusable, for example with an empty ALPN name.
    func context(for configuration: TLSConnection.Configuration) throws -> NIOSSLContext {
        let offer = Offer(
            minimumVersion: configuration.minimumVersion,
            maximumVersion: configuration.maximumVersion,
            cipherSuites: configuration.cipherSuites,
            groups: configuration.groups,
            signatureSchemes: configuration.signatureSchemes,
            applicationProtocols: configuration.applicationProtocols
        )
        return try self.contexts.withLock { contexts in
            if let context = contexts[offer] {
                return context
            }
            let context = try NIOSSLContext(configuration: TLSConfiguration(offering: configuration))
            if contexts.count < Self.capacity {
                contexts[offer] = context
            }
            return context
        }
    }
}

extension TLSConfiguration {
    /// A client configuration that leaves trust to a custom verification callback.
    init(offering configuration: TLSConnection.Configuration) {
        self = .makeClientConfiguration()
        // The callback is never called with `.none`, and with `.fullVerification` NIOSSL adds a judgment of its own.
        self.certificateVerification = .noHostnameVerification
        // No roots, since the callback decides; reading the system's would take a hundred times as long.
        self.trustRoots = .certificates([])
        self.minimumTLSVersion = TLSVersion(atLeast: configuration.minimumVersion)
        self.maximumTLSVersion = TLSVersion(atLeast: configuration.maximumVersion)
        if let suites = configuration.cipherSuites.map(CipherSuite.offerable) {
            // An empty list would end the process.
            if suites.isEmpty { self.minimumTLSVersion = .tlsv13 } else { self.cipherSuiteValues = suites }
        }
        self.applicationProtocols = configuration.applicationProtocols
        // Broad on purpose: a server with an unusual key is to be reported on, not to be failed.
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
    /// The oldest version of NIOSSL's that is not older than `version`.
    init(atLeast version: TLSProtocolVersion) {
        switch version {
        case ...TLSProtocolVersion.tls10: self = .tlsv1
        case TLSProtocolVersion.tls11: self = .tlsv11
        case TLSProtocolVersion.tls12: self = .tlsv12
        default: self = .tlsv13
        }
    }
}
