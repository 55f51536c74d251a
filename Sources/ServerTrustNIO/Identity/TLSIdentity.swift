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

/// Who the program is: a certificate with its chain, and the key or a signer, for servers that ask.
///
/// ```swift
/// settings.identity = try TLSIdentity(pem: chain, key: key, password: password)
/// ```
///
/// TLS sends the certificates only to a server that asks for one, and only after the gate has trusted it.
///
/// PKCS#12 files are read by this package: NIOSSL's reader ends the process at a file that has no key or no certificate of
/// the key.
public struct TLSIdentity: Sendable, Hashable {
    /// The certificates, the program's own first.
    public let certificateChain: [NIOSSLCertificate]

    /// The key, or the signer in place of it.
    public let privateKey: NIOSSLPrivateKey

    /// More octets than any chain and key have.
    private static let maximumOctets = 1 << 20

    /// An identity from texts in PEM.
    ///
    /// - Parameters:
    ///   - chain: The certificates, the program's own first. Keys among them are ignored.
    ///   - key: The key: PKCS#8, encrypted or not, PKCS#1 or SEC 1. It may be the same text as `chain`.
    ///   - password: The password of the key; `nil` where it is not encrypted.
    /// - Throws: ``TLSIdentityError``
    public init(pem chain: String, key: String, password: String? = nil) throws(TLSIdentityError) {
        try self.init(chain: Self.certificates(chain), key: Self.key(key, password: password))
    }

    /// An identity of things that have been read.
    ///
    /// - Throws: ``TLSIdentityError`` where the key is not that of the first certificate.
    init(chain: [NIOSSLCertificate], key: NIOSSLPrivateKey) throws(TLSIdentityError) {
        self.certificateChain = chain
        self.privateKey = key
        try self.checkKey()
    }

    /// An identity whose key never leaves an agent or a hardware module.
    ///
    /// Whether the signer holds the key of the certificate shows in the first handshake: the server refuses a signature of
    /// another key.
    ///
    /// - Parameters:
    ///   - chain: The certificates in PEM, the program's own first.
    ///   - signer: Signs on the event loop of a connection, without blocking it.
    /// - Throws: ``TLSIdentityError``
    public init(
        pem chain: String, signer: some NIOSSLCustomPrivateKey & Hashable
    ) throws(TLSIdentityError) {
        guard !signer.signatureAlgorithms.isEmpty else { throw TLSIdentityError(.noSignatureAlgorithm) }
        self.certificateChain = try Self.certificates(chain)
        self.privateKey = NIOSSLPrivateKey(customPrivateKey: signer)
    }

    /// What a configuration of TLS holds; `nil` where that is no identity, or one in files.
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

    /// Checks that servers do not refuse the certificate for its time.
    ///
    /// Some servers accept expired certificates, so that using one is left to the program.
    ///
    /// - Parameter date: When it is used.
    /// - Throws: ``TLSIdentityError``
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
        // Whether BoringSSL asks for a password is the one way to tell that the key is encrypted.
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

    /// BoringSSL compares the key with the certificate when it gets both.
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
    /// Who the program is, for servers that ask and are trusted. It is the chain and the key of ``tls``: setting one sets the
    /// other. `nil` without them, or where ``tls`` names files.
    public var identity: TLSIdentity? {
        get { TLSIdentity(self.tls) }
        set {
            (self.tls.certificateChain, self.tls.privateKey) = ([], nil)
            newValue?.apply(to: &self.tls)
        }
    }
}

extension TLSIdentity: CredentialIdentity {
    /// The chain as this package reads it. BoringSSL has read it before; what cannot be read again is left out.
    public var certificates: [Certificate] {
        self.certificateChain.compactMap { try? Certificate(der: $0.toDERBytes()) }
    }
}
