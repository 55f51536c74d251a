//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// What verifying a signature costs, in fortieths of a P-256 verification: about a microsecond.
///
/// Measured with BoringSSL on x86-64 (docs/performance.md). A certificate of a kilobyte can carry a key whose
/// verification costs 25 times another's, so counting verifications alone bounds nothing.
enum SignatureCost {
    /// The unit that ``Budget/fruitlessSignatures`` counts.
    static let p256 = 40

    /// What all proven keys together pay for verifications that fail: with ``Budget/fruitlessSignatures``, what is supplied
    /// and the last verification, what leads nowhere costs at most sixty P-256 verifications.
    static let maximumPaybacks = 15 * Self.p256

    static func limit(of budget: Budget, octets: Int) -> Int {
        let signatures = max(0, min(budget.fruitlessSignatures, 1 << 32)) * Self.p256
        return signatures + min(max(0, octets), 1 << 40) / Self.octetsPerUnitAllowed
    }

    static func verification(with key: SubjectPublicKeyInfo, octets: Int) -> Int {
        Self.arithmetic(of: key) + octets / Self.octetsPerUnit
    }

    /// SHA-1, SHA-384 and SHA-512 take about 1.5 ns an octet, SHA-256 with its instructions 0.6.
    private static let octetsPerUnit = 700
    /// What each supplied octet may cost.
    private static let octetsPerUnitAllowed = 1_000

    private static func arithmetic(of key: SubjectPublicKeyInfo) -> Int {
        switch key.kind {
        // The cost of a multiplication grows with the square of the size; 2,048 bits take 14 units.
        case .rsa: max(4, key.bits / 64 * (key.bits / 64) / 73)
        case .p256: Self.p256
        case .ed25519: 60
        case .p384: 400
        case .p521: 1_000
        case .p192, .p224, .otherCurve, .explicitCurve, .ed448, .unknown: 1
        }
    }
}
