//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import CertificatePath

/// A revocation list to be written and signed.
struct TestRevocationList: Sendable {
    var issuer: [UInt8]
    var signer: TestKey
    var version: [UInt8] = DER.number(1)
    var thisUpdate = DER.utcTime("260530000000Z")
    var nextUpdate: [UInt8] = DER.utcTime("260630000000Z")
    var entries: [Entry] = []
    var extensions: [TestExtension] = [.listNumber(5)]
    /// The content of the signature, when it is not the right one.
    var signature: [UInt8]?
    /// The algorithm of the signature; the signer's own when not set.
    var algorithm: TestAlgorithm?

    struct Entry: Sendable {
        var serial: [UInt8]
        var extensions: [TestExtension] = []
        /// Stands for the whole entry when set.
        var whole: [UInt8]?

        var encoded: [UInt8] {
            self.whole
                ?? DER.sequence(
                    self.serial, DER.utcTime("260520000000Z"),
                    self.extensions.isEmpty ? [] : DER.list(self.extensions.map(\.encoded)))
        }
    }

    /// A list of an authority with the serial numbers it revokes.
    init(
        _ authority: TestAuthority, revoking serials: [[UInt8]] = [],
        _ change: (inout TestRevocationList) -> Void = { _ in }
    ) {
        (self.issuer, self.signer) = (authority.name, authority.key)
        self.entries = serials.map { Entry(serial: $0) }
        change(&self)
    }

    func view() throws -> CertificateList {
        let chosen = self.algorithm ?? self.signer.algorithm
        let algorithm = chosen.identifier
        let body = DER.sequence(
            self.version, algorithm, self.issuer, self.thisUpdate, self.nextUpdate,
            self.entries.isEmpty ? [] : DER.list(self.entries.map(\.encoded)),
            self.extensions.isEmpty ? [] : DER.element(0xA0, DER.list(self.extensions.map(\.encoded))))
        let signature = try self.signature ?? self.signer.sign(body, chosen)
        return try CertificateList(der: DER.sequence(body, algorithm, DER.bitString(signature)))
    }

    mutating func set(_ item: TestExtension) {
        self.extensions.removeAll { $0.oid == item.oid }
        self.extensions.append(item)
    }
}

extension TestExtension {
    static func listNumber(_ number: Int, critical: Bool = false) -> TestExtension {
        TestExtension("2.5.29.20", critical: critical, DER.number(number))
    }

    static func deltaFrom(_ number: Int) -> TestExtension {
        TestExtension("2.5.29.27", critical: true, DER.number(number))
    }

    static func reason(_ code: UInt8) -> TestExtension { TestExtension("2.5.29.21", DER.element(0x0A, [code])) }

    /// The issuer an entry of an indirect list is about.
    static func entryIssuer(_ name: [UInt8]) -> TestExtension {
        TestExtension("2.5.29.29", critical: true, DER.sequence(DER.element(0xA4, name)))
    }

    /// An issuing distribution point from its fields.
    static func listScope(_ fields: [UInt8]...) -> TestExtension {
        TestExtension("2.5.29.28", critical: true, DER.element(0x30, Array(fields.joined())))
    }

    /// Distribution points of a certificate, each from its fields.
    static func distributionPoints(_ points: [[UInt8]]...) -> TestExtension {
        TestExtension("2.5.29.31", DER.list(points.map { DER.element(0x30, Array($0.joined())) }))
    }
}

/// Fields of distribution points.
enum Point {
    static func uri(_ text: String) -> [UInt8] {
        DER.element(0xA0, DER.element(0xA0, DER.element(0x86, Array(text.utf8))))
    }

    static func relative(_ commonName: String) -> [UInt8] {
        DER.element(0xA0, DER.element(0xA1, DER.sequence(DER.oid("2.5.4.3"), DER.utf8(commonName))))
    }

    static func directory(_ name: [UInt8]) -> [UInt8] { DER.element(0xA0, DER.element(0xA0, DER.element(0xA4, name))) }
    static func reasons(_ octets: UInt8..., list: Bool = false) -> [UInt8] {
        DER.element(list ? 0x83 : 0x81, [UInt8(octets.last?.trailingZeroBitCount ?? 0)] + octets)
    }
    static func issuer(_ name: [UInt8]) -> [UInt8] { DER.element(0xA2, DER.element(0xA4, name)) }
    static let onlyUsers = DER.element(0x81, [0xFF])
    static let onlyAuthorities = DER.element(0x82, [0xFF])
    static let indirect = DER.element(0x84, [0xFF])
    static let onlyAttributes = DER.element(0x85, [0xFF])
}
