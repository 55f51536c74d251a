//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import CertificatePath
import Foundation
import TestSupport
import Testing

@testable import ServerTrust

/// A way of writing a block that is not RFC 7468's, and what comes of it.
struct PEMSpelling: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let fault: PEMError.Fault
    /// The line of the block that is at fault, from 1.
    let line: Int
    let change: @Sendable ([UInt8], [UInt8]) -> [UInt8]

    /// Changes the text of a block; the closure is given DER too.
    init(
        _ name: String, _ fault: PEMError.Fault = .malformedBoundary, line: Int = 1,
        bytes change: @escaping @Sendable (_ pem: [UInt8], _ der: [UInt8]) -> [UInt8]
    ) {
        self.testDescription = name
        self.fault = fault
        self.line = line
        self.change = change
    }

    init(
        _ name: String, _ fault: PEMError.Fault = .malformedBoundary, line: Int = 1,
        _ change: @escaping @Sendable (String) -> String
    ) {
        self.init(name, fault, line: line) { pem, _ in Array(change(String(decoding: pem, as: UTF8.self)).utf8) }
    }

    init(_ name: String, replacing old: String, by new: String, _ fault: PEMError.Fault = .malformedBoundary) {
        self.init(name, fault) { $0.replacingOccurrences(of: old, with: new) }
    }

    static let refused: [Self] = [
        Self("a blank before BEGIN", replacing: "-----BEGIN", by: " -----BEGIN"),
        Self("a tab before every line") { "\t" + $0.replacingOccurrences(of: "\n", with: "\n\t") },
        Self("a NUL before BEGIN", replacing: "-----BEGIN", by: "\0-----BEGIN"),
        Self("a form feed before BEGIN", replacing: "-----BEGIN", by: "\u{0C}-----BEGIN"),
        Self("a no-break space before BEGIN", replacing: "-----BEGIN", by: "\u{A0}-----BEGIN"),
        Self("a zero width space before BEGIN", replacing: "-----BEGIN", by: "\u{200B}-----BEGIN"),
        Self("text before BEGIN", replacing: "-----BEGIN", by: "cert: -----BEGIN"),
        Self("a vertical tab behind BEGIN") { $0.replacingFirst("-----\n", "-----\u{0B}\n") },
        Self("a no-break space behind BEGIN") { $0.replacingFirst("-----\n", "-----\u{A0}\n") },
        Self("text behind BEGIN") { $0.replacingFirst("-----\n", "----- # mine\n") },
        Self("lower case") { $0.replacingFirst("BEGIN ", "begin ").replacingFirst("END ", "end ") },
        Self("a capital alone") { $0.replacingFirst("BEGIN ", "Begin ").replacingFirst("END ", "End ") },
        Self("four dashes", replacing: "-----", by: "----"),
        Self("six dashes", replacing: "-----", by: "------"),
        Self("two dashes", replacing: "-----", by: "--"),
        Self("no dashes", replacing: "-----", by: ""),
        Self("em dashes", replacing: "-----", by: "\u{2014}\u{2014}-"),
        Self("minus signs", replacing: "-", by: "\u{2212}"),
        Self("blanks around the label", replacing: "-----BEGIN ", by: "----- BEGIN "),
        Self("two blanks in the boundary", replacing: "-----BEGIN ", by: "-----BEGIN  "),
        Self("no blank in the boundary", replacing: "-----BEGIN ", by: "-----BEGIN"),
        Self("a quotation in a mail") { "> " + $0.replacingOccurrences(of: "\n", with: "\n> ") },
        Self("a comment") { "# " + $0.replacingOccurrences(of: "\n", with: "\n# ") },
        Self("everything on one line", replacing: "\n", by: ""),
        Self("the newline written out", replacing: "\n", by: "\\n"),
        Self("a boundary over two lines", replacing: "-----BEGIN ", by: "-----BEGIN\n"),
        Self("a misspelled label", .unknownLabel("MY CERTIFICATE")) {
            $0.replacingOccurrences(of: "-----BEGIN ", with: "-----BEGIN MY ")
        },
        Self("no BEGIN", .base64OutsideBlock) { $0.droppingFirstLine },
        Self("no BEGIN and short lines", .missingBegin, line: 2) { _ in "AAAA\n-----END CERTIFICATE-----\n" },
        Self("no boundaries", .base64OutsideBlock) { $0.droppingFirstLine.droppingLastLine },
        Self("Cyrillic letters in the boundaries, and an indent", .base64OutsideBlock, line: 2) {
            "  "
                + $0.replacingOccurrences(of: "BEGIN", with: "\u{412}EGIN").replacingOccurrences(
                    of: "END", with: "\u{415}ND"
                ).replacingOccurrences(of: "\n", with: "\n  ")
        },
        Self("a string in JSON without boundaries", .base64OutsideBlock) {
            "\"" + $0.droppingFirstLine.droppingLastLine.replacingOccurrences(of: "\n", with: "\\n") + "\",\n"
        },
        Self("a word before every line", .base64OutsideBlock) {
            $0.droppingFirstLine.droppingLastLine.split(separator: "\n").map { "fetch | \($0)\n" }.joined()
        },
        Self("an assignment", .base64OutsideBlock) { _, der in
            Array("CRL=\"\(Data(der).base64EncodedString())\"\n".utf8)
        },
        Self("lines of 32 columns below a heading", .base64OutsideBlock, line: 2) { _, der in
            Array(("Our authority\n" + Data(der).base64EncodedString().inLines(of: 32)).utf8)
        },
        Self("lines of 20 columns", .base64OutsideBlock) { _, der in
            Array(Data(der).base64EncodedString().inLines(of: 20).utf8)
        },
        Self("the label of a key", .mislabeledBlock("PRIVATE KEY")) { _, der in
            PEMSpellingTests.block("PRIVATE KEY", der)
        },
        Self("the label of parameters", .mislabeledBlock("EC PARAMETERS")) { _, der in
            PEMSpellingTests.block("EC PARAMETERS", der)
        },
        Self("the label of a public key", .mislabeledBlock("PUBLIC KEY")) { _, der in
            PEMSpellingTests.block("PUBLIC KEY", der)
        },
        Self("without its first line", .base64OutsideBlock) {
            $0.droppingFirstLine.droppingFirstLine.droppingLastLine
        },
        Self("no END", .missingEnd) { $0.droppingLastLine },
        Self("a PKCS#7 message", .unexpectedBlock("PKCS7")) { _ in
            "-----BEGIN PKCS7-----\nMAA=\n-----END PKCS7-----\n"
        },
        Self("DER", .binaryData) { _, der in der + [0x0A] },
        Self("UTF-16", .binaryData) { pem, _ in [0xFF, 0xFE] + pem.flatMap { [$0, 0] } },
    ]

    static let read: [Self] = [
        Self("a byte order mark") { "\u{FEFF}" + $0 },
        Self("two byte order marks") { "\u{FEFF}\u{FEFF}" + $0 },
        Self("lines that end with CR", replacing: "\n", by: "\r"),
        Self("lines that end with CR and LF", replacing: "\n", by: "\r\n"),
        Self("blanks and tabs at the ends of lines", replacing: "\n", by: " \t\n"),
        Self("empty lines", replacing: "\n", by: "\n\n"),
        Self("attributes") {
            "Bag Attributes\n    friendlyName: BACKEND\n    localKeyID: 01 02\nsubject=CN = The End\n" + $0
        },
        Self("names with the words") {
            "subject=O = Trend, CN = Front End Certificate Authority\nissuer=CN=BEGINNERS\n" + $0
        },
        Self("a heading") {
            "Trend Micro -- the end of it\n===============\n# ---- end of the chain ----\n\u{0C}\n" + $0
        },
        Self("a fingerprint and a path") {
            "# SHA-256 1F2e3D4c5B6a79880011223344556677aAbBcCdDeEfF00112233445566778899\n"
                + "# from /usr/local/share/certificates/production/internal\n" + $0
        },
        Self("a heading in Latin-1") { pem, _ in [0x53, 0xE9, 0x63, 0x0A] + pem },
        Self("a key") { "-----BEGIN PRIVATE KEY-----\n!!!\n-----END PRIVATE KEY-----\n" + $0 },
        Self("an encrypted key") {
            "-----BEGIN RSA PRIVATE KEY-----\nProc-Type: 4,ENCRYPTED\n\nAAAA\n-----END RSA PRIVATE KEY-----\n" + $0
        },
        Self("a request") {
            "-----BEGIN CERTIFICATE REQUEST-----\nMAA=\n-----END CERTIFICATE REQUEST-----\n" + $0
        },
        Self("parameters") { "-----BEGIN DH PARAMETERS-----\nMAA=\n-----END DH PARAMETERS-----\n" + $0 },
        Self("a public key") { "-----BEGIN PUBLIC KEY-----\nMAA=\n-----END PUBLIC KEY-----\n" + $0 },
        Self("nothing special") { $0 },
    ]
}

extension String {
    fileprivate func replacingFirst(_ old: String, _ new: String) -> String {
        guard let range = self.range(of: old) else { return self }
        return self.replacingCharacters(in: range, with: new)
    }

    fileprivate func inLines(of length: Int) -> String {
        stride(from: 0, to: self.count, by: length).map { self.dropFirst($0).prefix(length) + "\n" }.joined()
    }

    fileprivate var droppingFirstLine: String {
        String(self.drop { $0 != "\n" }.dropFirst())
    }

    fileprivate var droppingLastLine: String {
        self.split(separator: "\n", omittingEmptySubsequences: false).dropLast(2).joined(separator: "\n") + "\n"
    }
}

@Suite("Spellings of PEM")
struct PEMSpellingTests {
    static let (a, b, c) = (TestCertificates.root, TestCertificates.other, TestCertificates.third)

    static func block(_ label: String, _ der: [UInt8]) -> [UInt8] {
        let base64 = Data(der).base64EncodedString(options: [.lineLength64Characters, .endLineWithLineFeed])
        return Array("-----BEGIN \(label)-----\n\(base64)\n-----END \(label)-----\n".utf8)
    }

    static func certificate(_ certificate: Certificate) -> [UInt8] {
        Self.block("CERTIFICATE", certificate.derRepresentation)
    }

    static func spelled(_ spelling: PEMSpelling) -> [UInt8] {
        spelling.change(Self.certificate(Self.a), Self.a.derRepresentation)
    }

    static func error(_ contents: [UInt8]) -> CertificateError.Code? {
        do {
            _ = try Certificate.certificates(in: contents)
            return nil
        } catch {
            return error.code
        }
    }

    @Test(
        "A certificate that is not spelled as RFC 7468 asks is an error with its line", arguments: PEMSpelling.refused)
    func refusedAmongOthers(spelling: PEMSpelling) {
        let (spelled, other) = (Self.spelled(spelling), Self.certificate(Self.b))
        let lines = other.filter { $0 == 0x0A }.count
        #expect(Self.error(other + spelled) == .pem(PEMError(line: lines + spelling.line, spelling.fault)))
        // DER before PEM is DER with something behind it, a block without END has another behind it.
        #expect(Self.error(spelled + other) != nil)
        #expect(Self.error(spelled) != nil || spelling.testDescription == "DER")
    }

    @Test("Whatever is around a certificate and harmless is passed over", arguments: PEMSpelling.read)
    func readAmongOthers(spelling: PEMSpelling) throws {
        let (spelled, other) = (Self.spelled(spelling), Self.certificate(Self.b))
        #expect(try Certificate.certificates(in: spelled) == [Self.a])
        #expect(try Certificate.certificates(in: spelled + other) == [Self.a, Self.b])
        #expect(try Certificate.certificates(in: other + spelled) == [Self.b, Self.a])
    }

    @Test("A revocation list that is not spelled as RFC 7468 asks is an error", arguments: PEMSpelling.refused)
    func lists(spelling: PEMSpelling) throws {
        let root = CraftedAuthority("Root", .p256(1))
        let der = try TestRevocationList(root, revoking: [DER.number(7)]).view().bytes
        let list = Self.block("X509 CRL", der)
        for synonym in ["CRL", "X.509 CRL"] {
            #expect(try CertificateList.lists(in: Self.block(synonym, der) + list).count == 2)
        }
        let spelled = spelling.change(list, der)
        #expect(throws: RevocationFileError.self) { try CertificateList.lists(in: list + spelled) }
        #expect(throws: RevocationFileError.self) { try CertificateList.lists(in: spelled + list) }
    }

    @Test("A revocation list with anything harmless around it is read", arguments: PEMSpelling.read)
    func readLists(spelling: PEMSpelling) throws {
        let der = try TestRevocationList(CraftedAuthority("Root", .p256(1)), revoking: [DER.number(7)]).view().bytes
        let list = Self.block("X509 CRL", der)
        let spelled = spelling.change(list, der)
        #expect(try CertificateList.lists(in: spelled).count == 1)
        #expect(try CertificateList.lists(in: spelled + list).count == 2)
        #expect(try CertificateList.lists(in: list + spelled).count == 2)
    }

    @Test("A trust store tells of a certificate it cannot read, and has the others", arguments: PEMSpelling.refused)
    func stores(spelling: PEMSpelling) throws {
        let folder = try TemporaryFolder()
        let contents = Self.certificate(Self.b) + Self.spelled(spelling) + [0x0A] + Self.certificate(Self.c)
        let store = try TrustStore(contentsOf: folder.write("store.pem", contents))
        #expect(Array(store.certificates.prefix(1)) == [Self.b])
        #expect(store.issues.map(\.position).first == 2)
        #expect(!store.certificates.contains(Self.a))
        #expect(store.certificates.contains(Self.c))
    }

    @Test(
        "A block that changes what a certificate is good for, or that is wanted elsewhere, is named",
        arguments: [
            ("TRUSTED CERTIFICATE", "openssl x509"), ("CMS", "openssl pkcs7"), ("X509 CRL", "revocation lists"),
        ])
    func unexpected(label: String, remedy: String) throws {
        let contents = Self.certificate(Self.b) + Self.block(label, Self.a.derRepresentation)
        let error = #expect(throws: CertificateError.self) { try Certificate.certificates(in: contents) }
        guard case .pem(let fault)? = error?.code else {
            Issue.record("\(label) is passed over")
            return
        }
        #expect(fault.fault == .unexpectedBlock(label))
        #expect("\(fault)".contains(remedy) && "\(fault)".contains("line "))
    }

    @Test("Blocks whose ends do not fit together are errors")
    func mismatched() throws {
        let other = Self.certificate(Self.b)
        let text = String(decoding: other, as: UTF8.self)
        func read(_ text: String) -> CertificateError.Code? { Self.error(Array(text.utf8)) }
        let end = text.filter { $0 == "\n" }.count
        #expect(
            read(text.replacingOccurrences(of: "END CERTIFICATE", with: "END X509 CERTIFICATE"))
                == .pem(PEMError(line: end, .mismatchedEnd)))
        #expect(
            read("-----BEGIN PRIVATE KEY-----\nAAAA\n-----END RSA PRIVATE KEY-----\n" + text)
                == .pem(PEMError(line: 3, .mismatchedEnd)))
        #expect(read("-----BEGIN PRIVATE KEY-----\nAAAA\n" + text) == .pem(PEMError(line: 1, .missingEnd)))
        #expect(
            read("-----BEGIN PRIVATE KEY-----\nAAAA\n " + text) == .pem(PEMError(line: 3, .malformedBoundary)))
        #expect(
            read(text.dropLast() + text) == .pem(PEMError(line: end, .malformedBoundary)))
    }

    @Test("Every fault is told with its line and what to do")
    func descriptions() {
        let faults: [PEMError.Fault] = [
            .malformedBoundary, .unknownLabel("X"), .unexpectedBlock("CMS"), .missingBegin, .missingEnd, .mismatchedEnd,
            .invalidBase64, .base64OutsideBlock, .binaryData, .mislabeledBlock("X"),
        ]
        let texts = faults.map { "\(PEMError(line: 42, $0))" }
        #expect(texts.allSatisfy { $0.contains("line 42") })
        #expect(Set(texts).count == faults.count)
        #expect("\(CertificateError(.pem(PEMError(line: 42, .missingEnd))))" == "\(PEMError(line: 42, .missingEnd))")
    }

    @Test("A line of any length, and a label of any length, take time in proportion to it and fill no message")
    func longLines() {
        let label = String(repeating: "A", count: 1 << 20)
        let contents = Array("-----BEGIN \(label)-----\n".utf8)
        guard case .pem(let error)? = Self.error(contents) else {
            Issue.record("an unknown label is passed over")
            return
        }
        #expect("\(error)".count < 256)
        let words = Array(String(repeating: "-- begin end ", count: 100_000).utf8)
        #expect(Self.error(words + [0x0A] + Self.certificate(Self.a)) == nil)
    }
}
