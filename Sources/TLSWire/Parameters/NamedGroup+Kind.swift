//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

extension NamedGroup {
    /// The mathematics of a group.
    public enum Kind: Hashable, Sendable {
        /// Points on an elliptic curve.
        case ellipticCurve
        /// Numbers modulo a prime (RFC 7919).
        case finiteField
        /// A key encapsulation that resists quantum computers.
        case postQuantum
        /// A key encapsulation that resists quantum computers, combined with a curve. An attacker must break both.
        case hybrid
    }

    /// The kind of the group, or `nil` for an unknown group.
    public var kind: Kind? { Self.kinds[self.rawValue] }

    /// The kinds are computed once, because a search in a name is slow and a prober needs them for every group.
    private static let kinds = Dictionary(Self.registered.map { ($0.0, Self.kind(of: $0.1)) }) { first, _ in first }

    private static func kind(of name: String) -> Kind {
        let isEncapsulation = name.contains("MLKEM") || name.contains("Kyber")
        if isEncapsulation { return name.hasPrefix("MLKEM") ? .postQuantum : .hybrid }
        return name.hasPrefix("ffdhe") ? .finiteField : .ellipticCurve
    }

    /// `true` if traffic recorded today stays secret from future quantum computers.
    public var isPostQuantum: Bool { self.kind == .postQuantum || self.kind == .hybrid }

    /// The length of the curve's field or of the prime in bits, and for a hybrid that of its curve. It is `nil` if there is
    /// neither.
    public var bits: Int? {
        guard let name = self.name, self.kind != .postQuantum, !name.hasPrefix("arbitrary") else { return nil }
        // RFC 7748 names two curves after the prime 2^255 - 19 and after 448 bits. SM2's has 256 (RFC 8998 §3.1).
        if name.hasPrefix("x25519") || name.hasPrefix("X25519") { return 255 }
        if name.hasPrefix("curveSM2") { return 256 }
        return name.firstNumber
    }

    /// The strength against classical computers, as the length of a symmetric key in bits, or `nil` for an unknown group.
    ///
    /// The values are those of NIST SP 800-57 Part 1, table 2, and FIPS 203, table 2. A hybrid is as strong as the stronger of its
    /// parts.
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

    /// The strengths of the primes of RFC 7919 (SP 800-56A, appendix D).
    private static let fieldStrengths = [2048: 112, 3072: 128, 4096: 152, 6144: 176, 8192: 200]
}

// MARK: - Versions

extension NamedGroup {
    /// `true` if TLS 1.3 can use the group.
    ///
    /// RFC 8446 §4.2.7 leaves out the curves that RFC 8422 deprecates, and RFC 8734 gives Brainpool's curves new numbers.
    public var isUsableInTLS13: Bool {
        guard self.kind == .ellipticCurve else { return self.kind != nil }
        return (23...25).contains(self.rawValue) || (29...41).contains(self.rawValue)
    }

    /// `true` if TLS 1.2 and older can use the group.
    public var isUsableBeforeTLS13: Bool {
        switch self.kind {
        case .finiteField: true
        // RFC 8734 §1: not before TLS 1.3. The same holds for RFC 8998.
        case .ellipticCurve: !(31...33).contains(self.rawValue) && self.rawValue != 41
        case .postQuantum, .hybrid, nil: false
        }
    }
}

extension String {
    /// The first number in the name: 256 in `secp256r1`.
    fileprivate var firstNumber: Int? {
        let digits = self.drop { !$0.isASCII || !$0.isNumber }.prefix { $0.isASCII && $0.isNumber }
        return Int(digits)
    }
}
