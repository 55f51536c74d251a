//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import Crypto
import NIOCore
import NIOSSL
import ServerTrust
import SwiftASN1
import Synchronization
import X509

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// A maker of leaf certificates for the hosts that programs connect to through the proxy, with a cache of limited size.
///
/// All certificates share one key. It is generated when the proxy starts and is never stored.
final class LeafMaker: Sendable {
    private struct Entry {
        let context: NIOSSLContext
        let renewal: Date
        var lastUse: UInt64
    }

    private struct State {
        var entries: [Host: Entry] = [:]
        var useCount: UInt64 = 0
    }

    let root: LocalRoot
    private let key = P256.Signing.PrivateKey()
    private let limit: Int
    private let state = Mutex(State())

    /// The validity in seconds. A leaf key that leaks is useful for days only.
    private static let validity: TimeInterval = 7 * 86_400

    /// Creates a maker.
    ///
    /// - Parameters:
    ///   - root: The root that signs the certificates.
    ///   - limit: The maximum number of cached certificates.
    init(root: LocalRoot, limit: Int) { (self.root, self.limit) = (root, max(limit, 1)) }

    var count: Int { self.state.withLock { $0.entries.count } }

    /// Returns the TLS context of the server for a host.
    ///
    /// - Throws: An error of swift-certificates or NIOSSL.
    func context(for host: Host, at now: Date) throws -> NIOSSLContext {
        if let known = self.known(host, at: now) { return known }
        let context = try self.makeContext(for: host, at: now)
        self.remember(context, for: host, at: now)
        return context
    }

    private func known(_ host: Host, at now: Date) -> NIOSSLContext? {
        self.state.withLock { state in
            guard let entry = state.entries[host], now < entry.renewal else { return nil }
            state.useCount += 1
            state.entries[host]?.lastUse = state.useCount
            return entry.context
        }
    }

    /// Caches a context. If the cache exceeds its limit, the least recently used context is removed.
    private func remember(_ context: NIOSSLContext, for host: Host, at now: Date) {
        let renewal = now.addingTimeInterval(Self.validity / 2)
        self.state.withLock { state in
            state.useCount += 1
            state.entries[host] = Entry(context: context, renewal: renewal, lastUse: state.useCount)
            guard state.entries.count > self.limit,
                let oldest = state.entries.min(by: { $0.value.lastUse < $1.value.lastUse })?.key
            else { return }
            state.entries[oldest] = nil
        }
    }

    private func makeContext(for host: Host, at now: Date) throws -> NIOSSLContext {
        let leaf = try self.certificate(for: host, at: now)
        let certificates = [leaf, self.root.certificate]
        var configuration = TLSConfiguration.makeServerConfiguration(
            certificateChain: try certificates.map {
                .certificate(try NIOSSLCertificate(bytes: $0.serializeAsPEM().derBytes, format: .der))
            },
            privateKey: .privateKey(
                try NIOSSLPrivateKey(bytes: Array(self.key.derRepresentation), format: .der)))
        configuration.minimumTLSVersion = .tlsv12
        // The server chooses the first protocol that the client also offers.
        configuration.applicationProtocols = ["h2", "http/1.1"]
        configuration.trustRoots = .certificates([])
        configuration.shutdownTimeout = .seconds(1)
        return try NIOSSLContext(configuration: configuration)
    }

    /// Returns a new certificate that is valid for one host only.
    func certificate(for host: Host, at now: Date) throws -> X509.Certificate {
        let publicKey = X509.Certificate.PublicKey(self.key.publicKey)
        let issuer = SubjectKeyIdentifier(hash: self.root.certificate.publicKey)
        let name: GeneralName =
            host.address.map { .ipAddress(ASN1OctetString(contentBytes: $0.octets[...])) } ?? .dnsName(host.text)
        return try X509.Certificate(
            version: .v3, serialNumber: .init(), publicKey: publicKey,
            notValidBefore: now.addingTimeInterval(-LocalRoot.clockTolerance),
            notValidAfter: min(now.addingTimeInterval(Self.validity), self.root.notAfter),
            issuer: self.root.certificate.subject, subject: try DistinguishedName { CommonName("servertrust proxy") },
            signatureAlgorithm: .ecdsaWithSHA256,
            extensions: try X509.Certificate.Extensions {
                Critical(BasicConstraints.notCertificateAuthority)
                Critical(KeyUsage(digitalSignature: true))
                try ExtendedKeyUsage([.serverAuth])
                SubjectAlternativeNames([name])
                SubjectKeyIdentifier(hash: publicKey)
                AuthorityKeyIdentifier(keyIdentifier: issuer.keyIdentifier)
            }, issuerPrivateKey: X509.Certificate.PrivateKey(self.root.key))
    }
}
