//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// The cost of verifying a signature, in fortieths of a P-256 verification. One unit is about a microsecond.
///
/// The costs were measured with BoringSSL on x86-64 (docs/performance.md). A certificate of a kilobyte can carry a key
/// whose verification costs 25 times another's, so a limit on the number of verifications does not bound the work.
enum SignatureCost {
    /// The cost of a P-256 verification, the unit of ``Budget/fruitlessSignatures``.
    static let p256 = 40

    /// The maximum that all proven keys together add for failed verifications. With ``Budget/fruitlessSignatures``,
    /// the allowance for the size of the input and the last verification, fruitless work costs at most sixty P-256
    /// verifications.
    static let maximumPaybacks = 15 * Self.p256

    static func limit(of budget: Budget, octets: Int) -> Int {
        let signatures = max(0, min(budget.fruitlessSignatures, 1 << 32)) * Self.p256
        return signatures + min(max(0, octets), 1 << 40) / Self.octetsPerUnitAllowed
    }

    static func verification(with key: SubjectPublicKeyInfo, octets: Int) -> Int {
        Self.arithmetic(of: key) + octets / Self.octetsPerUnit
    }

    /// The octets hashed in one unit. SHA-1, SHA-384 and SHA-512 take about 1.5 ns an octet, SHA-256 with its instructions 0.6.
    private static let octetsPerUnit = 700
    /// The octets of input that allow one more unit.
    private static let octetsPerUnitAllowed = 1_000

    private static func arithmetic(of key: SubjectPublicKeyInfo) -> Int {
        switch key.kind {
        // The cost of a multiplication grows with the square of the size. A key of 2,048 bits costs 14 units.
        case .rsa: max(4, key.bits / 64 * (key.bits / 64) / 73)
        case .p256: Self.p256
        case .ed25519: 60
        case .p384: 400
        case .p521: 1_000
        case .p192, .p224, .otherCurve, .explicitCurve, .ed448, .mlDSA44, .mlDSA65, .mlDSA87, .unknown: 1
        }
    }
}
