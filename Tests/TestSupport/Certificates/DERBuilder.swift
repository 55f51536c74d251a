//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

package import CertificatePath

/// Writes DER, right or wrong as a test wants it.
package enum DER {
    package static func element(_ tag: UInt8, _ content: [UInt8]) -> [UInt8] {
        [tag] + self.length(content.count) + content
    }

    package static func sequence(_ parts: [UInt8]...) -> [UInt8] { self.element(0x30, Array(parts.joined())) }
    package static func set(_ parts: [UInt8]...) -> [UInt8] { self.element(0x31, Array(parts.joined())) }
    package static func integer(_ value: UInt8) -> [UInt8] { self.element(0x02, [value]) }
    package static func octetString(_ content: [UInt8]) -> [UInt8] { self.element(0x04, content) }
    package static func bitString(_ content: [UInt8]) -> [UInt8] { self.element(0x03, [0] + content) }
    package static func oid(_ text: String) -> [UInt8] { self.element(0x06, OID(text)?.contents ?? []) }
    package static func utf8(_ text: String) -> [UInt8] { self.element(0x0C, Array(text.utf8)) }
    package static func ia5(_ text: String) -> [UInt8] { self.element(0x16, Array(text.utf8)) }
    package static func printable(_ text: String) -> [UInt8] { self.element(0x13, Array(text.utf8)) }

    private static func length(_ count: Int) -> [UInt8] {
        if count < 0x80 { return [UInt8(count)] }
        var octets: [UInt8] = []
        var rest = count
        while rest > 0 {
            octets.insert(UInt8(rest & 0xFF), at: 0)
            rest >>= 8
        }
        return [0x80 | UInt8(octets.count)] + octets
    }
}

/// A GeneralName to be written.
package enum TestName: Sendable, CustomStringConvertible {
    case dns(String)
    case dnsOctets([UInt8])
    case ip([UInt8])
    case email(String)
    case uri(String)
    case directory([[TestAttribute]])
    case otherName
    case registeredID
    case x400
    case ediParty

    package var encoded: [UInt8] {
        switch self {
        case .dns(let text): DER.element(0x82, Array(text.utf8))
        case .dnsOctets(let octets): DER.element(0x82, octets)
        case .ip(let octets): DER.element(0x87, octets)
        case .email(let text): DER.element(0x81, Array(text.utf8))
        case .uri(let text): DER.element(0x86, Array(text.utf8))
        case .directory(let name): DER.element(0xA4, TestDER.name(name))
        case .otherName: DER.element(0xA0, DER.oid("1.2.3.4") + DER.element(0xA0, DER.utf8("x")))
        case .registeredID: DER.element(0x88, [0x2A, 0x03])
        case .x400: DER.element(0xA3, DER.sequence())
        case .ediParty: DER.element(0xA5, DER.element(0x81, Array("x".utf8)))
        }
    }

    package var description: String {
        switch self {
        case .dns(let text), .email(let text), .uri(let text): text
        case .dnsOctets(let octets), .ip(let octets): "\(octets)"
        case .directory(let name): "\(name)"
        case .otherName: "otherName"
        case .registeredID: "registeredID"
        case .x400: "x400Address"
        case .ediParty: "ediPartyName"
        }
    }
}

/// One attribute of a relative name.
package struct TestAttribute: Sendable {
    package let type: String
    package let tag: UInt8
    package let value: [UInt8]

    package init(_ type: String, _ value: String, tag: UInt8 = 0x0C) {
        self.type = type
        self.tag = tag
        self.value = Array(value.utf8)
    }

    package static func cn(_ value: String) -> TestAttribute { TestAttribute("2.5.4.3", value) }
    package static func o(_ value: String, tag: UInt8 = 0x0C) -> TestAttribute {
        TestAttribute("2.5.4.10", value, tag: tag)
    }
    package static func c(_ value: String) -> TestAttribute { TestAttribute("2.5.4.6", value, tag: 0x13) }
    package static func email(_ value: String) -> TestAttribute {
        TestAttribute("1.2.840.113549.1.9.1", value, tag: 0x16)
    }
}

/// Makes certificates that parse and are not signed.
package enum TestDER {
    package static func name(_ name: [[TestAttribute]]) -> [UInt8] {
        DER.element(
            0x30,
            name.flatMap { attributes in
                DER.element(
                    0x31, attributes.flatMap { DER.sequence(DER.oid($0.type), DER.element($0.tag, $0.value)) })
            }
        )
    }

    /// The NameConstraints SEQUENCE.
    package static func nameConstraints(permitted: [TestName] = [], excluded: [TestName] = []) -> [UInt8] {
        func list(_ tag: UInt8, _ names: [TestName]) -> [UInt8] {
            names.isEmpty ? [] : DER.element(tag, names.flatMap { DER.sequence($0.encoded) })
        }
        return DER.sequence(list(0xA0, permitted), list(0xA1, excluded))
    }

    package static func extensionItem(_ oid: String, critical: Bool = false, _ value: [UInt8]) -> [UInt8] {
        DER.sequence(DER.oid(oid), critical ? [0x01, 0x01, 0xFF] : [], DER.octetString(value))
    }

    package static func certificate(
        san: [TestName] = [], subject: [[TestAttribute]] = [], nameConstraints: [UInt8]? = nil,
        constraintsAreCritical: Bool = true
    ) throws -> CertificateView {
        var extensions: [UInt8] = []
        if !san.isEmpty {
            extensions += self.extensionItem("2.5.29.17", DER.element(0x30, san.flatMap(\.encoded)))
        }
        if let nameConstraints {
            extensions += self.extensionItem("2.5.29.30", critical: constraintsAreCritical, nameConstraints)
        }
        return try CertificateView(der: self.encode(subject: self.name(subject), extensions: extensions))
    }

    package static func encode(subject: [UInt8], extensions: [UInt8]) -> [UInt8] {
        let algorithm = DER.sequence(DER.oid("1.2.840.10045.4.3.2"))
        let key = DER.sequence(
            DER.sequence(DER.oid("1.2.840.10045.2.1"), DER.oid("1.2.840.10045.3.1.7")),
            DER.bitString([0x04] + Array(repeating: 0x11, count: 64))
        )
        let time = DER.element(0x17, Array("260101000000Z".utf8))
        let body = DER.sequence(
            DER.element(0xA0, DER.integer(2)), DER.integer(1), algorithm, self.name([[.cn("Issuer")]]),
            DER.sequence(time, time), subject, key,
            extensions.isEmpty ? [] : DER.element(0xA3, DER.element(0x30, extensions))
        )
        return DER.sequence(body, algorithm, DER.bitString([0x30, 0x00]))
    }
}
