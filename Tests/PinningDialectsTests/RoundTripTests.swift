//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import ServerTrust
import Testing

@testable import PinningDialects

/// Numbers that are the same every time.
private struct Numbers: RandomNumberGenerator {
    var state: UInt64

    mutating func next() -> UInt64 {
        self.state = self.state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
        return self.state ^ self.state >> 29
    }
}

/// Makes configurations of what a dialect can say.
private struct Generator {
    var numbers: Numbers
    let dialect: PinningDialect

    init(_ dialect: PinningDialect, seed: Int) {
        self.dialect = dialect
        self.numbers = Numbers(state: UInt64(seed) &* 977 &+ 13)
        for _ in 0..<4 { _ = self.numbers.next() }
    }

    var isNative: Bool { self.dialect == .json }

    mutating func configuration() -> PinningConfiguration {
        let unions: [PinningDialect: PinningConfiguration.Combination] = [.ios: .union, .okhttp: .union]
        let combination = self.isNative ? self.pick(PinningConfiguration.Combination.allCases) : unions[self.dialect]
        let count = Int.random(in: 1...5, using: &self.numbers)
        let hosts = (0..<count).map { "d\($0).example.com" } + (self.hasAddresses ? ["192.0.2.1", "2001:db8::1"] : [])
        var configuration = PinningConfiguration(combination: combination ?? .mostSpecific)
        for host in hosts { configuration.domains.append(self.domain(host)) }
        if self.dialect == .trustkit { self.addParent(to: &configuration) }
        if self.dialect == .ios || self.dialect == .trustkit { configuration.domains.sort { $0.host < $1.host } }
        return configuration
    }

    /// TrustKit excludes sub-domains of a parent with pins, and nothing else.
    mutating func addParent(to configuration: inout PinningConfiguration) {
        configuration.domains.removeAll { $0.pins == nil && !$0.host.hasSuffix("m") }
        guard configuration.domains.contains(where: { $0.pins == nil }) else { return }
        var parent = PinnedDomain("example.com", subdomains: .anyDepth, pins: nil)
        while parent.pins == nil { parent.pins = self.pins() }
        configuration.domains.append(parent)
    }

    var hasAddresses: Bool { self.dialect != .ios }

    mutating func domain(_ host: String) -> PinnedDomain {
        let isAddress = !host.hasSuffix("m")
        var breadths = self.dialect.capabilities?.subdomains ?? Set(PinnedDomain.Subdomains.allCases)
        if self.dialect == .okhttp { breadths.remove(.oneLabel) }
        let ordered = isAddress ? [.none] : PinnedDomain.Subdomains.allCases.filter(breadths.contains)
        let hasPorts = self.isNative || self.dialect == .curl
        var domain = PinnedDomain(
            host, subdomains: self.pick(ordered), port: hasPorts && self.flip() ? 8_443 : nil, pins: self.pins())
        self.addAnchors(to: &domain)
        if self.isNative || self.dialect == .trustkit, domain.pins != nil, self.flip() {
            domain.reportURIs = ["https://report.example.com/a?b=c", "http://x"]
        }
        if self.isNative, domain.pins != nil { domain.backup = self.pick([.off, .warn]) }
        if self.dialect == .trustkit, domain.pins == nil { domain.subdomains = .none }
        return domain
    }

    mutating func pins() -> PinSet? {
        let canBeUnpinned = self.isNative || self.dialect.capabilities?.unpinnedSubdomains.isEmpty == false
        if canBeUnpinned, Int.random(in: 0..<5, using: &self.numbers) == 0 { return nil }
        let scopes = self.dialect.capabilities?.scopes ?? PinRequirement.Scope.allCases
        let count = self.isNative || self.dialect == .ios ? Int.random(in: 1...2, using: &self.numbers) : 1
        let used = count == 2 && self.dialect == .ios ? scopes : (0..<count).map { _ in self.pick(scopes) }
        var pins = PinSet(unchecked: used.map { PinSet.Requirement(self.pinList(), scope: $0) })
        pins.comparison = self.dialect.capabilities?.comparison ?? self.pick(PinRequirement.Comparison.allCases)
        if self.isNative || self.dialect == .android || self.dialect == .trustkit { self.addRest(to: &pins) }
        return pins
    }

    mutating func pinList() -> [Pin] {
        let least = self.isNative || self.dialect.capabilities?.hasEmptyPins == true ? 0 : 1
        return (0..<Int.random(in: least...3, using: &self.numbers)).map { _ in
            let digest = (0..<32).map { _ in UInt8.random(in: 0...255, using: &self.numbers) }
            let kind: Pin.Kind = self.isNative ? self.pick(Pin.Kind.allCases) : .publicKey
            return try! Pin(kind, digest: digest)
        }
    }

    mutating func addRest(to pins: inout PinSet) {
        if self.flip() {
            let text = self.isNative ? self.pick(["2030-01-31", "2031-12-31T23:59:59Z"]) : "2030-01-31"
            let consequence = self.isNative ? self.pick(PinExpiration.Consequence.allCases) : .ignorePins
            pins.expiration = try! PinExpiration(text, then: consequence)
        }
        if self.dialect != .android { pins.isReportOnly = self.flip() }
        if self.isNative { pins.exemptAnchors = Set(AnchorClass.allCases.filter { _ in self.flip() }) }
        if self.dialect == .trustkit { pins.exemptAnchors = [.user] }
    }

    mutating func addAnchors(to domain: inout PinnedDomain) {
        if self.isNative, self.flip() {
            let certificates = self.flip() ? [Sample.certificate] : []
            domain.anchors = AnchorSources(
                classes: Set(AnchorClass.allCases.filter { _ in self.flip() }), certificates: certificates)
        } else if self.dialect == .android {
            domain.anchors = AnchorSources(
                classes: self.pick([[.system], [.user], [.system, .user], []]),
                certificates: self.flip() ? [Sample.certificate] : [])
            domain.pins?.exemptAnchors = domain.anchors?.classes.filter { _ in self.flip() } ?? []
            if domain.anchors?.certificates.isEmpty == false, self.flip() {
                domain.pins?.exemptAnchors.insert(.application)
            }
        } else if self.dialect == .trustkit, domain.pins != nil, self.flip() {
            domain.anchors = AnchorSources(classes: Set(AnchorClass.allCases), certificates: [Sample.certificate])
        }
    }

    mutating func flip() -> Bool { Bool.random(using: &self.numbers) }

    mutating func pick<Element>(_ elements: [Element]) -> Element { elements.randomElement(using: &self.numbers)! }
}

@Suite struct RoundTripTests {
    @Test(arguments: PinningDialect.allCases)
    func `What a dialect can say is read as it was written`(dialect: PinningDialect) {
        for seed in 0..<200 {
            var generator = Generator(dialect, seed: seed)
            let configuration = generator.configuration()
            let written = PinningWriter(dialect).write(configuration)
            #expect(written.diagnostics.isEmpty, "\(written.diagnostics)")
            var reader = PinningReader(dialect)
            reader.usesDebugOverrides = true
            reader.certificates = { written.certificates[$0].map { [$0] } }
            let reading = reader.read(Array(written.text.utf8))
            let isSame = reading.configuration?.withoutPositions == configuration
            #expect(isSame, "\(written.text)\n\(reading.diagnostics)")
        }
    }

    @Test(arguments: PinningDialect.allCases)
    func `A text is the same whenever it is written`(dialect: PinningDialect) throws {
        let text = try #require(Sample.files[dialect])
        let configuration = try #require(PinningReading(text, dialect).configuration)
        let first = PinningWriter(dialect).write(configuration)
        let again = try #require(PinningReading(first.text, dialect).configuration)
        #expect(PinningWriter(dialect).write(again).text == first.text)
    }

    @Test(arguments: PinningDialect.allCases, PinningDialect.allCases)
    func `What another dialect cannot say is said, and the rest can be read`(
        source: PinningDialect, target: PinningDialect
    ) throws {
        let text = try #require(Sample.files[source])
        let configuration = try #require(PinningReading(text, source).configuration)
        let written = PinningWriter(target).write(configuration)
        let reading = PinningReading(written.text, target)
        #expect(!reading.codes.contains { $0.severity == .error }, "\(written.text)\n\(reading.diagnostics)")
        #expect(reading.configuration != nil)
        if target == .json { #expect(written.diagnostics.isEmpty) }
    }
}
