//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// The certificates and private keys of a PKCS#12 file (RFC 7292), the format in which browsers, keychains and devices
/// exchange the identity of a client.
///
/// The integrity of a file is protected by a password, or not at all. The encryption is one that RFC 7292 or RFC 8018
/// defines and programs write. The containers may be BER, as NSS writes them. A certificate inside must be DER. The
/// size of the file, the number of its elements and items, their depth, and the work of all derivations are bounded.
package struct PKCS12File: Sendable {
    /// A key or a certificate.
    package struct Item: Sendable, Hashable {
        /// The DER encoding: a certificate, or a PrivateKeyInfo (RFC 5208 §5).
        package let der: [UInt8]
        /// The identifier that a key and its certificate share (PKCS#9 localKeyID), or `nil` if the file has none.
        package let localKeyID: [UInt8]?
    }

    /// The private keys, each once, in the order of the file.
    package private(set) var keys: [Item] = []

    /// The X.509 certificates, in the order of the file.
    package private(set) var certificates: [Item] = []

    /// `true` if a password protects a part of the file.
    package private(set) var usesPassword = false

    /// The limit in octets, far above the size of a key and its chain.
    package static let maximumSize = 1 << 20

    /// The default limit, several times the usual work: 2,048 iterations for each of three keys, up to a million for one.
    package static let defaultRounds: UInt32 = 10_000_000

    /// Reads a file.
    ///
    /// - Parameters:
    ///   - file: The octets of the file, BER or DER.
    ///   - password: The password of the file. `nil` is read as the empty password.
    ///   - rounds: The maximum rounds of a hash function for deriving keys. A processor does about three million a second.
    /// - Throws: ``PKCS12Error``
    package init(
        der file: [UInt8], password: String?, maximumRounds rounds: UInt32 = Self.defaultRounds
    ) throws(PKCS12Error) {
        guard file.count <= Self.maximumSize else { throw .tooLarge }
        var work = DerivationWork(rounds: rounds)
        var items: [PKCS12Bag] = []
        var failure: PKCS12Error?
        for candidate in try PKCS12Password.candidates(password ?? "") {
            do {
                var reader = PKCS12Reader(password: candidate, work: work)
                defer { work = reader.work }
                try reader.read(file)
                (items, failure) = (reader.bags, nil)
                break
            } catch let error as PKCS12Error {
                failure = error
                guard error == .wrongPassword else { break }
            } catch {
                failure = .malformed(error as? DERError ?? DERError(.empty, at: 0))
                break
            }
        }
        if let failure { throw failure }
        self.usesPassword = work.rounds < rounds
        for bag in items {
            switch bag.kind {
            case .key where !self.keys.contains { $0.der == bag.item.der }: self.keys.append(bag.item)
            case .key: break
            case .certificate: self.certificates.append(bag.item)
            }
        }
    }
}

/// The reason that a PKCS#12 file cannot be read. It contains nothing of the file's contents, and not the password.
package enum PKCS12Error: Error, Sendable, Hashable {
    /// The file is larger than ``PKCS12File/maximumSize``.
    case tooLarge
    /// The file is not BER of the form that RFC 7292 prescribes.
    case malformed(DERError)
    /// The password is wrong or the file is damaged. The format cannot distinguish the two.
    case wrongPassword
    /// A signature protects the file instead of a password (RFC 7292 §3.1, public-key integrity mode).
    case publicKeyIntegrity
    /// The file uses an algorithm that is not supported.
    case unsupportedAlgorithm(OID)
    /// Deriving the keys exceeds the limit on rounds or on the length of the salt.
    case tooMuchWork
    /// The file has more items than any identity, or deeper ones.
    case tooManyItems
}
