//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// The authentication of a PKCS#12 file: a code under a key that is derived from the password, by RFC 7292 appendix B
/// or by PBMAC1 (RFC 9579).
struct PKCS12Authenticator {
    private let scheme: Scheme
    private let code: [UInt8]

    private enum Scheme {
        case pkcs12(DerivationDigest, salt: [UInt8], iterations: UInt32)
        case pbmac1(PBKDF2Parameters, DerivationDigest)
    }

    /// Reads MacData (RFC 7292 §4).
    init(_ content: ByteRange, in bytes: Span<UInt8>) throws {
        var reader = DERReader(content, in: bytes)
        var information = try reader.nested(.sequence, in: bytes)
        var algorithm = try information.nested(.sequence, in: bytes)
        self.code = try information.octets(in: bytes)
        try information.finish()
        let salt = try reader.octets(in: bytes)
        let iterations = reader.isAtEnd ? 1 : try reader.unsigned32(in: bytes)
        try reader.finish()

        let (range, identifier) = try algorithm.identifier(in: bytes)
        if identifier == Self.pbmac1 {
            var parameters = try algorithm.nested(.sequence, in: bytes)
            let derivation = try PBKDF2Parameters(from: &parameters, in: bytes)
            self.scheme = .pbmac1(derivation, try DerivationDigest.hmac(from: &parameters, in: bytes))
            try parameters.finish()
        } else {
            guard let digest = DerivationDigest(named: identifier) else {
                throw PKCS12Error.unsupportedAlgorithm(OID(range, of: bytes))
            }
            _ = try algorithm.optional(.null, in: bytes)
            self.scheme = .pkcs12(digest, salt: salt, iterations: iterations)
        }
        try algorithm.finish()
    }

    /// Throws unless the code is that of the octets under the password.
    func check(_ octets: ArraySlice<UInt8>, _ password: PKCS12Password, work: inout DerivationWork) throws {
        let isAuthenticated: Bool
        switch self.scheme {
        case .pkcs12(let digest, let salt, let iterations):
            try work.spend(iterations, blocks: 1, salt: salt)
            let key = digest.derive(
                .authentication, from: password.bmpString, salt: salt, iterations: iterations, count: digest.count)
            isAuthenticated = digest.isAuthenticated(octets, by: self.code, key: key)
        case .pbmac1(let derivation, let digest):
            // RFC 9579 §4 requires the length. NIST SP 800-131A demands 112 bits, and RFC 9579 §6 demands 20 octets.
            guard let length = derivation.keyLength, length >= 20 else {
                throw DERError(.invalidAlgorithmParameters, at: 0)
            }
            let key = try derivation.key(from: password, count: Int(length), work: &work)
            isAuthenticated = digest.isAuthenticated(octets, by: self.code, key: key)
        }
        guard isAuthenticated else { throw PKCS12Error.wrongPassword }
    }

    /// id-PBMAC1, 1.2.840.113549.1.5.14.
    private static let pbmac1 = PackedOID([0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D, 0x01, 0x05, 0x0E])
}
