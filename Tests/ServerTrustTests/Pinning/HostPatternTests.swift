//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import Testing

@testable import ServerTrust

private let invalidPatterns: [(text: String, code: String)] = [
    ("", "invalidHost"), ("*", "everything"), ("**", "everything"), ("*.", "everything"), ("**.", "everything"),
    ("a.*.example.com", "invalidHost"), ("a*.example.com", "invalidHost"), ("***.example.com", "invalidHost"),
    ("*.*.example.com", "invalidHost"), (".example.com", "invalidHost"), ("example..com", "invalidHost"),
    ("https://example.com", "invalid"), ("example.com/path", "invalidHost"), ("example.com:", "invalidPort"),
    ("example.com:0", "invalidPort"), ("example.com:65536", "invalidPort"), ("example.com:http", "invalidPort"),
    ("example.com:-1", "invalidPort"), ("example.com:99999999999999999999", "invalidPort"),
    ("*.192.0.2.1", "wildcardOnAddress"), ("**.[::1]", "wildcardOnAddress"), ("192.0.2.256", "invalidHost"),
    ("192.0.2.0/24", "invalidHost"), ("[::1", "invalid"), ("::1]", "invalidHost"), ("fe80::1%eth0", "invalidHost"),
    ("user@example.com", "invalidHost"), ("exa mple.com", "invalidHost"), ("example.com\u{0}", "invalidHost"),
    ("b\u{FC}\u{200B}cher.example", "invalidHost"), ("bu\u{308}cher.example", "invalidHost"),
    ("\u{FF41}.example", "invalidHost"),
    (String(repeating: "a.", count: 200) + "com", "invalidHost"),
    (String(repeating: "\u{FC}", count: 2_000), "invalidHost"),
]

private let spellings: [(text: String, host: String, breadth: HostPattern.Breadth, port: Int?)] = [
    ("example.com", "example.com", .exact, nil), ("EXAMPLE.com.", "example.com", .exact, nil),
    ("*.Example.com", "example.com", .oneLabel, nil), ("**.example.com:8443", "example.com", .anyDepth, 8_443),
    ("localhost", "localhost", .exact, nil), ("db:5432", "db", .exact, 5_432),
    ("*.internal", "internal", .oneLabel, nil),
    ("192.0.2.1", "192.0.2.1", .exact, nil), ("192.0.2.1:443", "192.0.2.1", .exact, 443),
    ("2001:DB8:0:0::1", "2001:db8::1", .exact, nil), ("[2001:db8::1]", "2001:db8::1", .exact, nil),
    ("[2001:db8::1]:8443", "2001:db8::1", .exact, 8_443), ("::1", "::1", .exact, nil),
    ("B\u{DC}CHER.example", "xn--bcher-kva.example", .exact, nil),
    ("*.b\u{FC}cher.example", "xn--bcher-kva.example", .oneLabel, nil),
    ("xn--bcher-kva.example", "xn--bcher-kva.example", .exact, nil),
    ("\u{4F8B}\u{3048}\u{3002}\u{30C6}\u{30B9}\u{30C8}", "xn--r8jz45g.xn--zckzah", .exact, nil),
    ("_dmarc.example.com", "_dmarc.example.com", .exact, nil),
]

/// Which of the patterns fit a host, the most specific first.
private let lookups: [(host: String, port: Int?, patterns: [String])] = [
    ("example.com", nil, ["example.com", "**.example.com", "**.com"]),
    ("a.example.com", nil, ["a.example.com", "*.example.com", "**.example.com", "**.com"]),
    ("b.example.com", nil, ["*.example.com", "**.example.com", "**.com"]),
    ("b.example.com", 443, ["*.example.com", "**.example.com", "**.com"]),
    ("b.example.com", 8_443, ["*.example.com:8443", "*.example.com", "**.example.com", "**.com"]),
    ("a.example.com", 8_443, ["a.example.com", "*.example.com:8443", "*.example.com", "**.example.com", "**.com"]),
    ("x.a.example.com", nil, ["**.example.com", "**.com"]), ("notexample.com", nil, ["**.com"]),
    ("com", nil, ["**.com"]),
    ("example.org", nil, []), ("localhost", nil, ["localhost"]), ("x.localhost", nil, []),
    ("192.0.2.1", nil, ["192.0.2.1"]), ("192.0.2.1", 80, ["192.0.2.1:80", "192.0.2.1"]), ("192.0.2.2", nil, []),
    ("2001:db8:0::1", 1, ["2001:db8::1"]), ("B\u{FC}cher.example", nil, ["xn--bcher-kva.example"]),
    ("A.EXAMPLE.COM.", nil, ["a.example.com", "*.example.com", "**.example.com", "**.com"]),
]

@Suite struct HostPatternTests {
    @Test(arguments: invalidPatterns.indices)
    func `Text that is no pattern is refused, with what to write instead`(index: Int) {
        let (text, code) = invalidPatterns[index]
        #expect {
            try HostPattern(text)
        } throws: { error in
            guard let error = error as? HostPatternError else { return false }
            #expect("\(error.code)".hasPrefix(code), "\(text.prefix(40)): \(error.code)")
            return "\(error)".utf8.count < 1_000
        }
    }

    @Test(arguments: spellings.indices)
    func `A host has one spelling, whatever case, dots, brackets and script it is written in`(index: Int) throws {
        let (text, host, breadth, port) = spellings[index]
        let pattern = try HostPattern(text)
        #expect(pattern.host == host && pattern.breadth == breadth && pattern.port == port)
        #expect(try HostPattern(pattern.description) == pattern)
    }

    @Test(arguments: lookups.indices)
    func `The most specific pattern comes first`(index: Int) throws {
        let (host, port, patterns) = lookups[index]
        var table = HostTable<Void>()
        for text in [
            "example.com", "a.example.com", "*.example.com", "*.example.com:8443", "**.example.com", "**.com",
            "localhost",
            "192.0.2.1", "192.0.2.1:80", "2001:db8::1", "b\u{FC}cher.example",
        ] {
            try table.insert((), for: try HostPattern(text))
        }
        #expect(table.count == 11)
        let name = try Host(host)
        #expect(table.entries(for: name, port: port).map(\.pattern.description) == patterns)
        #expect(table.entry(for: name, port: port)?.pattern.description == patterns.first)
    }

    @Test func `Every pattern of a name comes before every pattern of a parent, with and without a port`() throws {
        var table = HostTable<Void>()
        for text in ["*.example.com", "**.a.example.com", "**.a.example.com:1", "*.com:1", "**.com"] {
            try table.insert((), for: try HostPattern(text))
        }
        let patterns = table.entries(for: try Host("a.example.com"), port: 1).map(\.pattern.description)
        #expect(patterns == ["**.a.example.com:1", "**.a.example.com", "*.example.com", "**.com"])
    }

    @Test func `One pattern in two spellings is an error`() throws {
        var table = HostTable<Int>()
        for text in ["b\u{FC}cher.example:1", "*.example.com", "::1"] {
            try table.insert(1, for: try HostPattern(text))
        }
        for text in ["XN--BCHER-KVA.example:1", "*.EXAMPLE.com.", "[0::1]"] {
            #expect(throws: HostPatternError.self) { try table.insert(2, for: try HostPattern(text)) }
        }
        try table.insert(2, for: try HostPattern("b\u{FC}cher.example"))
    }

    @Test(arguments: [
        ("example.com", "EXAMPLE.com.", true), ("example.com", "a.example.com", false),
        ("*.example.com", "a.example.com", true), ("*.example.com", "example.com", false),
        ("*.example.com", "a.b.example.com", false), ("*.example.com", "aexample.com", false),
        ("**.example.com", "example.com", true), ("**.example.com", "a.b.example.com", true),
        ("**.example.com", "aexample.com", false), ("192.0.2.1", "192.0.2.1", true), ("192.0.2.1", "192.0.2.2", false),
        ("[2001:db8::1]", "2001:DB8:0:0:0:0:0:1", true), ("**.com", "192.0.2.1", false),
        ("example.com", "", false), ("**.example.com", "a..example.com", false),
        ("*.example.com", "*.example.com", false),
        ("example.com:443", "example.com", false),
    ])
    func `A pattern tells which hosts it is about`(pattern: String, host: String, matches: Bool) throws {
        let pattern = try HostPattern(pattern)
        #expect(pattern.matches(host) == matches)
        let port = pattern.port ?? 8_443
        #expect(pattern.matches(host, port: port) == (matches || pattern.port != nil))
        #expect(!pattern.matches(host, port: 1) || pattern.port == nil)
    }
}
