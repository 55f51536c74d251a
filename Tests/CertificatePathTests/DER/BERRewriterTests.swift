//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import TestSupport
import Testing

@testable import CertificatePath

@Suite("BER that is written in the definite form")
struct BERRewriterTests {
    @Test("BER that breaks its rules is refused, and where is said", arguments: faults)
    func fault(fault: RewritingFault) {
        let error = #expect(throws: DERError.self) { try BERRewriter.definite(fault.ber) }
        #expect(error == DERError(fault.code, at: fault.offset))
    }

    @Test("Lengths become definite and as short as can be, and OCTET STRINGs come in one part", arguments: forms)
    func form(form: RewritingForm) throws {
        #expect(try BERRewriter.definite(form.ber) == form.der)
        #expect(try BERRewriter.definite(form.der) == form.der)
    }

    @Test("Elements below the levels that are rewritten stay as they are, however deep they lie")
    func levels() throws {
        let string = BER.octetString([1], [2])
        let long: [UInt8] = [0x02, 0x81, 0x01, 0x05]
        let inner = BER.indefinite(0x30, string, long)
        let message = BER.indefinite(0x30, BER.indefinite(0xA0, inner, [0x30, 0x81, 0x01, 0xFF]))
        let copied = inner + [0x30, 0x81, 0x01, 0xFF]
        #expect(try BERRewriter.definite(message, levels: 2) == DER.sequence(DER.element(0xA0, copied)))
        #expect(try BERRewriter.definite(message, levels: 0) == message)
        #expect(try BERRewriter.definite(string, levels: 1) == DER.octetString([1, 2]))
        #expect(throws: DERError(.truncated, at: message.count - 2)) {
            try BERRewriter.definite(Array(message.dropLast(2)), levels: 0)
        }
        let unended = BER.indefinite(0x30, [0x30, 0x80])
        #expect(throws: DERError.self) { try BERRewriter.definite(unended, levels: 0) }
    }

    @Test("Every element of a certificate comes back from indefinite lengths as it was")
    func certificate() throws {
        let certificate = try testRoot.leaf().bytes
        let ber = try #require(BER.rewritten(certificate))
        #expect(ber.count > certificate.count)
        #expect(try BERRewriter.definite(ber) == certificate)
        #expect(try BERRewriter.definite(certificate) == certificate)
        for count in ber.indices {
            #expect(throws: DERError.self) { try BERRewriter.definite(Array(ber.prefix(count))) }
        }
    }

    @Test("A certificate in BER stays one that is refused")
    func strictCertificate() throws {
        let ber = try #require(BER.rewritten(try testRoot.leaf().bytes))
        let error = #expect(throws: DERError.self) { try CertificateView(der: ber) }
        #expect(error?.code == .indefiniteLength)
    }
}

struct RewritingFault: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let ber: [UInt8]
    let code: DERError.Code
    let offset: Int

    init(_ name: String, _ ber: [UInt8], _ code: DERError.Code, at offset: Int) {
        self.testDescription = name
        self.ber = ber
        self.code = code
        self.offset = offset
    }
}

struct RewritingForm: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let ber: [UInt8]
    let der: [UInt8]

    init(_ name: String, _ ber: [UInt8], _ der: [UInt8]) {
        self.testDescription = name
        self.ber = ber
        self.der = der
    }
}

private func nested(_ count: Int) -> [UInt8] {
    (0..<count).reduce([0x05, 0x00]) { inner, _ in BER.indefinite(0x30, inner) }
}

private let faults: [RewritingFault] = [
    .init("nothing", [], .truncated, at: 0),
    .init("a tag alone", [0x30], .truncated, at: 0),
    .init("octets behind the end", BER.indefinite(0x30) + [0], .trailingBytes, at: 4),
    .init("no end-of-contents", [0x30, 0x80, 0x05, 0x00], .truncated, at: 4),
    .init("half of an end-of-contents", [0x30, 0x80, 0x00], .truncated, at: 2),
    .init("an end-of-contents with a length", [0x30, 0x80, 0x00, 0x01, 0x00, 0x00, 0x00], .unexpectedTag, at: 2),
    .init("an end-of-contents of a long form", [0x30, 0x80, 0x00, 0x81, 0x00, 0x00, 0x00], .unexpectedTag, at: 2),
    .init("a constructed end-of-contents", [0x30, 0x80, 0x20, 0x00, 0x00, 0x00], .unexpectedTag, at: 2),
    .init("an end-of-contents in a definite element", [0x30, 0x02, 0x00, 0x00], .unexpectedTag, at: 2),
    .init("an end-of-contents alone", [0x00, 0x00], .unexpectedTag, at: 0),
    .init(
        "an end-of-contents behind that of its container", [0x30, 0x04, 0x30, 0x80, 0, 0, 0, 0], .trailingBytes, at: 6),
    .init("a container that ends before the end-of-contents", [0x30, 0x02, 0x30, 0x80, 0, 0], .truncated, at: 4),
    .init("a primitive of indefinite length", BER.indefinite(0x04, [1]), .indefiniteLength, at: 0),
    .init("one inside", BER.indefinite(0x30, BER.indefinite(0x80)), .indefiniteLength, at: 2),
    .init("an element longer than its container", [0x30, 0x03, 0x04, 0x05, 1, 1, 1, 1, 1], .truncated, at: 2),
    .init("a length of five octets", [0x04, 0x85, 0, 0, 0, 0, 1, 1], .truncated, at: 0),
    .init("the length that X.690 reserves", [0x04, 0xFF, 0, 0], .truncated, at: 0),
    .init("a length that is cut off", [0x04, 0x82, 1], .truncated, at: 0),
    .init("a length of four gigabytes", [0x04, 0x84, 0xFF, 0xFF, 0xFF, 0xFF], .truncated, at: 0),
    .init("a tag of two octets", BER.indefinite(0x30, [0x1F, 0x1F, 0x00]), .highTagNumber, at: 2),
    .init("a tag without an end", [0x3F] + [UInt8](repeating: 0x80, count: 100_000), .highTagNumber, at: 0),
    .init("another type among the parts", BER.indefinite(0x24, [0x0C, 0x00]), .unexpectedTag, at: 2),
    .init("a sequence among the parts", BER.indefinite(0x24, BER.indefinite(0x30)), .unexpectedTag, at: 2),
    .init("a hundred levels", nested(100), .tooManyElements, at: 128),
    .init("levels without an end", [UInt8](repeating: [0x30, 0x80], count: 100_000), .tooManyElements, at: 128),
    .init(
        "strings in strings", [UInt8](repeating: [0x24, 0x80], count: 100_000), .tooManyElements, at: 128),
    .init(
        "thousands of empty parts", BER.indefinite(0x24, [UInt8](repeating: [0x04, 0x00], count: 20_000)),
        .tooManyElements, at: 32_768),
    .init(
        "thousands of empty elements", BER.indefinite(0x30, [UInt8](repeating: [0x30, 0x80, 0, 0], count: 20_000)),
        .tooManyElements, at: 65_534),
    .init(
        "more octets than are read", [0x04, 0x83, 0x40, 0, 0] + [UInt8](repeating: 0, count: 4 << 20), .tooLarge,
        at: 4 << 20),
]

private let forms: [RewritingForm] = [
    .init(
        "DER", DER.sequence(DER.integer(5), DER.octetString([1, 2])),
        DER.sequence(DER.integer(5), DER.octetString([1, 2]))),
    .init("an empty sequence", BER.indefinite(0x30), [0x30, 0x00]),
    .init("a sequence", BER.indefinite(0x30, DER.integer(5)), DER.sequence(DER.integer(5))),
    .init(
        "in a definite one", DER.sequence(BER.indefinite(0x31), DER.integer(5)), DER.sequence(DER.set(), DER.integer(5))
    ),
    .init(
        "a definite one inside", BER.indefinite(0xA0, DER.sequence(BER.indefinite(0x30))),
        DER.element(0xA0, DER.sequence(DER.sequence()))),
    .init("63 levels", nested(63), (0..<63).reduce([0x05, 0x00]) { inner, _ in DER.sequence(inner) }),
    .init("a length in one octet too many", [0x30, 0x81, 0x03] + DER.integer(5), DER.sequence(DER.integer(5))),
    .init("a length in four octets", [0x04, 0x84, 0, 0, 0, 2, 1, 2], DER.octetString([1, 2])),
    .init("a string in parts", BER.octetString([1], [2, 3]), DER.octetString([1, 2, 3])),
    .init("a string in no parts", BER.octetString(), DER.octetString([])),
    .init(
        "a string in parts of definite length", DER.element(0x24, [0x04, 0x81, 0x01, 1, 0x04, 0x01, 2]),
        DER.octetString([1, 2])),
    .init(
        "a string in parts of parts", BER.indefinite(0x24, BER.octetString([1], [2]), DER.octetString([3])),
        DER.octetString([1, 2, 3])),
    .init("zeros in a string", BER.octetString([0, 0], [0, 0]), DER.octetString([0, 0, 0, 0])),
    .init(
        "a string of 100,000 octets",
        BER.octetString([UInt8](repeating: 0, count: 50_000), [UInt8](repeating: 1, count: 50_000)),
        DER.octetString([UInt8](repeating: 0, count: 50_000) + [UInt8](repeating: 1, count: 50_000))),
]

extension [UInt8] {
    fileprivate init(repeating octets: [UInt8], count: Int) {
        self = Array(repeatElement(octets, count: count).joined())
    }
}
