//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import ConfigurationDocuments
import ServerTrust
import Testing

@testable import PinningDialects

private let (a, b) = (Sample.a, Sample.b)
private let (curlA, curlB) = ("sha256//\(a.base64)", "sha256//\(b.base64)")

private let okHttpComplaints: [Complaint] = [
    Complaint("# nothing", .nothingPinned),
    Complaint("example.com", .missingValue, line: 1),
    Complaint("\nexample.com sha1/AAAAAAAAAAAAAAAAAAAAAAAAAAA=", .invalidPin, line: 2),
    Complaint("example.com \(a.base64)", .invalidPin),
    Complaint("example.com sha256/AAAA", .invalidPin),
    Complaint("example.com \(curlA)", .invalidPin),
    Complaint("example.com certificate-\(a)", .invalidPin),
    Complaint("example.com \(a)\(b)", .invalidPin),
    Complaint("*.*.example.com \(a)", .invalidHost),
    Complaint("* \(a)", .invalidHost),
    Complaint("example.com:443 \(a)", .invalidHost),
    Complaint("*.192.0.2.1 \(a)", .invalidHost),
    Complaint("CertificatePinner.Builder()\n.add(HOST, \"\(a)\")", .missingValue, line: 2),
    Complaint("CertificatePinner.Builder()\n.add(\"example.com\", PIN)", .missingValue, line: 2),
    Complaint("x.add(\"example.com\", \"\(a)\"", .malformedDocument, line: 1),
    Complaint("x.add(\"example.com\")", .missingValue),
    Complaint("x.add(\"example.com\", \"\(a)\").aid(\"example.org\", \"\(a)\")", .invalidPin),
    Complaint("x.add(\"example.com\", \"\(a)\") /* never ends", .malformedDocument),
    Complaint("x.add(\"example.com\", \"sha1/AAAA\")", .invalidPin),
    Complaint("x.add(\"exam\\u0070le.com\", \"\(a)\")", .invalidValue),
    Complaint("example.com \(a)\n# example.org \(a)", .commentedPin, line: 2),
]

private let curlComplaints: [Complaint] = [
    Complaint("# nothing", .nothingPinned),
    Complaint("example.com", .missingValue),
    Complaint("\nexample.com \(curlA) \(curlB)", .invalidValue, line: 2),
    Complaint("example.com \(a)", .invalidPin),
    Complaint("example.com \(curlA);", .invalidPin),
    Complaint("example.com \(curlA);/etc/key.pem", .invalidPin),
    Complaint("*.example.com \(curlA)", .invalidHost),
    Complaint("example.com:99999 \(curlA)", .invalidHost),
    Complaint("example.com \(curlA)\nexample.com \(curlB)", .duplicate, line: 2),
    Complaint("curl --pinnedpubkey \"\(curlA)\"", .missingValue),
    Complaint("curl --pinnedpubkey", .missingValue),
    Complaint("curl --pinnedpubkey \"\(curlA) https://example.com", .malformedDocument),
    Complaint("curl --pinnedpubkey key.pem https://example.com", .invalidPin),
    Complaint("curl --pinnedpubkey \(curlA) http://example.com", .invalidHost),
    Complaint("curl --pinnedpubkey \(curlA) example.com", .invalidHost),
    Complaint("curl --pinnedpubkey \(curlA) https://user@example.com", .invalidHost),
    Complaint("curl --pinnedpubkey \(curlA) --pinnedpubkey \(curlB) https://example.com", .duplicate),
    Complaint("curl --pinnedpubkey \(curlA) https://a.com --header \(curlB)", .invalidPin),
    Complaint("curl --pinnedpubky \(curlA) --pinnedpubkey \(curlA) https://a.com", .invalidPin),
    Complaint("curl --pinnedpubkey \(curlA) --retryy 3 https://example.com", .unknownKey),
    Complaint("curl -k --pinnedpubkey \(curlA) https://example.com", .ignored),
]

@Suite struct LineReaderTests {
    @Test(arguments: okHttpComplaints)
    func `What OkHttp has no pins of is said`(complaint: Complaint) {
        let reading = PinningReading(complaint.text, .okhttp)
        #expect(reading.codes.contains(complaint.code), "\(reading.diagnostics)")
        #expect((reading.configuration == nil) == (complaint.code.severity == .error))
        if let line = complaint.line { #expect(reading.diagnostics.first?.position?.line == line) }
    }

    @Test(arguments: curlComplaints)
    func `What curl has no pins of is said`(complaint: Complaint) {
        let reading = PinningReading(complaint.text, .curl)
        #expect(reading.codes.contains(complaint.code), "\(reading.diagnostics)")
        #expect((reading.configuration == nil) == (complaint.code.severity == .error))
        if let line = complaint.line { #expect(reading.diagnostics.first?.position?.line == line) }
    }

    @Test func `Lines of patterns are a union`() throws {
        let reading = PinningReading("*.example.com \(a) // one\n**.example.com, \(b)\r\n", .okhttp)
        let configuration = try #require(reading.configuration)
        #expect(reading.diagnostics.isEmpty)
        #expect(configuration.domains.map(\.subdomains) == [.oneLabelOnly, .anyDepth])
        #expect(configuration.domains.map(\.position?.line) == [1, 2])
        #expect(try configuration.domain(forHost: "a.example.com")?.pins?.pins.count == 2)
        #expect(try configuration.domain(forHost: "example.com")?.pins?.pins == [b])
    }

    @Test func `Kotlin's and Java's source are read`() throws {
        let text = """
            val pinner = CertificatePinner.Builder() // not "a pin"
                .add("**.example.com", "\(a)",
                     "\(b)")
                /* .comment("x") */ .add( "example.org", "\(a)", )
                .build()
            """
        let reading = PinningReading(text, .okhttp)
        #expect(reading.diagnostics.isEmpty)
        #expect(reading.configuration?.domains.map(\.host) == ["example.com", "example.org"])
        #expect(reading.configuration?.domains.map { $0.pins?.pins.count } == [2, 1])
        #expect(
            reading.configuration?.domains.map(\.position) == [.init(line: 2, column: 10), .init(line: 4, column: 31)])
    }

    static let java = "new CertificatePinner.Builder()"
    static let kotlin = "val pinner = CertificatePinner.Builder()"

    @Test(
        "Java's Unicode escapes are translated before comments are told from code (JLS 3.3)",
        arguments: [
            ("// \\u000a .add(\"b.com\", \"\(a)\")", ["a.com", "b.com"]),
            ("// \\uuu000D .add(\"b.com\", \"\(a)\")", ["a.com", "b.com"]),
            ("/* \\u002a/ .add(\"b.com\", \"\(a)\") //*/", ["a.com", "b.com"]),
            (".add(\\u0022b.com\", \"\(a)\")", ["a.com", "b.com"]),
            (".\\u0061dd(\"b.com\", \"\(a)\")", ["a.com", "b.com"]),
            (".add(\"\\u0062.com\", \"\(a)\")", ["a.com", "b.com"]),
            ("/\\u002f .add(\"b.com\", \"\(a)\")", ["a.com"]),
            ("\\u002f* .add(\"b.com\", \"\(a)\") */", ["a.com"]),
            ("// \\\\u000a .add(\"b.com\", \"\(a)\")", ["a.com"]),
            ("// \\u005cu000a .add(\"b.com\", \"\(a)\")", ["a.com"]),
        ])
    func javaEscapes(line: String, hosts: [String]) {
        let reading = PinningReading("\(Self.java)\n.add(\"a.com\", \"\(a)\")\n\(line)\n.build();", .okhttp)
        #expect(reading.configuration?.domains.map(\.host) == hosts, "\(reading.diagnostics)")
        #expect(reading.codes.contains(.commentedPin) == (hosts.count == 1), "\(reading.diagnostics)")
    }

    @Test("Kotlin knows Unicode escapes in literals alone, and what is in a comment stays there")
    func kotlinEscapes() {
        for line in [
            "// \\u000a .add(\"b.com\", \"\(a)\")", "/* \\u002a/ .add(\"b.com\", \"\(a)\") */", "// C:\\users",
        ] {
            let reading = PinningReading("\(Self.kotlin)\n.add(\"a.com\", \"\(a)\")\n\(line)\n.build()", .okhttp)
            #expect(reading.configuration?.domains.map(\.host) == ["a.com"], "\(reading.diagnostics)")
            #expect(reading.codes.contains(.commentedPin) == line.contains("b.com"))
        }
    }

    @Test(
        "Where an escape makes the two languages read other pins, and nothing tells which it is, nothing is read",
        arguments: [
            "// \\u000a .add(\"b.com\", \"\(a)\")", "x.add(\"\\u0062.com\", \"\(a)\")",
            "val new = 1; new CertificatePinner.Builder() // \\u000a .add(\"b.com\", \"\(a)\")",
            "val x = 1 // \\u000a new CertificatePinner.Builder().add(\"b.com\", \"\(a)\")",
        ])
    func ambiguousEscapes(line: String) {
        let reading = PinningReading("b.add(\"a.com\", \"\(a)\")\n\(line)\n", .okhttp)
        #expect(reading.configuration == nil)
        #expect(reading.codes.contains(.invalidValue), "\(reading.diagnostics)")
    }

    @Test("Escapes that change nothing are no matter, and Java has no malformed ones")
    func harmlessEscapes() {
        let text = "b.add(\"a.com\", \"\(a)\") // sch\\u00f6n \\ud83d\\ude00 \\ud83d"
        #expect(PinningReading(text, .okhttp).configuration?.domains.map(\.host) == ["a.com"])
        #expect(PinningReading("\(Self.java)\(text) \\u12", .okhttp).codes.contains(.malformedDocument))
        #expect(PinningReading("\(Self.java)\(text) \\u+123", .okhttp).codes.contains(.malformedDocument))
    }

    @Test("What is found behind an escape has the place it has in the file")
    func positionsBehindEscapes() {
        let text = "\(Self.java) // \\u000a\n/*\\u0041*/ .add(\"a.com\", \"\(a)\")"
        #expect(PinningReading(text, .okhttp).configuration?.domains.first?.position == .init(line: 2, column: 17))
    }

    @Test func `A host without a port is pinned on every port`() throws {
        let reading = PinningReading(try #require(Sample.files[.curl]), .curl)
        let configuration = try #require(reading.configuration)
        #expect(reading.diagnostics.isEmpty)
        #expect(try configuration.domain(forHost: "example.com")?.pins?.pins.count == 2)
        #expect(try configuration.domain(forHost: "example.com", port: 8_443)?.pins?.pins == [Sample.c])
        #expect(configuration.domains.allSatisfy { $0.pins?.requirements.map(\.scope) == [.leaf] })
    }

    @Test func `Command lines and configurations of curl are read`() throws {
        let command = """
            curl -sS --pinnedpubkey "\(curlA);\(curlB)" \\
                -H 'Accept: text/plain' https://example.com:8443/path?x https://example.com:8443/other
            curl https://[2001:db8::1]/ --pinnedpubkey '\(curlA)' --next --pinnedpubkey \(curlB) --url https://b.example/
            """
        let reading = PinningReading(command, .curl)
        #expect(reading.diagnostics.isEmpty)
        #expect(reading.configuration?.domains.map(\.host) == ["example.com", "2001:db8::1", "b.example"])
        #expect(reading.configuration?.domains.map(\.port) == [8_443, nil, nil])
        let file = "# mine\nurl = \"https://example.com\"\npinnedpubkey: \"\(curlA)\"\nsilent\n--header=\"a: b\"\n"
        let configuration = PinningReading(file, .curl)
        #expect(configuration.diagnostics.isEmpty)
        #expect(configuration.configuration?.domains.first?.pins?.pins == [a])
    }
}
