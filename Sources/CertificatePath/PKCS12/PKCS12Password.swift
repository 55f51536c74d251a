//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// A password in the two encodings that PKCS#12 files use.
struct PKCS12Password: Sendable {
    /// UTF-16, highest octet first, followed by two zero octets, for the derivation of RFC 7292 §B.1.
    let bmpString: [UInt8]
    /// UTF-8, for the derivation of PBES2 (RFC 8018 §3).
    let utf8: [UInt8]

    /// The limit in octets, longer than any password, and short enough to derive many keys from.
    private static let maximumLength = 1_024

    /// Returns the encodings of a password that programs use, the usual one first. An empty password is written as two
    /// zero octets or as none.
    static func candidates(_ text: String) throws(PKCS12Error) -> [PKCS12Password] {
        guard text.utf8.count <= Self.maximumLength else { throw .wrongPassword }
        let octets = text.utf16.flatMap { [UInt8(truncatingIfNeeded: $0 >> 8), UInt8(truncatingIfNeeded: $0)] }
        let usual = PKCS12Password(bmpString: octets + [0, 0], utf8: Array(text.utf8))
        return text.isEmpty ? [usual, PKCS12Password(bmpString: [], utf8: [])] : [usual]
    }
}

/// The work that all derivations of one file may do together, in rounds of a hash function.
struct DerivationWork: Sendable {
    private(set) var rounds: UInt32

    private static let maximumSalt = 1_024

    mutating func spend(_ iterations: UInt32, blocks: Int, salt: [UInt8]) throws(PKCS12Error) {
        guard iterations > 0, salt.count <= Self.maximumSalt else { throw .tooMuchWork }
        let (needed, isOver) = iterations.multipliedReportingOverflow(by: UInt32(clamping: max(1, blocks)))
        guard !isOver, needed <= self.rounds else { throw .tooMuchWork }
        self.rounds -= needed
    }
}
