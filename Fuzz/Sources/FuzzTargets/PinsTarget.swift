//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import Foundation
import PinningDialects

@testable import ServerTrust

/// Configurations of pins in every dialect. The first octet chooses the dialect, the others are the file.
enum PinsTarget {
    static func run(_ bytes: [UInt8], _ findings: inout Findings) {
        guard let first = bytes.first else { return }
        let dialects = PinningDialect.allCases
        let dialect = dialects[Int(first) % dialects.count]
        let file = Array(bytes.dropFirst())
        _ = PinningDialect.detected(in: file)
        _ = try? Pin(String(decoding: file.prefix(100), as: UTF8.self))
        _ = try? HostPattern(String(decoding: file.prefix(300), as: UTF8.self))
        let reading = PinningReader(dialect).read(file)
        guard let configuration = reading.configuration else {
            findings.expect(reading.diagnostics.contains { $0.severity == .error }, "no configuration, and no error")
            return
        }
        findings.expect(reading.diagnostics.allSatisfy { $0.severity != .error }, "an error, and a configuration")
        for diagnostic in reading.diagnostics {
            findings.expect("\(diagnostic)".utf8.count < 4_096, "a diagnostic as long as what it is about")
        }
        self.lookUp(configuration, &findings)
        self.writeAgain(configuration, &findings)
        _ = configuration.findings(at: Date(timeIntervalSince1970: 1_800_000_000))
    }

    /// Every domain must be found again by its host, with pins where it has some: none may get lost on the way.
    private static func lookUp(_ configuration: PinningConfiguration, _ findings: inout Findings) {
        guard let hosts = try? PinnedHosts(configuration) else {
            findings.expect(false, "a configuration whose hosts cannot be looked up")
            return
        }
        for domain in configuration.domains {
            guard let host = try? domain.patterns().first?.host else {
                findings.expect(false, "a domain whose host is not valid")
                continue
            }
            let name = domain.subdomains == .oneLabelOnly ? "_nobody." + host : host
            guard let name = try? Host(name) else { continue }
            let found = hosts.domain(for: name, port: domain.port)
            findings.expect(found != nil, "a domain that is not found")
            if configuration.combination == .union, domain.pins != nil {
                findings.expect(found?.pins != nil, "the pins of a domain got lost among others")
            }
        }
    }

    /// This package's own format has words for everything; the others must not let more through.
    private static func writeAgain(_ configuration: PinningConfiguration, _ findings: inout Findings) {
        let own = PinningReader(.json).read(Array(PinningWriter(.json).write(configuration).text.utf8)).configuration
        findings.expect(own?.plain == configuration.plain, "JSON is read otherwise than it was written")
        for dialect in PinningDialect.allCases {
            let written = PinningWriter(dialect).write(configuration)
            guard written.isFaithful, !configuration.domains.isEmpty else { continue }
            var reader = PinningReader(dialect)
            reader.certificates = { name in written.certificates[name].map { [$0] } }
            let again = reader.read(Array(written.text.utf8))
            let isEmpty = !configuration.domains.contains { $0.pins != nil }
            findings.expect(again.configuration != nil || isEmpty, "\(dialect.rawValue) cannot read what it wrote")
        }
    }

    static func seeds() throws -> [[UInt8]] {
        let pins = (1...4).map { Pin(.publicKey, checked: Array(repeating: UInt8($0), count: 31) + [0]) }
        var set = try PinSet(pins.prefix(2))
        set.expiration = try PinExpiration("2027-06-30", then: .ignorePins)
        var leaf = try PinSet([PinSet.Requirement([pins[2]], scope: .leaf), .init([pins[3]], scope: .authorities)])
        leaf.isReportOnly = true
        let configuration = PinningConfiguration(domains: [
            PinnedDomain("api.example.com", pins: set), PinnedDomain("example.org", subdomains: .anyDepth, pins: leaf),
            PinnedDomain("legacy.example.org", pins: nil), PinnedDomain("192.0.2.7", port: 8_443, pins: set),
        ])
        let written = PinningDialect.allCases.enumerated().map { index, dialect in
            [UInt8(index)] + Array(PinningWriter(dialect).write(configuration).text.utf8)
        }
        let samples: [(PinningDialect, String)] = [
            (.okhttp, "CertificatePinner.Builder().add(\"**.example.com\", \"\(pins[0])\", \"\(pins[1])\").build()"),
            (
                .curl,
                "curl --pinnedpubkey \"sha256//\(pins[0].base64);sha256//\(pins[1].base64)\" https://example.com:8443/"
            ),
            (.ios, "bplist00\u{D0}\u{08}"),
            (.json, "{\"format\": \"servertrust.pins/1\""),
        ]
        return written
            + samples.map { dialect, text in
                [UInt8(PinningDialect.allCases.firstIndex(of: dialect) ?? 0)] + Array(text.utf8)
            }
    }
}

extension PinningConfiguration {
    /// The configuration without the places it was written at.
    fileprivate var plain: PinningConfiguration {
        var plain = self
        for index in plain.domains.indices { plain.domains[index].position = nil }
        return plain
    }
}
