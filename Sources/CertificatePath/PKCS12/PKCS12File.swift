//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// The certificates and private keys of a PKCS#12 file (RFC 7292), which is how browsers, keychains and devices exchange
/// the identity of a client.
///
/// The integrity of a file is protected by a password, or not at all. The encryption is what RFC 7292 and RFC 8018 define and
/// programs write. The containers may be BER, as NSS writes them. A certificate inside must be DER. The file, its elements and
/// items, their depth, and the work of all derivations are bounded.
package struct PKCS12File: Sendable {
    /// A key or a certificate.
    package struct Item: Sendable, Hashable {
        /// The DER encoding: a certificate, or a PrivateKeyInfo (RFC 5208 §5).
        package let der: [UInt8]
        /// Which key and which certificate belong together (PKCS#9 localKeyID); `nil` where the file does not say.
        package let localKeyID: [UInt8]?
    }

    /// The private keys, each once, in the order of the file.
    package private(set) var keys: [Item] = []

    /// The X.509 certificates, in the order of the file.
    package private(set) var certificates: [Item] = []

    /// Whether a password protects anything in the file.
    package private(set) var usesPassword = false

    /// Far more octets than a key and a chain have.
    package static let maximumSize = 1 << 20

    /// Several times what programs write today: 2,048 iterations for each of three keys, up to a million for one.
    package static let defaultRounds: UInt32 = 10_000_000

    /// Reads a file.
    ///
    /// - Parameters:
    ///   - file: The octets of the file, BER or DER.
    ///   - password: The password that opens it; `nil` is read as the empty one.
    ///   - rounds: The rounds of a hash function that may be spent on keys: about three million a second.
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

/// Why a PKCS#12 file cannot be read. It holds nothing of the file's contents, and not the password.
package enum PKCS12Error: Error, Sendable, Hashable {
    /// It is larger than ``PKCS12File/maximumSize``.
    case tooLarge
    /// It is not BER of the form that RFC 7292 prescribes.
    case malformed(DERError)
    /// The password does not open it, or it is damaged: files do not tell the two apart.
    case wrongPassword
    /// A signature protects it in place of a password (RFC 7292 §3.1, public-key integrity mode).
    case publicKeyIntegrity
    /// An algorithm that is not supported.
    case unsupportedAlgorithm(OID)
    /// Deriving its keys would take longer than any program makes it.
    case tooMuchWork
    /// More items, or deeper ones, than any identity has.
    case tooManyItems
}
