//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

package import CertificatePath

/// A revocation list to be written and signed.
package struct TestRevocationList: Sendable {
    package var issuer: [UInt8]
    package var signer: TestKey
    package var version: [UInt8] = DER.number(1)
    package var thisUpdate = DER.utcTime("260530000000Z")
    package var nextUpdate: [UInt8] = DER.utcTime("260630000000Z")
    package var entries: [Entry] = []
    package var extensions: [TestExtension] = [.listNumber(5)]
    /// The content of the signature, when it is not the right one.
    package var signature: [UInt8]?
    /// The algorithm of the signature; the signer's own when not set.
    package var algorithm: TestAlgorithm?

    package struct Entry: Sendable {
        package var serial: [UInt8]
        package var extensions: [TestExtension]
        /// Stands for the whole entry when set.
        package var whole: [UInt8]?

        package init(serial: [UInt8], extensions: [TestExtension] = [], whole: [UInt8]? = nil) {
            self.serial = serial
            self.extensions = extensions
            self.whole = whole
        }

        package var encoded: [UInt8] {
            self.whole
                ?? DER.sequence(
                    self.serial, DER.utcTime("260520000000Z"),
                    self.extensions.isEmpty ? [] : DER.list(self.extensions.map(\.encoded)))
        }
    }

    /// A list of an authority with the serial numbers it revokes.
    package init(
        _ authority: CraftedAuthority, revoking serials: [[UInt8]] = [],
        _ change: (inout TestRevocationList) -> Void = { _ in }
    ) {
        self.issuer = authority.name
        self.signer = authority.key
        self.entries = serials.map { Entry(serial: $0) }
        change(&self)
    }

    package func view() throws -> CertificateList {
        let chosen = self.algorithm ?? self.signer.algorithm
        let algorithm = chosen.identifier
        let body = DER.sequence(
            self.version, algorithm, self.issuer, self.thisUpdate, self.nextUpdate,
            self.entries.isEmpty ? [] : DER.list(self.entries.map(\.encoded)),
            self.extensions.isEmpty ? [] : DER.element(0xA0, DER.list(self.extensions.map(\.encoded))))
        let signature = try self.signature ?? self.signer.sign(body, chosen)
        return try CertificateList(der: DER.sequence(body, algorithm, DER.bitString(signature)))
    }

    package mutating func set(_ item: TestExtension) {
        self.extensions.removeAll { $0.oid == item.oid }
        self.extensions.append(item)
    }
}

extension TestExtension {
    package static func listNumber(_ number: Int, critical: Bool = false) -> TestExtension {
        TestExtension("2.5.29.20", critical: critical, DER.number(number))
    }

    package static func deltaFrom(_ number: Int) -> TestExtension {
        TestExtension("2.5.29.27", critical: true, DER.number(number))
    }

    package static func reason(_ code: UInt8) -> TestExtension { TestExtension("2.5.29.21", DER.element(0x0A, [code])) }

    /// The issuer an entry of an indirect list is about.
    package static func entryIssuer(_ name: [UInt8]) -> TestExtension {
        TestExtension("2.5.29.29", critical: true, DER.sequence(DER.element(0xA4, name)))
    }

    /// An issuing distribution point from its fields.
    package static func listScope(_ fields: [UInt8]...) -> TestExtension {
        TestExtension("2.5.29.28", critical: true, DER.element(0x30, Array(fields.joined())))
    }

    /// Distribution points of a certificate, each from its fields.
    package static func distributionPoints(_ points: [[UInt8]]...) -> TestExtension {
        self.distributionPoints(ofAll: points)
    }

    package static func distributionPoints(ofAll points: [[[UInt8]]]) -> TestExtension {
        TestExtension("2.5.29.31", DER.list(points.map { DER.element(0x30, Array($0.joined())) }))
    }
}

/// Fields of distribution points.
package enum Point {
    package static func uri(_ text: String) -> [UInt8] {
        DER.element(0xA0, DER.element(0xA0, DER.element(0x86, Array(text.utf8))))
    }

    package static func relative(_ commonName: String) -> [UInt8] {
        DER.element(0xA0, DER.element(0xA1, DER.sequence(DER.oid("2.5.4.3"), DER.utf8(commonName))))
    }

    package static func directory(_ name: [UInt8]) -> [UInt8] {
        DER.element(0xA0, DER.element(0xA0, DER.element(0xA4, name)))
    }
    package static func reasons(_ octets: UInt8..., list: Bool = false) -> [UInt8] {
        DER.element(list ? 0x83 : 0x81, [UInt8(octets.last?.trailingZeroBitCount ?? 0)] + octets)
    }
    package static func issuer(_ name: [UInt8]) -> [UInt8] { self.issuers([name]) }
    package static func issuers(_ names: [[UInt8]]) -> [UInt8] {
        DER.element(0xA2, Array(names.map { DER.element(0xA4, $0) }.joined()))
    }
    package static let onlyUsers = DER.element(0x81, [0xFF])
    package static let onlyAuthorities = DER.element(0x82, [0xFF])
    package static let indirect = DER.element(0x84, [0xFF])
    package static let onlyAttributes = DER.element(0x85, [0xFF])
}
