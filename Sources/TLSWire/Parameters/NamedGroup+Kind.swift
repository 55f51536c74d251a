//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

extension NamedGroup {
    /// What a group is made of.
    public enum Kind: Hashable, Sendable {
        /// Points on a curve.
        case ellipticCurve
        /// Numbers modulo a prime (RFC 7919).
        case finiteField
        /// A key encapsulation that a quantum computer is of no help against.
        case postQuantum
        /// Such an encapsulation and a curve, where it takes both to be broken.
        case hybrid
    }

    /// What the group is made of; `nil` for an unknown one.
    public var kind: Kind? { Self.kinds[self.rawValue] }

    /// Read off the names once: a name is slow to search, and a prober asks of every group.
    private static let kinds = Dictionary(Self.registered.map { ($0.0, Self.kind(of: $0.1)) }) { first, _ in first }

    private static func kind(of name: String) -> Kind {
        let isEncapsulation = name.contains("MLKEM") || name.contains("Kyber")
        if isEncapsulation { return name.hasPrefix("MLKEM") ? .postQuantum : .hybrid }
        return name.hasPrefix("ffdhe") ? .finiteField : .ellipticCurve
    }

    /// Whether what is recorded today stays secret from the quantum computers of tomorrow.
    public var isPostQuantum: Bool { self.kind == .postQuantum || self.kind == .hybrid }

    /// The length of the curve's field or of the prime in bits; of a hybrid, its curve's; `nil` where there is neither.
    public var bits: Int? {
        guard let name = self.name, self.kind != .postQuantum, !name.hasPrefix("arbitrary") else { return nil }
        // RFC 7748: two curves are called after the prime 2^255 - 19, and after 448 bits. SM2's has 256 (RFC 8998 §3.1).
        if name.hasPrefix("x25519") || name.hasPrefix("X25519") { return 255 }
        if name.hasPrefix("curveSM2") { return 256 }
        return name.firstNumber
    }

    /// How hard the group is for computers of today, as the length of a symmetric key; `nil` for an unknown group.
    ///
    /// NIST SP 800-57 Part 1, table 2, and FIPS 203, table 2; of a hybrid the better of its parts.
    public var securityBits: Int? {
        let curve = self.kind == .finiteField ? nil : self.bits.map { $0 == 255 ? 128 : min($0 / 2, 256) }
        let field = self.kind == .finiteField ? self.bits.flatMap { Self.fieldStrengths[$0] } : nil
        return [curve, field, self.encapsulationStrength].compactMap(\.self).max()
    }

    private var encapsulationStrength: Int? {
        guard self.isPostQuantum, let name = self.name else { return nil }
        if name.contains("1024") { return 256 }
        return name.contains("768") ? 192 : 128
    }

    /// SP 800-56A, appendix D, for the primes of RFC 7919.
    private static let fieldStrengths = [2048: 112, 3072: 128, 4096: 152, 6144: 176, 8192: 200]
}

// MARK: - Versions

extension NamedGroup {
    /// Whether TLS 1.3 can use the group.
    ///
    /// RFC 8446 §4.2.7 leaves out what RFC 8422 deprecated, and RFC 8734 gave Brainpool's curves new numbers.
    public var isUsableInTLS13: Bool {
        guard self.kind == .ellipticCurve else { return self.kind != nil }
        return (23...25).contains(self.rawValue) || (29...41).contains(self.rawValue)
    }

    /// Whether TLS 1.2 and older can use the group.
    public var isUsableBeforeTLS13: Bool {
        switch self.kind {
        case .finiteField: true
        // RFC 8734 §1: not below TLS 1.3. So is RFC 8998.
        case .ellipticCurve: !(31...33).contains(self.rawValue) && self.rawValue != 41
        case .postQuantum, .hybrid, nil: false
        }
    }
}

extension String {
    /// The digits of the name that come first, as a number: 256 of `secp256r1`.
    fileprivate var firstNumber: Int? {
        let digits = self.drop { !$0.isASCII || !$0.isNumber }.prefix { $0.isASCII && $0.isNumber }
        return Int(digits)
    }
}
