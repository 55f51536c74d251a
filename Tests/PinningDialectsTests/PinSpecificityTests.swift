//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import ServerTrust
import Testing

@testable import PinningDialects

/// Repeatable choices.
private struct SplitMix: RandomNumberGenerator {
    var state: UInt64

    mutating func next() -> UInt64 {
        self.state &+= 0x9E37_79B9_7F4A_7C15
        var value = self.state
        value = (value ^ value >> 30) &* 0xBF58_476D_1CE4_E5B9
        value = (value ^ value >> 27) &* 0x94D0_49BB_1331_11EB
        return value ^ value >> 31
    }
}

/// One entry of a random file, and the same question answered without any table.
private struct NaiveEntry {
    let host: String
    let subdomains: PinnedDomain.Subdomains
    let port: Int?
    let pins: [Pin]?
    var exclude: String?

    func fits(_ name: String, _ port: Int?) -> Bool {
        guard self.port == nil || self.port == port else { return false }
        let (labels, own) = (name.split(separator: "."), self.host.split(separator: "."))
        guard labels.suffix(own.count) == own[...] else { return false }
        return switch self.subdomains {
        case .none: labels.count == own.count
        case .oneLabelOnly: labels.count == own.count + 1
        case .oneLabel: labels.count <= own.count + 1
        case .anyDepth: true
        }
    }

    /// More labels, fewer hosts, a port: greater is more specific. An entry that names the host names it, whatever else it is about.
    func rank(for name: String) -> [Int] {
        let narrowness =
            switch self.subdomains {
            case .none: 2
            case .oneLabel: self.host == name ? 2 : 1
            case .oneLabelOnly: 1
            case .anyDepth: 0
            }
        return [self.host.split(separator: ".").count, narrowness, self.port == nil ? 0 : 1]
    }

    var exclusion: NaiveEntry? {
        self.exclude.map { NaiveEntry(host: $0, subdomains: .anyDepth, port: self.port, pins: nil) }
    }

    var text: String {
        let host = self.host + (self.port.map { ":\($0)" } ?? "")
        let pins = self.pins.map { "\"pins\": [\($0.map { "\"\($0)\"" }.joined(separator: ", "))]" }
        let exclude = self.exclude.map { ", \"exclude\": [\"\($0)\"]" } ?? ""
        return #""host": "\#(host)", "subdomains": "\#(self.subdomains.rawValue)", "#
            + (pins ?? "\"pinned\": false") + exclude
    }
}

private struct NaiveFile {
    let combination: PinningConfiguration.Combination
    let entries: [NaiveEntry]

    static let names = ["a", "b", "a.a", "b.a", "a.b", "a.a.a", "b.a.a", "a.b.a", "b.a.a.a", "a.a.b.a"]

    init(_ random: inout SplitMix) {
        self.combination = Bool.random(using: &random) ? .union : .mostSpecific
        self.entries = (0..<Int.random(in: 1...5, using: &random)).map { _ in
            let host = Self.names.randomElement(using: &random) ?? "a"
            let isPinned = Int.random(in: 0...2, using: &random) > 0
            var entry = NaiveEntry(
                host: host, subdomains: PinnedDomain.Subdomains.allCases.randomElement(using: &random) ?? .none,
                port: [nil, nil, 1].randomElement(using: &random) ?? nil,
                pins: isPinned ? [Sample.pin(.random(in: 1...200, using: &random))] : nil)
            if Int.random(in: 0...3, using: &random) == 0 { entry.exclude = "b." + host }
            return entry
        }
    }

    var text: String { native(self.entries.map(\.text), combination: self.combination) }

    func pins(_ name: String, _ port: Int?) -> Set<Pin>? {
        let fitting = self.entries.flatMap { [$0] + [$0.exclusion].compactMap(\.self) }.filter { $0.fits(name, port) }
        switch self.combination {
        case .union:
            let pins = fitting.compactMap(\.pins)
            return pins.isEmpty ? nil : Set(pins.joined())
        case .mostSpecific:
            return fitting.max { $0.rank(for: name).lexicographicallyPrecedes($1.rank(for: name)) }?.pins.map {
                Set($0)
            }
        }
    }
}

/// What a file of a dialect pins for hosts; `nil` for nothing.
private struct OriginalCase: Sendable {
    let dialect: PinningDialect
    let text: String
    let hosts: [String: [Pin]?]
}

private let (a, b) = (Sample.a, Sample.b)

/// A file of this package's own format.
private func native(
    _ entries: [String], combination: PinningConfiguration.Combination = .mostSpecific
) -> String {
    #"{"format": "servertrust.pins/1", "combination": "\#(combination.rawValue)", "domains": ["#
        + entries.map { "{\($0)}" }.joined(separator: ",\n") + "]}"
}

private let wideOverNarrow = native([
    #""host": "example.com", "subdomains": "one-label", "pinned": false"#,
    #""host": "a.example.com", "subdomains": "any-depth", "pins": ["\#(a)"]"#,
])

/// What the originals do, by their sources. They choose in one order; OkHttp and Apple's engine count all that fit.
private let originals: [OriginalCase] = [
    OriginalCase(
        dialect: .json, text: wideOverNarrow,
        hosts: ["a.example.com": [a], "b.a.example.com": [a], "b.example.com": nil, "example.com": nil]),
    OriginalCase(
        dialect: .json,
        text: native([
            #""host": "example.com", "subdomains": "one-label", "pins": ["\#(b)"]"#,
            #""host": "a.example.com", "subdomains": "any-depth", "pins": ["\#(a)"]"#,
        ]),
        hosts: ["a.example.com": [a], "b.example.com": [b]]),
    OriginalCase(
        dialect: .json,
        text: native([
            #""host": "example.com", "subdomains": "one-label", "pins": ["\#(a)"], "exclude": ["a.example.com"]"#
        ]),
        hosts: ["a.example.com": nil, "b.example.com": [a]]),
    // NetworkSecurityConfig's ApplicationConfig.getConfigForHostname: the name itself, then the longest that includes it.
    OriginalCase(
        dialect: .android,
        text: """
            <network-security-config>
            <domain-config><domain includeSubdomains="true">example.com</domain>
            <pin-set><pin digest="SHA-256">\(b.base64)</pin></pin-set></domain-config>
            <domain-config><domain includeSubdomains="true">a.example.com</domain>
            <pin-set><pin digest="SHA-256">\(a.base64)</pin></pin-set></domain-config>
            <domain-config><domain includeSubdomains="true">c.a.example.com</domain></domain-config>
            </network-security-config>
            """,
        hosts: ["a.example.com": [a], "b.a.example.com": [a], "b.example.com": [b], "d.c.a.example.com": nil]),
    // TrustKit's TSKPinningValidator: the key that is the host, then the longest with kTSKIncludeSubdomains.
    OriginalCase(
        dialect: .trustkit,
        text: """
            {"TSKPinnedDomains": {
            "example.com": {"TSKIncludeSubdomains": true, "TSKPublicKeyHashes": ["\(a.base64)", "\(b.base64)"]},
            "a.example.com": {"TSKExcludeSubdomainFromParentPolicy": true},
            "b.a.example.com": {"TSKPublicKeyHashes": ["\(b.base64)", "\(Sample.c.base64)"]}}}
            """,
        hosts: [
            "example.com": [a, b], "a.example.com": nil, "b.a.example.com": [b, Sample.c], "x.example.com": [a, b],
            "x.a.example.com": [a, b],
        ]),
    // CertificatePinner.findMatchingPins: all patterns that fit.
    OriginalCase(
        dialect: .okhttp,
        text: "*.example.com \(a)\n**.a.example.com \(b)\n",
        hosts: ["a.example.com": [a, b], "b.a.example.com": [b], "b.example.com": [a], "example.com": nil]),
    OriginalCase(
        dialect: .curl, text: "example.com:8443 \(a.curlText)\nexample.com \(b.curlText)\n",
        hosts: ["example.com:8443": [a], "example.com:443": [b], "a.example.com:443": nil]),
]

extension Pin {
    fileprivate var curlText: String { "sha256//\(self.base64)" }
}

@Suite struct PinSpecificityTests {
    @Test func `The most specific entry speaks, as a model without tables finds it`() throws {
        var random = SplitMix(state: 30)
        var usable = 0
        for _ in 0..<4_000 {
            let file = NaiveFile(&random)
            guard let configuration = PinningReading(file.text, .json).configuration else { continue }
            usable += 1
            let hosts = try PinnedHosts(configuration)
            for name in NaiveFile.names + ["x", "x.a", "x.b.a", "b.b.a.a", "x.b.a.a.a"] {
                for port in [nil, 1, 2] {
                    let pins = try hosts.domain(forHost: name, port: port)?.pins.map { Set($0.pins) }
                    #expect(pins == file.pins(name, port), "\(name) \(port ?? 0)\n\(file.text)")
                }
            }
        }
        #expect(usable > 1_500)
    }

    @Test(arguments: originals.indices)
    func `Each dialect chooses as its original does`(index: Int) throws {
        let original = originals[index]
        let reading = PinningReading(original.text, original.dialect)
        let configuration = try #require(reading.configuration, "\(reading.diagnostics)")
        for (text, pins) in original.hosts {
            let host = text.split(separator: ":")
            let port = host.count > 1 ? Int(host[1]) : nil
            let found = try configuration.domain(forHost: String(host[0]), port: port)?.pins?.pins
            #expect(found == pins?.sorted(), "\(text)")
        }
    }

    @Test(arguments: ["one-label", "one-label-only"])
    func `A host below those of a domain cannot be excluded from it`(subdomains: String) {
        let entry =
            #""host": "example.com", "subdomains": "\#(subdomains)", "pins": ["\#(a)", "\#(b)"], "#
            + #""exclude": ["b.a.example.com"]"#
        #expect(PinningReading(native([entry]), .json).codes == [.invalidHost])
    }

    @Test func `Together, entries let no path through that one of them alone refuses`() throws {
        let text = native(
            [
                #""host": "a.example.com", "pins": ["\#(a)"], "reportOnly": true, "exemptAnchors": ["user"], "#
                    + #""expires": "2020-01-01", "afterExpiry": "ignore-pins""#,
                #""host": "*.example.com", "pins": ["\#(b)"], "exemptAnchors": ["system"]"#,
            ], combination: .union)
        let configuration = try #require(PinningReading(text, .json).configuration)
        let pins = try #require(try configuration.domain(forHost: "a.example.com")?.pins)
        #expect(!pins.isReportOnly && pins.exemptAnchors.isEmpty && pins.expiration == nil)
        #expect(pins.pins == [a, b].sorted())
    }
}
