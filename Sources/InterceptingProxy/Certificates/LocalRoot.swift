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

/// The authority of one user's proxy: it certifies the proxy for the hosts that the user's programs ask for.
///
/// A program that trusts it trusts every server that the proxy trusts, and whom the owner of its key certifies. It is made once, in
/// ``LocalRootFolder``, and no program trusts it before its user says so.
package struct LocalRoot: Sendable {
    let certificate: X509.Certificate
    let key: P256.Signing.PrivateKey

    /// The names below which it certifies hosts; empty where it certifies every host.
    package let permittedNames: [String]

    /// The last moment at which it is valid.
    package var notAfter: Date { self.certificate.notValidAfter }

    /// Programs take a root for years; two limit how long a key that leaked is of use.
    private static let validity: TimeInterval = 2 * 365 * 86_400
    /// Clocks of one machine and its guests differ.
    static let clockTolerance: TimeInterval = 3_600

    /// Makes a root with a new key.
    ///
    /// - Parameters:
    ///   - names: The hosts that it can certify, with those below them, and no addresses (RFC 5280 §4.2.1.10); empty for every host.
    ///   - now: The time.
    /// - Throws: ``LocalRootError``
    init(permitting names: [Host], at now: Date) throws(LocalRootError) {
        do {
            let key = P256.Signing.PrivateKey()
            let publicKey = X509.Certificate.PublicKey(key.publicKey)
            let identifier = SubjectKeyIdentifier(hash: publicKey)
            // Several users, and several roots of one, are told apart by their keys.
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
                // A constraint on names alone leaves addresses free: they are excluded, of both families.
                Critical(
                    NameConstraints(
                        permittedDNSDomains: names,
                        excludedIPRanges: [8, 32].map {
                            ASN1OctetString(contentBytes: [UInt8](repeating: 0, count: $0)[...])
                        }))
            }
        }
    }

    /// Whether it can certify a host.
    func covers(_ host: Host) -> Bool {
        guard !self.permittedNames.isEmpty else { return true }
        return !host.isAddress && self.permittedNames.contains { host.text == $0 || host.text.hasSuffix("." + $0) }
    }

    // MARK: As a file

    /// The certificate in PEM, for programs that are to trust it. The key is not in it.
    ///
    /// - Throws: ``LocalRootError``
    package var pem: String {
        get throws(LocalRootError) {
            do {
                return try self.certificate.serializeAsPEM().pemString + "\n"
            } catch {
                throw LocalRootError(.notMade("\(error)"))
            }
        }
    }

    /// The certificate and the key.
    var fileContents: [UInt8] {
        get throws(LocalRootError) { Array((try self.pem + self.key.pemRepresentation + "\n").utf8) }
    }

    /// A root as ``fileContents`` has it.
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

/// A root that cannot be used, or not be made.
package struct LocalRootError: Error, Sendable, Hashable, CustomStringConvertible {
    /// Why.
    package enum Reason: Sendable, Hashable {
        /// Its file or folder cannot be used.
        case file(FileError)
        /// The file does not hold one certificate and its key.
        case malformed
        /// It has ended.
        case expired
        /// It is for other names than those that are asked for.
        case otherNames([String])
        /// It cannot be made, or written down.
        case notMade(String)
    }

    /// Why.
    package let reason: Reason
    /// The file; empty where there is not one yet.
    package internal(set) var path = ""

    init(_ reason: Reason, path: String = "") { (self.reason, self.path) = (reason, path) }

    /// What is wrong and what to do.
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
