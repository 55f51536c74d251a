//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import Crypto
package import ServerTrust
import SwiftASN1
import X509

#if canImport(FoundationEssentials)
package import FoundationEssentials
#else
package import Foundation
#endif

/// The root certificate and key of one user's proxy, which sign the certificates that the proxy presents.
///
/// A program that trusts this root trusts every server that the proxy trusts, and every certificate signed by a person with its
/// key. The root is generated once, in ``LocalRootFolder``, and no program trusts it until its user installs it.
package struct LocalRoot: Sendable {
    let certificate: X509.Certificate
    let key: P256.Signing.PrivateKey

    /// The domain names for which the root can sign certificates, including subdomains. Empty if it can sign for every host.
    package let permittedNames: [String]

    package var notAfter: Date { self.certificate.notValidAfter }

    /// The validity in seconds. Programs may trust a root for its whole life, so that two years limit the use of a leaked key.
    private static let validity: TimeInterval = 2 * 365 * 86_400
    /// The tolerance for clocks that differ between a machine and its guests, in seconds.
    static let clockTolerance: TimeInterval = 3_600

    /// Generates a root with a new key.
    ///
    /// - Parameters:
    ///   - names: The hosts for which it can sign certificates, including subdomains and without IP addresses (RFC 5280 §4.2.1.10).
    ///     Empty for every host.
    ///   - now: The current time.
    /// - Throws: ``LocalRootError`` if the certificate cannot be generated.
    init(permitting names: [Host], at now: Date) throws(LocalRootError) {
        do {
            let key = P256.Signing.PrivateKey()
            let publicKey = X509.Certificate.PublicKey(key.publicKey)
            let identifier = SubjectKeyIdentifier(hash: publicKey)
            // The name has a part of the key's identifier, which distinguishes the roots of several users and of one user.
            let suffix = identifier.keyIdentifier.prefix(4).map { String(UInt16($0) + 0x100, radix: 16).dropFirst() }
            let name = try DistinguishedName { CommonName("servertrust proxy \(suffix.joined())") }
            self.permittedNames = names.map(\.text).sorted()
            self.certificate = try X509.Certificate(
                version: .v3, serialNumber: .init(), publicKey: publicKey,
                notValidBefore: now.addingTimeInterval(-Self.clockTolerance),
                notValidAfter: now.addingTimeInterval(Self.validity), issuer: name, subject: name,
                signatureAlgorithm: .ecdsaWithSHA256,
                extensions: try Self.extensions(identifier, permitting: self.permittedNames),
                issuerPrivateKey: X509.Certificate.PrivateKey(key))
            self.key = key
        } catch {
            throw LocalRootError(.notMade("\(error)"))
        }
    }

    private static func extensions(
        _ identifier: SubjectKeyIdentifier, permitting names: [String]
    ) throws -> X509.Certificate.Extensions {
        try X509.Certificate.Extensions {
            Critical(BasicConstraints.isCertificateAuthority(maxPathLength: 0))
            Critical(KeyUsage(keyCertSign: true))
            identifier
            if !names.isEmpty {
                // A constraint on DNS names does not restrict addresses. All IPv4 and IPv6 addresses are therefore excluded.
                Critical(
                    NameConstraints(
                        permittedDNSDomains: names,
                        excludedIPRanges: [8, 32].map {
                            ASN1OctetString(contentBytes: [UInt8](repeating: 0, count: $0)[...])
                        }))
            }
        }
    }

    func covers(_ host: Host) -> Bool {
        guard !self.permittedNames.isEmpty else { return true }
        return !host.isAddress && self.permittedNames.contains { host.text == $0 || host.text.hasSuffix("." + $0) }
    }

    // MARK: Storage

    /// The certificate in PEM, to be installed in programs. It does not contain the key.
    ///
    /// - Throws: ``LocalRootError`` if the certificate cannot be encoded.
    package var pem: String {
        get throws(LocalRootError) {
            do {
                return try self.certificate.serializeAsPEM().pemString + "\n"
            } catch {
                throw LocalRootError(.notMade("\(error)"))
            }
        }
    }

    /// The certificate and the key in PEM.
    var fileContents: [UInt8] {
        get throws(LocalRootError) { Array((try self.pem + self.key.pemRepresentation + "\n").utf8) }
    }

    /// Reads a root from the contents that ``fileContents`` writes.
    init(fileContents: [UInt8]) throws(LocalRootError) {
        do {
            let documents = try PEMDocument.parseMultiple(pemString: String(decoding: fileContents, as: UTF8.self))
            guard documents.count == 2 else { throw LocalRootError(.malformed) }
            self.certificate = try X509.Certificate(pemDocument: documents[0])
            self.key = try P256.Signing.PrivateKey(pemRepresentation: documents[1].pemString)
            let constraints = try self.certificate.extensions.nameConstraints
            self.permittedNames = constraints.map { Array($0.permittedDNSDomains).sorted() } ?? []
            guard self.certificate.publicKey == X509.Certificate.PublicKey(self.key.publicKey),
                case .isCertificateAuthority? = try self.certificate.extensions.basicConstraints
            else { throw LocalRootError(.malformed) }
        } catch {
            throw LocalRootError(.malformed)
        }
    }
}

/// An error for a root that cannot be used or generated.
package struct LocalRootError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The kind of an error.
    package enum Reason: Sendable, Hashable {
        /// The file or folder cannot be used.
        case file(FileError)
        /// The file does not have exactly one root certificate and its key.
        case malformed
        case expired
        case otherNames([String])
        /// The root cannot be generated or stored.
        case notMade(String)
    }

    package let reason: Reason
    /// The path of the file, or an empty string if there is no file yet.
    package internal(set) var path = ""

    init(_ reason: Reason, path: String = "") { (self.reason, self.path) = (reason, path) }

    /// The problem and its remedy.
    package var description: String {
        switch self.reason {
        case .file(let error): "\(error)"
        case .malformed: "\(self.path) does not hold one root and its key: remove it, and a new one is made"
        case .expired:
            "the root in \(self.path) has ended: remove it, start the proxy to make a new one, and have programs trust that"
        case .otherNames(let names):
            "the root in \(self.path) is for \(names.isEmpty ? "every host" : names.joined(separator: ", ")): give the same names, or another folder"
        case .notMade(let text): "the root cannot be made: \(text)"
        }
    }
}
