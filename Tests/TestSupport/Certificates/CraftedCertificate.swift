//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

package import CertificatePath

extension DER {
    /// A non-negative INTEGER in the fewest octets.
    package static func number(_ value: Int) -> [UInt8] {
        var octets: [UInt8] = []
        var rest = value
        repeat {
            octets.insert(UInt8(rest & 0xFF), at: 0)
            rest >>= 8
        } while rest > 0
        return self.element(0x02, octets[0] >= 0x80 ? [0] + octets : octets)
    }

    package static func utcTime(_ text: String) -> [UInt8] { self.element(0x17, Array(text.utf8)) }
    package static func generalizedTime(_ text: String) -> [UInt8] { self.element(0x18, Array(text.utf8)) }
    package static func list(_ parts: [[UInt8]], tag: UInt8 = 0x30) -> [UInt8] {
        self.element(tag, Array(parts.joined()))
    }
}

/// An extension to be written.
package struct TestExtension: Sendable {
    package let oid: String
    package var isCritical: Bool
    package var value: [UInt8]

    package init(_ oid: String, critical: Bool = false, _ value: [UInt8]) {
        self.oid = oid
        self.isCritical = critical
        self.value = value
    }

    package var encoded: [UInt8] { TestDER.extensionItem(self.oid, critical: self.isCritical, self.value) }

    package static func basicConstraints(_ isCA: Bool, pathLength: Int? = nil, critical: Bool = true) -> TestExtension {
        let value = DER.sequence(isCA ? [0x01, 0x01, 0xFF] : [], pathLength.map(DER.number) ?? [])
        return TestExtension("2.5.29.19", critical: critical, value)
    }

    /// Key usage by named bits, counted from `digitalSignature` (0).
    package static func keyUsage(_ bits: Int..., critical: Bool = true) -> TestExtension {
        var octets: [UInt8] = [0, 0]
        for bit in bits { octets[bit / 8] |= 0x80 >> UInt8(bit % 8) }
        if octets[1] == 0 { octets.removeLast() }
        return TestExtension("2.5.29.15", critical: critical, DER.bitString(octets))
    }

    package static func extendedKeyUsage(_ usages: String..., critical: Bool = false) -> TestExtension {
        TestExtension("2.5.29.37", critical: critical, DER.list(usages.map(DER.oid)))
    }

    package static func alternativeNames(_ names: [TestName], critical: Bool = false) -> TestExtension {
        TestExtension("2.5.29.17", critical: critical, DER.list(names.map(\.encoded)))
    }

    package static func subjectKeyIdentifier(_ identifier: [UInt8], critical: Bool = false) -> TestExtension {
        TestExtension("2.5.29.14", critical: critical, DER.octetString(identifier))
    }

    package static func authorityKeyIdentifier(_ identifier: [UInt8], critical: Bool = false) -> TestExtension {
        TestExtension("2.5.29.35", critical: critical, DER.sequence(DER.element(0x80, identifier)))
    }

    package static func nameConstraints(
        permitted: [TestName] = [], excluded: [TestName] = [], critical: Bool = true
    ) -> TestExtension {
        TestExtension(
            "2.5.29.30", critical: critical, TestDER.nameConstraints(permitted: permitted, excluded: excluded))
    }

    package static func policies(_ policies: [String]) -> TestExtension {
        TestExtension("2.5.29.32", DER.list(policies.map { DER.sequence(DER.oid($0)) }))
    }

    package static func policyMappings(_ pairs: [(String, String)]) -> TestExtension {
        TestExtension(
            "2.5.29.33", critical: true, DER.list(pairs.map { DER.sequence(DER.oid($0.0), DER.oid($0.1)) }))
    }

    package static func policyConstraints(explicit: UInt8? = nil, mapping: UInt8? = nil) -> TestExtension {
        let parts = (explicit.map { DER.element(0x80, [$0]) } ?? []) + (mapping.map { DER.element(0x81, [$0]) } ?? [])
        return TestExtension("2.5.29.36", critical: true, DER.sequence(parts))
    }

    package static func inhibitAnyPolicy(_ skip: UInt8) -> TestExtension {
        TestExtension("2.5.29.54", critical: true, DER.integer(skip))
    }
}

/// A certificate to be signed, of which every field can be set to anything.
package struct CraftedCertificate: Sendable {
    package var version: [UInt8] = DER.element(0xA0, DER.integer(2))
    package var serialNumber: [UInt8] = DER.element(0x02, [0x2A, 0x01])
    package var issuer: [UInt8]
    package var notBefore = DER.utcTime("260501000000Z")
    package var notAfter = DER.utcTime("260801000000Z")
    package var subject: [UInt8]
    /// The SubjectPublicKeyInfo.
    package var key: [UInt8]
    /// Whatever stands between the key and the extensions.
    package var uniqueIdentifiers: [UInt8] = []
    package var extensions: [TestExtension] = []
    /// Stands for the whole `[3]` field when set.
    package var extensionField: [UInt8]?
    /// Whatever follows the extensions.
    package var trailer: [UInt8] = []
    package var signer: TestKey
    package var algorithm: TestAlgorithm
    /// The AlgorithmIdentifiers that are written, when they are not the one that is used.
    package var innerAlgorithm: [UInt8]?
    package var outerAlgorithm: [UInt8]?
    /// The content of the signature, when it is not the right one.
    package var signature: [UInt8]?

    package func encoded() throws -> [UInt8] {
        let body = self.body()
        let signature = try self.signature ?? self.signer.sign(body, self.algorithm)
        return DER.sequence(body, self.outerAlgorithm ?? self.algorithm.identifier, DER.bitString(signature))
    }

    package func body() -> [UInt8] {
        let field = self.extensions.isEmpty ? [] : DER.element(0xA3, DER.list(self.extensions.map(\.encoded)))
        return DER.sequence(
            self.version, self.serialNumber, self.innerAlgorithm ?? self.algorithm.identifier, self.issuer,
            DER.sequence(self.notBefore, self.notAfter), self.subject, self.key, self.uniqueIdentifiers,
            self.extensionField ?? field, self.trailer)
    }

    package func view() throws -> CertificateView { try CertificateView(der: self.encoded()) }

    /// Puts an extension in the place of one with the same identifier, or at the end.
    package mutating func set(_ item: TestExtension) {
        guard let index = self.extensions.firstIndex(where: { $0.oid == item.oid }) else {
            self.extensions.append(item)
            return
        }
        self.extensions[index] = item
    }

    package mutating func remove(_ oid: String) { self.extensions.removeAll { $0.oid == oid } }

    /// Makes it a version 1 certificate.
    package mutating func makeVersion1() { (self.version, self.extensions) = ([], []) }

    package mutating func setAlgorithm(_ algorithm: TestAlgorithm) { self.algorithm = algorithm }
}
