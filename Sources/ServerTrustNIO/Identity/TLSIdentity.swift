//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

public import NIOSSL
public import ServerTrust

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// The client's identity for servers that request a certificate: a certificate with its chain, and its key or a signer.
///
/// ```swift
/// settings.identity = try TLSIdentity(pem: chain, key: key, password: password)
/// ```
///
/// TLS sends the certificates only to a server that requests one, and only after the gate has trusted it.
///
/// This package reads PKCS#12 files itself, because NIOSSL's reader ends the process at a file without a key or without the key's
/// certificate.
public struct TLSIdentity: Sendable, Hashable {
    /// The certificates, the client's own first.
    public let certificateChain: [NIOSSLCertificate]

    /// The key, or a signer that stands in for it.
    public let privateKey: NIOSSLPrivateKey

    /// 1 MiB, more than any chain or key has.
    private static let maximumOctets = 1 << 20

    /// Creates an identity from PEM texts.
    ///
    /// - Parameters:
    ///   - chain: The certificates, the client's own first. Keys among them are ignored.
    ///   - key: The key in PKCS#8, encrypted or not, in PKCS#1 or in SEC 1. It may be the same text as `chain`.
    ///   - password: The password of the key, or `nil` if it is not encrypted.
    /// - Throws: ``TLSIdentityError`` if a text cannot be read, or if the key does not belong to the first certificate.
    public init(pem chain: String, key: String, password: String? = nil) throws(TLSIdentityError) {
        try self.init(chain: Self.certificates(chain), key: Self.key(key, password: password))
    }

    /// Creates an identity from a parsed chain and key.
    ///
    /// - Throws: ``TLSIdentityError`` if the key does not belong to the first certificate.
    init(chain: [NIOSSLCertificate], key: NIOSSLPrivateKey) throws(TLSIdentityError) {
        self.certificateChain = chain
        self.privateKey = key
        try self.checkKey()
    }

    /// Creates an identity with a key that stays in an agent or a hardware module.
    ///
    /// The first handshake shows if the signer has the key of the certificate: the server refuses a signature of any other key.
    ///
    /// - Parameters:
    ///   - chain: The certificates in PEM, the client's own first.
    ///   - signer: The signer. It signs on the event loop of a connection, without blocking it.
    /// - Throws: ``TLSIdentityError`` if the certificates cannot be read or the signer names no algorithm.
    public init(
        pem chain: String, signer: some NIOSSLCustomPrivateKey & Hashable
    ) throws(TLSIdentityError) {
        guard !signer.signatureAlgorithms.isEmpty else { throw TLSIdentityError(.noSignatureAlgorithm) }
        self.certificateChain = try Self.certificates(chain)
        self.privateKey = NIOSSLPrivateKey(customPrivateKey: signer)
    }

    /// Hashes the certificates. NIOSSL ends the process when it hashes a key of the kind Ed25519.
    public func hash(into hasher: inout Hasher) { hasher.combine(self.certificateChain) }

    /// Creates the identity of a TLS configuration. Returns `nil` if it has none, or one in files.
    init?(_ configuration: TLSConfiguration) {
        guard case .privateKey(let key)? = configuration.privateKey else { return nil }
        let certificates = configuration.certificateChain.map { source -> NIOSSLCertificate? in
            guard case .certificate(let certificate) = source else { return nil }
            return certificate
        }
        guard !certificates.isEmpty, !certificates.contains(nil) else { return nil }
        self.certificateChain = certificates.compactMap { $0 }
        self.privateKey = key
    }

    /// Checks that the client's certificate is valid at a date.
    ///
    /// Some servers accept expired certificates, so the gate does not check this by itself.
    ///
    /// - Parameter date: The date of the connection.
    /// - Throws: ``TLSIdentityError`` if the certificate is expired, not yet valid, or unreadable.
    public func check(at date: Date) throws(TLSIdentityError) {
        let own: Certificate?
        do { own = try self.certificateChain.first.map { try Certificate(der: $0.toDERBytes()) } } catch {
            throw TLSIdentityError(.unreadableCertificate, cause: error)
        }
        guard let own else { throw TLSIdentityError(.unreadableCertificate) }
        guard own.notValidBefore <= date else { throw TLSIdentityError(.notYetValid) }
        guard date <= own.notValidAfter else { throw TLSIdentityError(.expired) }
    }
}

// MARK: - Reading

extension TLSIdentity {
    private static func certificates(_ text: String) throws(TLSIdentityError) -> [NIOSSLCertificate] {
        guard (1...Self.maximumOctets).contains(text.utf8.count) else { throw TLSIdentityError(.unreadableCertificate) }
        let certificates: [NIOSSLCertificate]
        do { certificates = try NIOSSLCertificate.fromPEMBytes(Array(text.utf8)) } catch {
            throw TLSIdentityError(.unreadableCertificate, cause: error)
        }
        guard !certificates.isEmpty else { throw TLSIdentityError(.unreadableCertificate) }
        return certificates
    }

    private static func key(_ text: String, password: String?) throws(TLSIdentityError) -> NIOSSLPrivateKey {
        guard (1...Self.maximumOctets).contains(text.utf8.count) else { throw TLSIdentityError(.unreadableKey) }
        // NIOSSL traps at other octets.
        guard password?.utf8.allSatisfy({ $0 < 0x80 }) != false else { throw TLSIdentityError(.passwordNotASCII) }
        // The only sign of an encrypted key is that BoringSSL asks for a password.
        var isEncrypted = false
        let key: NIOSSLPrivateKey
        do {
            key = try NIOSSLPrivateKey(bytes: Array(text.utf8), format: .pem) { (setter: ([UInt8]) -> Void) in
                isEncrypted = true
                if let password { setter(Array(password.utf8)) }
            }
        } catch {
            guard isEncrypted else { throw TLSIdentityError(.unreadableKey, cause: error) }
            throw TLSIdentityError(password == nil ? .passwordNeeded : .wrongPassword, cause: error)
        }
        guard isEncrypted || password == nil else { throw TLSIdentityError(.passwordNotNeeded) }
        return key
    }

    /// Checks that the key belongs to the first certificate, which BoringSSL does when it gets both.
    private func checkKey() throws(TLSIdentityError) {
        var configuration = TLSConfiguration.makeClientConfiguration()
        configuration.trustRoots = .certificates([])
        self.apply(to: &configuration)
        do { _ = try NIOSSLContext(configuration: configuration) } catch {
            throw TLSIdentityError(.keyOfAnotherCertificate, cause: error)
        }
    }

    func apply(to configuration: inout TLSConfiguration) {
        configuration.certificateChain = self.certificateChain.map { .certificate($0) }
        configuration.privateKey = .privateKey(self.privateKey)
    }
}

extension ServerTrustSettings {
    /// The identity for servers that request a certificate and are trusted, or `nil` if ``tls`` has none or names files.
    ///
    /// It is the chain and the key of ``tls``, so setting one sets the other. Setting it ends a callback that chooses another one.
    public var identity: TLSIdentity? {
        get { TLSIdentity(self.tls) }
        set {
            (self.tls.certificateChain, self.tls.privateKey) = ([], nil)
            self.tls.sslContextCallback = nil
            newValue?.apply(to: &self.tls)
        }
    }
}

extension TLSIdentity: CredentialIdentity {
    /// The chain as certificates of this package. Certificates that only BoringSSL can read are left out.
    public var certificates: [Certificate] {
        self.certificateChain.compactMap { try? Certificate(der: $0.toDERBytes()) }
    }
}
