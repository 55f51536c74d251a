//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import Foundation
import TestSupport
import Testing

@testable import AppleFiles

/// A message as Apple's systems write it, and what it says.
struct LoggedMessage: Sendable, CustomTestStringConvertible {
    let text: String
    let fault: LoggedFault
    var server: String? = "api.example.com"
    var isWarning = false

    var testDescription: String { self.text }

    private static let suite = "TLS_ECDHE_RSA_WITH_AES_128_CBC_SHA"
    static let chain = """
        ("<cert(0x7f8b1a01) s: api.example.com i: Example CA>", "<cert(0x7f8b1a02) s: Example CA i: Example Root>")
        """

    static let all: [LoggedMessage] = [
        LoggedMessage(
            text:
                "Error [ATS FCPv2.1 violation]: Ciphersuite(\(Self.suite)) not offered in ATS FCP_v2.1 mode negotiated for "
                + "server: api.example.com", fault: .cipherSuite(Self.suite)),
        LoggedMessage(
            text:
                "Warning [ATS FCPv2.1 violation]: Ciphersuite(0xc013) not offered in ATS FCP_v2.1 mode negotiated for "
                + "server: api.example.com", fault: .cipherSuite("0xc013"), isWarning: true),
        LoggedMessage(
            text:
                "Error [ATS FCPv2.1 violation]: Server certificate signed using signature algorithm rsa_pkcs1_sha1 not "
                + "advertised in client hello for server: api.example.com", fault: .signatureAlgorithm("rsa_pkcs1_sha1")
        ),
        LoggedMessage(
            text: "Error [ATS FCPv2.1 violation]: TLS 1.2 negotiated without extended master secret (EMS) for server: "
                + "api.example.com", fault: .noExtendedMasterSecret),
        LoggedMessage(
            text: "Error [ATS Violation]: ATS certificate trust requirement not satisfied for server: api.example.com",
            fault: .trustRequirement),
        LoggedMessage(
            text:
                "Error [ATS violation]: ECDSA key size 224 bits is less than minimum 256 bits for server: api.example.com",
            fault: .keySize(kind: "ECDSA", bits: 224, minimum: 256)),
        LoggedMessage(
            text:
                "Error [ATS violation]: RSA key size 1024 bits is less than minimum 2048 bits for server: api.example.com",
            fault: .keySize(kind: "RSA", bits: 1_024, minimum: 2_048)),
        LoggedMessage(
            text: "Error [ATS violation]: Leaf certificate hash algorithm (4) is not at least SHA-256 for server: "
                + "api.example.com", fault: .leafDigest(4)),
        LoggedMessage(
            text: "Error [ATS violation]: Leaf certificate is absent for server: api.example.com", fault: .noLeaf),
        LoggedMessage(
            text: "Error [ATS violation]: Peer public key not set for server: api.example.com", fault: .noKey),
        LoggedMessage(
            text: "Trust evaluate failure: [leaf SSLHostname] [ca1 TemporalValidity] [root AnchorTrusted]",
            fault: .checks([
                .init(label: "leaf", names: ["SSLHostname"]), .init(label: "ca1", names: ["TemporalValidity"]),
                .init(label: "root", names: ["AnchorTrusted"]),
            ]), server: nil),
        LoggedMessage(
            text: "Trust evaluate failure: [leaf ExtendedKeyUsage MissingIntermediate]",
            fault: .checks([.init(label: "leaf", names: ["ExtendedKeyUsage", "MissingIntermediate"])]), server: nil),
        LoggedMessage(text: "ATS failed system trust", fault: .systemTrust, server: nil),
        LoggedMessage(
            text: "Connection 76: system TLS Trust evaluation failed(-9802)", fault: .streamCode(-9_802), server: nil),
        LoggedMessage(
            text: "Connection 76: TLS Trust encountered error 3:-9802", fault: .streamCode(-9_802), server: nil),
        LoggedMessage(text: "Connection 76: encountered error(3:-9802)", fault: .streamCode(-9_802), server: nil),
        LoggedMessage(
            text:
                "Task <1B2C3D4E-0000-1111-2222-333344445555>.<4> HTTP load failed, 0/0 bytes (error code: -1200 [3:-9802])",
            fault: .load(urlError: -1_200, streamCode: -9_802), server: nil),
        LoggedMessage(
            text: "NSURLSession/NSURLConnection HTTP load failed (kCFStreamErrorDomainSSL, -9802)",
            fault: .streamCode(-9_802), server: nil),
        LoggedMessage(
            text: "Error Domain=NSURLErrorDomain Code=-1202 \"The certificate for this server is invalid.\" "
                + "UserInfo={NSErrorFailingURLStringKey=https://api.example.com/v1?x={1}, _kCFStreamErrorDomainKey=3, "
                + "_kCFStreamErrorCodeKey=-9807, NSErrorPeerCertificateChainKey=\(Self.chain)}",
            fault: .load(urlError: -1_202, streamCode: -9_807)),
        LoggedMessage(
            text:
                "The server certificate for “https://api.example.com/mdm” is invalid. (MCInstallationErrorDomain, 4001)",
            fault: .profileNotInstalled),
    ]
}

@Suite("Logs of Apple's systems")
struct LogReaderTests {
    /// The forms of a message: alone, and as each program that shows it writes it.
    static let forms: [(String, @Sendable (String) -> String)] = [
        ("alone", { $0 }),
        (
            "log show",
            {
                "2026-11-26 10:00:00.123456+0100 0x1a2b Error 0x0 411 0 mdmclient: (libboringssl.dylib) [com.apple.network:b] \($0)"
            }
        ),
        (
            "ndjson",
            { text in
                let escaped = text.replacingOccurrences(of: "\\", with: "\\\\").replacingOccurrences(
                    of: "\"", with: "\\\""
                )
                .replacingOccurrences(of: "/", with: "\\/")
                return
                    "{\"traceID\":7,\"eventMessage\":\"\(escaped)\",\"timestamp\":\"2026-11-26 10:00:00.1\",\"subsystem\":\"s\"}"
            }
        ),
        ("quoted", { "> " + $0 }),
        ("folded", { $0.replacingOccurrences(of: " for server:", with: "\n    for server:") }),
        ("folded and quoted", { "> " + $0.replacingOccurrences(of: " ", with: "\n> ", at: 60) }),
        ("carriage returns", { $0 + "\r" }),
    ]

    static func log(_ text: String, chunk: Int = .max) throws -> DeviceLog {
        var reader = LogReader()
        var rest = Array(text.utf8)[...]
        try reader.read { buffer in
            let part = rest.prefix(min(buffer.count, chunk))
            buffer.copyBytes(from: part)
            rest = rest.dropFirst(part.count)
            return part.count
        }
        return reader.log
    }

    private static let noise = (0..<40).map { number in
        """
        2026-11-26 09:59:5\(number % 10).000000+0100 0x9 Default 0x0 88 0 locationd: [com.apple.locationd:x] evaluate fence \(number)
        boringssl_context_info_handler(2072) [C\(number).1.1.1:2] Client handshake done, systemtrust 3:98

        """
    }.joined()

    @Test("Each message is read in every form, with noise around it", arguments: LoggedMessage.all)
    func messages(_ message: LoggedMessage) throws {
        for (name, form) in Self.forms {
            let log = try Self.log(Self.noise + form(message.text) + "\n" + Self.noise)
            #expect(log.servers.map(\.name) == [message.server], "\(name)")
            let finding = try #require(log.servers.first?.findings.first, "\(name): \(form(message.text))")
            #expect(log.servers.first?.findings.count == 1 && finding.fault == message.fault, "\(name)")
            #expect(finding.warnings == (message.isWarning ? 1 : 0) && finding.count == 1, "\(name)")
            #expect(log.unknown.isEmpty && log.leftOut == 0)
            if ["log show", "ndjson"].contains(name) {
                #expect(finding.times?.first == "2026-11-26 10:00:00" && finding.times?.last == finding.times?.first)
            }
        }
    }

    @Test(
        "All messages together are counted by server and fault, whatever pieces they come in",
        arguments: [7, 4_096, .max])
    func mixture(chunk: Int) throws {
        let forms = Self.forms.filter { $0.0 == "log show" || $0.0 == "ndjson" }
        let named = LoggedMessage.all.filter { $0.server != nil }
        let text = (0..<5).map { round in
            named.map { forms[round % 2].1($0.text) + "\n" }.joined() + Self.noise
        }.joined()
        let log = try Self.log(text, chunk: chunk)
        #expect(log.servers.map(\.name) == ["api.example.com"])
        #expect(log.size == text.utf8.count)
        let counts = Dictionary(
            uniqueKeysWithValues: (log.servers.first?.findings ?? []).map { ($0.fault, $0.count) })
        #expect(counts == Dictionary(uniqueKeysWithValues: Set(named.map(\.fault)).map { ($0, 5) }))
    }

    @Test("The worst server comes first, and lines that name none come last")
    func order() throws {
        func line(_ server: String, warning: Bool = false) -> String {
            "\(warning ? "Warning" : "Error") [ATS FCPv2.1 violation]: TLS 1.2 negotiated without extended master secret (EMS) "
                + "for server: \(server)\n"
        }
        let text =
            line("a.test", warning: true) + line("a.test", warning: true) + line("a.test", warning: true)
            + line("b.test")
            + line("c.test") + line("c.test") + String(repeating: "-\n", count: 20_000)
            + String(repeating: "ATS failed system trust\n", count: 9)
        #expect(try Self.log(text).servers.map(\.name) == ["c.test", "b.test", "a.test", nil])
    }

    @Test("Lines without a server belong to the next one near them, unless that is about another task")
    func nearness() throws {
        let task = "Task <11111111-2222-3333-4444-555555555555>.<1>"
        let other = "Task <99999999-2222-3333-4444-555555555555>.<2>"
        let text = """
            Connection 4: default TLS Trust evaluation failed(-9807)
            Connection 4: TLS Trust encountered error 3:-9807
            \(task) HTTP load failed, 0/0 bytes (error code: -1202 [3:-9807])
            \(other) HTTP load failed, 0/0 bytes (error code: -1200 [3:-9802])
            \(task) finished with error [-1202] Error Domain=NSURLErrorDomain Code=-1202 "The certificate" UserInfo={
                NSErrorFailingURLKey=https://one.example.com:8443/,
                NSErrorPeerCertificateChainKey=(
                    "<cert(0x7f8b1a01) s: one.example.com i: Example CA>"
                ), _kCFStreamErrorCodeKey=-9807
            }
            """
        let servers = try Self.log(text).servers
        #expect(servers.map(\.name) == ["one.example.com:8443", nil])
        let faults = servers.first?.findings.map { ($0.fault, $0.count) } ?? []
        #expect(faults.contains { $0 == (.streamCode(-9_807), 2) })
        #expect(faults.contains { $0 == (.load(urlError: -1_202, streamCode: -9_807), 2) })
        #expect(
            servers.first?.findings.contains {
                $0.chain == [NamedCertificate(subject: "one.example.com", issuer: "Example CA")]
            } == true)
        #expect(servers.last?.findings.map(\.fault) == [.load(urlError: -1_200, streamCode: -9_802)])
    }

    @Test(
        "A line of trust is not given to a server whose error contradicts it",
        arguments: [
            ("TemporalValidity", -9_814, true), ("MissingIntermediate", -9_814, false), ("SSLHostname", -9_843, true),
            ("AnchorTrusted", -9_843, false), ("AnchorTrusted", -9_807, true), ("TemporalValidity", -9_824, false),
        ])
    func contradictions(check: String, code: Int, isOfServer: Bool) throws {
        let log = try Self.log(
            """
            Trust evaluate failure: [leaf \(check)]
            Error Domain=NSURLErrorDomain Code=-1200 "x" UserInfo={NSErrorFailingURLStringKey=https://a.test/, \
            _kCFStreamErrorCodeKey=\(code)}

            """)
        let faults = log.servers.first { $0.name == "a.test" }?.findings.map(\.fault) ?? []
        let checks = LoggedFault.checks([.init(label: "leaf", names: [check])])
        #expect(faults.contains(checks) == isOfServer)
        #expect(log.servers.flatMap(\.findings).contains { $0.fault == checks })
    }

    @Test("Plain HTTP that was blocked is found, and errors without the word in front")
    func blocked() throws {
        let log = try Self.log(
            """
            App Transport Security has blocked a cleartext HTTP connection to plain.test since it is insecure.
            App Transport Security has blocked a cleartext HTTP (http://) resource load since it is insecure.
            NSURLErrorDomain Code=-1022 "x" UserInfo={NSErrorFailingURLStringKey=http://other.test/}

            """)
        #expect(Set(log.servers.map(\.name)) == ["plain.test", "other.test"])
        let faults = log.servers.flatMap(\.findings)
        #expect(faults.allSatisfy { $0.fault == .load(urlError: -1_022, streamCode: nil) })
        #expect(faults.reduce(0) { $0 + $1.count } == 3)
    }

    @Test("A complaint whose end is not found is not passed over", arguments: [1_000, 100_000, 3_000_000])
    func endless(count: Int) throws {
        let brackets = try Self.log("Trust evaluate failure: " + String(repeating: "[", count: count))
        #expect(brackets.isEmpty && !brackets.unknown.isEmpty)
        let names = try Self.log(
            "Trust evaluate failure: [leaf " + String(repeating: "AnchorTrusted ", count: count / 14) + "]")
        #expect(names.isEmpty && !names.unknown.isEmpty)
    }

    @Test("The tests of nscurl that fail are named, with the server that they are about")
    func nscurl() throws {
        let text = """
            Starting ATS Diagnostics

            Configuring ATS Info.plist keys and displaying the result of HTTPS loads to https://old.example.com.
            A test will "PASS" if URLSession:task:didCompleteWithError: returns a nil error.
            ================================================================================

            Default ATS Secure Connection
            ---
            ATS Default Connection
            2018-02-13 17:45:44.952 nscurl[32423:2935325] NSURLSession/NSURLConnection HTTP load failed (kCFStreamErrorDomainSSL, -9801)
            Result : FAIL
            ---

            ---
            Allow All Loads
            Result : PASS
            ---
            """
        let servers = try Self.log(text).servers
        #expect(servers.map(\.name) == ["old.example.com"])
        #expect(Set(servers[0].findings.map(\.fault)) == [.streamCode(-9_801), .test("ATS Default Connection")])
    }

    @Test(
        "Lines of a known kind in unknown words are counted and shown, with # for digits",
        arguments: [
            "Error [ATS FCPv3 violation]: Something 12 else for server: a.test",
            "Error [ATS violation]: The moon is in the wrong phase for server: a.test",
            "Trust evaluate failure: no details",
        ])
    func unknown(line: String) throws {
        let log = try Self.log("2026-11-26 10:00:00 x: \(line)\n2026-11-26 10:00:01 x: \(line)\n")
        #expect(log.servers.isEmpty)
        #expect(log.unknown.map(\.count) == [2] && log.unknown[0].text.contains("#") == line.contains("12"))
    }

    @Test("Hostile logs stay bounded: endless lines, open braces, many servers, many unknown words")
    func hostile() throws {
        let open = "Error Domain=NSURLErrorDomain Code=-1202 \"x\" UserInfo={" + String(repeating: "{\n", count: 90_000)
        #expect(try Self.log(open).servers.count == 1)
        let endless = String(repeating: "Trust evaluate failure: [leaf ", count: 9_000)
        #expect(try Self.log(endless).size == endless.utf8.count)
        let servers = (0..<21_000).map { "Error [ATS violation]: Peer public key not set for server: h\($0).test\n" }
            .joined()
        let log = try Self.log(servers)
        #expect(log.servers.count == 20_000 && log.leftOut == 1_000)
        let words = (0..<300).map { number in
            let word = String(String(number, radix: 2).map { $0 == "1" ? "a" : "b" })
            return "Error [ATS violation]: \(word) for server: x\n"
        }
        #expect(try Self.log(words.joined()).unknown.count == 100)
        #expect(
            try Self.log("for server: \nError [ATS violation]: Peer public key not set for server:").servers.isEmpty)
        let checks = "Trust evaluate failure: [leaf " + String(repeating: "A", count: 60_000) + "]\n"
        #expect(try Self.log(checks).servers.isEmpty)
        let name = String(repeating: "a", count: 5_000)
        #expect(try Self.log("Error [ATS violation]: Peer public key not set for server: \(name)\n").servers.isEmpty)
    }

    @Test("Every word is found at every place, also where the octets end")
    func words() {
        let words = ["abcdef", "cdefgh", "xyzxyz", "aaaaaaaa"]
        let search = WordSearch(words)
        var generator = SeededGenerator(state: 7)
        for _ in 0..<2_000 {
            var text = (0..<Int.random(in: 0...40, using: &generator)).map { _ in
                "abcdefghxyz".utf8.randomElement(using: &generator) ?? 0
            }
            if Bool.random(using: &generator) { text += words.randomElement(using: &generator)?.utf8 ?? "".utf8 }
            let expected = text.indices.first { index in words.contains { text[index...].starts(with: $0.utf8) } }
            #expect(text.withUnsafeBytes { search.first(in: $0, from: 0) } == expected)
        }
    }
}

extension String {
    /// Replaces the first place of a text behind a number of characters.
    fileprivate func replacingOccurrences(of target: String, with text: String, at offset: Int) -> String {
        guard let start = self.index(self.startIndex, offsetBy: offset, limitedBy: self.endIndex),
            let range = self.range(of: target, range: start..<self.endIndex)
        else { return self }
        return self.replacingCharacters(in: range, with: text)
    }
}
