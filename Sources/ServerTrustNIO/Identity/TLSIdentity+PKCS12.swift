//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import CertificatePath
import NIOSSL
import ServerTrust

extension TLSIdentity {
    /// Reads an identity from a PKCS#12 file (RFC 7292), as keychains, browsers, NSS and `openssl pkcs12 -export` write it.
    ///
    /// The chain begins with the certificate of the file's key, whatever the order in the file, followed by its issuers as far as
    /// the file contains them. PBES2 with AES and the older encryptions with triple DES and RC2 are supported.
    ///
    /// - Parameters:
    ///   - file: The octets of the file.
    ///   - password: The password of the file, or `nil` if it has none or an empty one.
    /// - Throws: ``TLSIdentityError`` if the file or the password is unusable.
    public init(pkcs12 file: [UInt8], password: String? = nil) throws(TLSIdentityError) {
        let contents = try Self.contents(of: file, password: password)
        guard let key = contents.keys.first else { throw TLSIdentityError(.noKey) }
        guard contents.keys.count == 1 else { throw TLSIdentityError(.severalKeys) }
        let privateKey: NIOSSLPrivateKey
        do { privateKey = try NIOSSLPrivateKey(bytes: key.der, format: .der) } catch {
            throw Self.error(for: key, TLSIdentityError(.unreadableKey, cause: error))
        }
        // Certificates that the file assigns to the key are tried first, but the assignment is checked.
        let likely = contents.certificates.filter { $0.localKeyID == key.localKeyID }
        let others = contents.certificates.filter { $0.localKeyID != key.localKeyID }
        let certificates = try Self.views(likely + others)
        for own in certificates {
            let chain = try Self.nioCertificates(Self.chain(from: own, in: certificates))
            guard let identity = try? TLSIdentity(chain: chain, key: privateKey) else { continue }
            self = identity
            return
        }
        throw Self.error(for: key, TLSIdentityError(.noCertificateOfKey))
    }

    /// Returns the error for a key of an unsupported kind if the key is of one, and the given error otherwise. Such a key fails
    /// wherever it is first used.
    private static func error(for key: PKCS12File.Item, _ error: TLSIdentityError) -> TLSIdentityError {
        guard let algorithm = PrivateKeyAlgorithm.identifier(inPKCS8: key.der) else { return error }
        let kind: [String: String] = [
            "1.2.840.10040.4.1": "DSA", "1.2.840.113549.1.1.10": "RSASSA-PSS", "1.3.101.110": "X25519",
            "1.3.101.111": "X448", "1.3.101.113": "Ed448", "1.2.840.113549.1.3.1": "Diffie-Hellman",
        ]
        return kind["\(algorithm)"].map { TLSIdentityError(.unusableKey, found: $0, cause: error) } ?? error
    }

    /// Returns the kind of a file that is not PKCS#12, with a remedy, or `nil` if the kind is unknown.
    private static func explanation(of file: [UInt8]) -> String? {
        switch FileKind(of: file) {
        case .bareBase64: "it is Base64. Decode it: base64 -d OLD > NEW.p12, and give NEW.p12"
        case .pem: "it is PEM. Give it as a certificate and key in PEM"
        case .encoded(.keyStore), .unknown: nil
        case let kind: "it is \(kind.title). Give the file that the identity was exported to"
        }
    }

    private static func contents(of file: [UInt8], password: String?) throws(TLSIdentityError) -> PKCS12File {
        let contents: PKCS12File
        do { contents = try PKCS12File(der: file, password: password) } catch {
            switch error {
            case .wrongPassword: throw TLSIdentityError(password == nil ? .passwordNeeded : .wrongPassword)
            case .malformed, .tooLarge, .tooManyItems:
                throw TLSIdentityError(.unreadablePKCS12, found: Self.explanation(of: file), cause: error)
            case .publicKeyIntegrity, .unsupportedAlgorithm, .tooMuchWork:
                throw TLSIdentityError(.unsupportedPKCS12, cause: error)
            }
        }
        guard contents.usesPassword || password?.isEmpty != false else { throw TLSIdentityError(.passwordNotNeeded) }
        return contents
    }

    private static func views(_ items: [PKCS12File.Item]) throws(TLSIdentityError) -> [CertificateView] {
        var views: [CertificateView] = []
        for item in items {
            do {
                let view = try CertificateView(der: item.der)
                if !views.contains(view) { views.append(view) }
            } catch { throw TLSIdentityError(.unreadableCertificate, cause: error) }
        }
        return views
    }

    /// Returns a certificate followed by its issuers by name, as far as there are any. TLS 1.2 requires this order (RFC 5246
    /// §7.4.2).
    private static func chain(from own: CertificateView, in certificates: [CertificateView]) -> [CertificateView] {
        var chain = [own]
        while let last = chain.last, !last.isSelfIssued,
            let issuer = certificates.first(where: { !chain.contains($0) && last.isIssued(byNameOf: $0) })
        {
            chain.append(issuer)
        }
        return chain
    }

    private static func nioCertificates(_ chain: [CertificateView]) throws(TLSIdentityError) -> [NIOSSLCertificate] {
        do { return try chain.map { try NIOSSLCertificate(bytes: $0.bytes, format: .der) } } catch {
            throw TLSIdentityError(.unreadableCertificate, cause: error)
        }
    }
}
