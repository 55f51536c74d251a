//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import Foundation
import ServerTrust
import Testing

@testable import PinningDialects

private func pins(_ count: Int) -> [Pin] {
    (0..<count).map { index in
        try! Pin(digest: (0..<32).map { UInt8(truncatingIfNeeded: index >> ($0 % 4 * 8)) &+ UInt8($0) &* 7 })
    }
}

private func names(_ count: Int) -> [String] { (0..<count).map { "n\($0).example.com" } }

private func android(domains: Int, pins count: Int) -> String {
    let elements = pins(count).map { "<pin digest=\"SHA-256\">\($0.base64)</pin>" }.joined()
    let domains = names(domains).map { "<domain>\($0)</domain>" }.joined()
    return "<network-security-config><domain-config>\(domains)<pin-set>\(elements)</pin-set></domain-config>"
        + "</network-security-config>"
}

private func curl(domains: Int, pins count: Int) -> String {
    let urls = names(domains).map { "https://\($0)" }.joined(separator: " ")
    return "curl --pinnedpubkey '\(pins(count).map { "sha256//\($0.base64)" }.joined(separator: ";"))' \(urls)"
}

private let multiplied: [(dialect: PinningDialect, text: String)] = [
    (.android, android(domains: 500, pins: 5_000)), (.curl, curl(domains: 500, pins: 5_000)),
]

@Suite struct PinFileSizeTests {
    @Test(arguments: multiplied.indices)
    func `Names that share pins do not make a small file a large configuration`(index: Int) {
        let reading = PinningReading(multiplied[index].text, multiplied[index].dialect)
        #expect(reading.codes == [.invalidValue] && reading.configuration == nil)
    }

    @Test func `There is a most of domains, too`() throws {
        var (collector, log) = (DomainCollector(), DiagnosticLog())
        for name in names(DomainCollector.maximumDomains) { collector.add(PinnedDomain(name, pins: nil), &log) }
        #expect(log.diagnostics.isEmpty)
        for name in ["a.example", "b.example"] { collector.add(PinnedDomain(name, pins: nil), &log) }
        #expect(log.diagnostics.map(\.code) == [.invalidValue])
    }

    @Test func `As many as a file can spell out one by one are read`() throws {
        let configuration = try #require(PinningReading(android(domains: 50, pins: 2_000), .android).configuration)
        #expect(configuration.domains.count == 50)
    }

    @Test func `What counts for names below another is told by a few pins of each`() throws {
        let all = pins(2_000)
        let wide = "**.example.com " + all.map(\.description).joined(separator: " ") + "\n"
        let narrow = names(2_000).map { "*.\($0) \(all[0])\n" }.joined()
        let configuration = try #require(PinningReading(wide + narrow, .okhttp).configuration)
        let inForce = configuration.domainsInForce.joined()
        #expect(inForce.reduce(0) { $0 + ($1.pins?.size ?? 0) } <= 2 * inForce.count)
        #expect(try configuration.domain(forHost: "a.n7.example.com")?.pins?.size == 2_000)
    }

    @Test func `At most a thousand findings are made, however many domains there are`() throws {
        let text = names(3_000).map { "\($0) \(Sample.a)\n" }.joined()
        let reading = PinningReading(text, .okhttp)
        let findings = try #require(reading.configuration).findings(at: Date(timeIntervalSince1970: 0))
        #expect(findings.count == 1_000)
        #expect(reading.adding(findings).adding(findings).diagnostics.count == 1_000)
    }

    @Test func `A pin to come is known among many`() throws {
        let placeholder = try Pin(digest: [UInt8](repeating: 9, count: 32))
        let set = PinSet(unchecked: [.init(pins(1_000) + [placeholder])])
        #expect(set.placeholder == placeholder && !set.lacksBackup)
        #expect(PinSet(unchecked: [.init([placeholder, Sample.a])]).lacksBackup)
    }
}
