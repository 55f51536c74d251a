//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import TestSupport
import Testing

@testable import CertificatePath

/// The code that parsing a certificate ends with; `nil` when it parses.
func parsingError(_ der: [UInt8]) -> DERError.Code? {
    do {
        _ = try CertificateView(der: der)
        return nil
    } catch {
        return error.code
    }
}

func parsingError(_ change: (inout CraftedCertificate) -> Void) throws -> DERError.Code? {
    try parsingError(TestChain.second.leafTemplate(.p256(100), change).encoded())
}

@Suite("The form of certificates")
struct CertificateFormTests {
    @Test("A certificate is one element with nothing after it")
    func outermost() throws {
        let der = try TestChain().leaf.bytes
        #expect(parsingError(der) == nil)
        #expect(parsingError([]) == .empty)
        #expect(parsingError([0x30]) == .truncated)
        #expect(parsingError([0x31] + der.dropFirst()) == .unexpectedTag)
        #expect(parsingError(der + [0]) == .trailingBytes)
        #expect(parsingError(Array(der.dropLast())) == .truncated)
    }

    @Test("Lengths are definite and in the fewest octets")
    func lengths() throws {
        let certificate = TestChain.second.leafTemplate()
        let parts = certificate.body() + certificate.algorithm.identifier + DER.bitString([0x30, 0])
        let count = parts.count
        let octets = [UInt8(count >> 8), UInt8(count & 0xFF)]
        #expect(parsingError([0x30, 0x82] + octets + parts) == nil)
        #expect(parsingError([0x30, 0x83, 0] + octets + parts) == .nonMinimalLength)
        #expect(parsingError([0x30, 0x84, 0, 0] + octets + parts) == .nonMinimalLength)
        #expect(parsingError([0x30, 0x85, 0, 0, 0] + octets + parts) == .truncated)
        #expect(parsingError([0x30, 0x80] + parts + [0, 0]) == .indefiniteLength)
        #expect(parsingError([0x30, 0x84, 0xFF, 0xFF, 0xFF, 0xFF] + parts) == .truncated)
        #expect(parsingError([0x30, 0x82, 0x01]) == .truncated)
        #expect(try parsingError { $0.serialNumber = [0x02, 0x81, 0x01, 0x05] } == .nonMinimalLength)
        #expect(try parsingError { $0.serialNumber = [0x02, 0x80, 0x05, 0, 0] } == .indefiniteLength)
        #expect(parsingError([0x3F, 0x30, 0x00]) == .unexpectedTag)
    }

    @Test("Tag numbers above 30 are refused wherever any tag is allowed")
    func highTagNumbers() throws {
        let time: [UInt8] = [0x1F, 0x18, 0x01, 0x30]
        #expect(try parsingError { $0.notBefore = time } == .highTagNumber)
    }

    @Test("Nothing may follow the last element of any field")
    func trailingBytes() throws {
        let good = TestChain.second.leafTemplate()
        let extra: [UInt8] = [5, 0]
        func der(_ body: [UInt8], _ algorithm: [UInt8], _ signature: [UInt8], _ rest: [UInt8] = []) -> [UInt8] {
            DER.sequence(body, algorithm, signature, rest)
        }
        let algorithm = good.algorithm.identifier
        let signature = DER.bitString([0x30, 0])
        #expect(parsingError(der(good.body(), algorithm, signature)) == nil)
        #expect(parsingError(der(good.body(), algorithm, signature, extra)) == .trailingBytes)
        let two = DER.sequence(DER.oid("1.2.840.113549.1.1.11"), extra, extra)
        #expect(parsingError(der(good.body(), two, signature)) == .trailingBytes)
        #expect(try parsingError { $0.innerAlgorithm = two } == .trailingBytes)
        #expect(try parsingError { $0.trailer = extra } == .trailingBytes)
        #expect(try parsingError { $0.version = DER.element(0xA0, DER.integer(2) + extra) } == .trailingBytes)
        #expect(try parsingError { $0.notAfter += extra } == .trailingBytes)
        #expect(try parsingError { $0.key = DER.sequence(Array($0.key.dropFirst(2)), extra) } == .trailingBytes)
        let item = TestExtension.keyUsage(0).encoded
        #expect(
            try parsingError { $0.extensionField = DER.element(0xA3, DER.sequence(item) + extra) } == .trailingBytes)
        let long = DER.sequence(Array(item.dropFirst(2)), extra)
        #expect(try parsingError { $0.extensionField = DER.element(0xA3, DER.sequence(long)) } == .trailingBytes)
        let curve = DER.sequence(DER.oid("1.2.840.10045.2.1"), DER.oid("1.2.840.10045.3.1.7"), extra)
        #expect(try parsingError { $0.key = DER.sequence(curve, DER.bitString([4])) } == .trailingBytes)
    }

    @Test("Every field has its own tag")
    func tags() throws {
        #expect(try parsingError { $0.version = DER.element(0xA1, DER.integer(2)) } == .unexpectedTag)
        #expect(try parsingError { $0.version = DER.element(0xA0, DER.octetString([2])) } == .unexpectedTag)
        #expect(try parsingError { $0.serialNumber = DER.octetString([1]) } == .unexpectedTag)
        #expect(try parsingError { $0.innerAlgorithm = DER.set() } == .unexpectedTag)
        #expect(try parsingError { $0.issuer = DER.set() } == .unexpectedTag)
        #expect(try parsingError { $0.subject = DER.set() } == .unexpectedTag)
        #expect(try parsingError { $0.notBefore = DER.ia5("260501000000Z") } == .unexpectedTag)
        #expect(try parsingError { $0.key = DER.set() } == .unexpectedTag)
        #expect(try parsingError { $0.outerAlgorithm = DER.set() } == .unexpectedTag)
        #expect(try parsingError { $0.innerAlgorithm = DER.sequence() } == .truncated)
        #expect(try parsingError { $0.extensionField = DER.element(0xA3, DER.set()) } == .unexpectedTag)
        #expect(
            try parsingError { $0.key = DER.sequence(DER.sequence(DER.oid("1.2.3")), DER.octetString([0])) }
                == .unexpectedTag)
    }

    @Test(
        "The version is 2 or 3, or not written at all",
        arguments: [
            (DER.integer(0), DERError.Code.invalidVersion), (DER.integer(3), .invalidVersion),
            (DER.integer(4), .invalidVersion), ([0x02, 0x02, 0x00, 0x02], .invalidInteger),
            ([0x02, 0x01, 0xFF], .invalidInteger), ([0x02, 0x00], .invalidInteger),
            ([0x02, 0x05, 0x01, 0, 0, 0, 0], .invalidInteger), ([0x02, 0x06, 0x01, 0, 0, 0, 0, 0], .invalidInteger),
        ])
    func version(integer: [UInt8], code: DERError.Code) throws {
        #expect(try parsingError { $0.version = DER.element(0xA0, integer) } == code)
    }

    @Test("Versions 1 and 2 are read, and have no extensions")
    func oldVersions() throws {
        let chain = TestChain.second
        #expect(try chain.leaf { $0.makeVersion1() }.version == 1)
        #expect(
            try chain.leaf {
                $0.makeVersion1()
                $0.version = DER.element(0xA0, DER.integer(1))
            }.version == 2)
        #expect(try chain.leaf().version == 3)
        #expect(try parsingError { $0.version = [] } == .extensionsBeforeVersion3)
        #expect(try parsingError { $0.version = DER.element(0xA0, DER.integer(1)) } == .extensionsBeforeVersion3)
    }

    @Test("Serial numbers are integers of at most 37 octets, with any sign")
    func serialNumbers() throws {
        func error(_ octets: [UInt8]) throws -> DERError.Code? {
            try parsingError { $0.serialNumber = DER.element(0x02, octets) }
        }
        for octets: [UInt8] in [
            [0], [0x7F], [0xFF], [0x80], [0, 0x80], Array(repeating: 0x11, count: 20),
            Array(repeating: 0x11, count: 21),
            [0] + Array(repeating: 0x91, count: 20), Array(repeating: 0x11, count: 37),
        ] {
            #expect(try error(octets) == nil)
            #expect(try TestChain.second.leaf { $0.serialNumber = DER.element(0x02, octets) }.serialNumber == octets)
        }
        #expect(try error(Array(repeating: 0x11, count: 38)) == .invalidSerialNumber)
        #expect(try error([]) == .invalidInteger)
        #expect(try error([0, 1]) == .invalidInteger)
        #expect(try error([0xFF, 0x80]) == .invalidInteger)
    }

    @Test("Unique identifiers are passed over, in their order")
    func uniqueIdentifiers() throws {
        #expect(try parsingError { $0.uniqueIdentifiers = [0x81, 2, 0, 1, 0x82, 2, 0, 1] } == nil)
        #expect(try parsingError { $0.uniqueIdentifiers = [0x82, 2, 0, 1] } == nil)
        #expect(try parsingError { $0.uniqueIdentifiers = [0x82, 2, 0, 1, 0x81, 2, 0, 1] } == .trailingBytes)
    }

    @Test("The signature and the key are whole octets")
    func bitStrings() throws {
        let good = TestChain.second.leafTemplate()
        func error(_ content: [UInt8]) -> DERError.Code? {
            parsingError(DER.sequence(good.body(), good.algorithm.identifier, DER.element(0x03, content)))
        }
        #expect(error([0, 0x30, 0]) == nil)
        #expect(error([0]) == nil)
        #expect(error([]) == .invalidBitString)
        #expect(error([1]) == .invalidBitString)
        #expect(error([1, 0xFE]) == .invalidBitString)
        #expect(error([1, 0xFF]) == .invalidBitString)
        #expect(error([8, 0x00]) == .invalidBitString)
        let algorithm = DER.sequence(DER.oid("1.2.840.10045.2.1"), DER.oid("1.2.840.10045.3.1.7"))
        #expect(
            try parsingError { $0.key = DER.sequence(algorithm, DER.element(0x03, [1, 0x04])) } == .invalidPublicKey)
    }

    @Test("Object identifiers are not empty and have an end")
    func objectIdentifiers() throws {
        for content: [UInt8] in [[], [0x80], [0x2A, 0x86]] {
            #expect(
                try parsingError { $0.innerAlgorithm = DER.sequence(DER.element(0x06, content)) }
                    == .invalidObjectIdentifier)
        }
    }

    @Test("Extensions are there when their field is, each once in a list of at most 256")
    func extensionLists() throws {
        #expect(try parsingError { $0.extensionField = DER.element(0xA3, DER.sequence()) } == .emptyCollection)
        #expect(try parsingError { $0.extensionField = DER.element(0xA3, []) } == .truncated)
        func many(_ count: Int) -> [TestExtension] { (0..<count).map { TestExtension("1.2.3.\($0)", []) } }
        #expect(try parsingError { $0.extensions = many(256) } == nil)
        #expect(try parsingError { $0.extensions = many(257) } == .tooManyElements)
    }

    @Test(
        "Criticality is FALSE, TRUE or not written",
        arguments: [
            ([], nil), ([1, 1, 0xFF], nil), ([1, 1, 0], nil), ([1, 1, 1], .invalidBoolean),
            ([1, 1, 0x7F], .invalidBoolean),
            ([1, 0], .invalidBoolean), ([1, 2, 0xFF, 0xFF], .invalidBoolean), ([2, 1, 0xFF], .unexpectedTag),
        ] as [([UInt8], DERError.Code?)])
    func booleans(boolean: [UInt8], code: DERError.Code?) throws {
        let item = DER.sequence(DER.oid("1.2.3"), boolean, DER.octetString([]))
        #expect(try parsingError { $0.extensionField = DER.element(0xA3, DER.sequence(item)) } == code)
    }

    @Test("Names that are none are noticed and not fatal, so that the reason can be told")
    func names() throws {
        for name in [
            DER.sequence(DER.set()), DER.sequence(DER.sequence()),
            DER.sequence(DER.set(DER.sequence(DER.oid("2.5.4.3")))),
            DER.sequence(DER.set(DER.sequence(DER.oid("2.5.4.3"), DER.utf8("a"), DER.utf8("b")))),
        ] {
            let chain = try TestChain(leaf: { $0.subject = name })
            #expect(chain.judge().has(.malformedName))
            #expect(chain.judge().isAccepted == false)
        }
        #expect(throws: DERError(.invalidName, at: 4)) {
            try TrustAnchor(subject: DER.sequence(DER.set()), subjectPublicKeyInfo: TestKey.p256(1).info)
        }
    }

    @Test("More than four mebibytes are refused unread, deep nesting costs nothing")
    func sizes() throws {
        #expect(parsingError([UInt8](repeating: 0x30, count: 5 << 20)) == .tooLarge)
        #expect(parsingError([UInt8](repeating: 0x30, count: 4 << 20)) == .trailingBytes)
        var nested: [UInt8] = []
        for _ in 0..<2_000 { nested = DER.sequence(nested) }
        #expect(parsingError(nested) != nil)
        #expect(try parsingError { $0.innerAlgorithm = nested } == .unexpectedTag)
        #expect(try parsingError { $0.set(TestExtension("1.2.3", nested)) } == nil)
        let big = [UInt8](repeating: 0, count: 100_000)
        #expect(try parsingError { $0.set(TestExtension("1.2.3", big)) } == nil)
    }

    @Test("Errors say where and what")
    func descriptions() {
        #expect("\(DERError(.trailingBytes, at: 1_042))" == "trailing-bytes at byte 1042")
        #expect(Set(DERError.Code.allCases.map(\.rawValue)).count == DERError.Code.allCases.count)
    }
}
