//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import CertificatePath
import Foundation
import Synchronization
import TestSupport
import Testing

@testable import ServerTrust

/// Keeps what it is handed.
private final class Collector: Sendable {
    let reports = Mutex<[PinReport]>([])
}

@Suite struct PinReportTests {
    static let server = PinnedServer.all[0]

    static func pins(reportOnly: Bool = false) throws -> PinSet {
        var pins = try PinSet([Pin(keyOf: TestCertificates.other)])
        pins.isReportOnly = reportOnly
        return pins
    }

    @Test func `Every path without a pin is reported, refused or not, and nothing else is`() async throws {
        let collector = Collector()
        let reporter = PinReporter { report in collector.reports.withLock { $0.append(report) } }
        let manager = try ServerTrustManager(
            evaluators: [
                "www.example.com": .pins(try Self.pins()),
                "www.example.com:8443": .pins(try Self.pins(reportOnly: true)),
                "www.example.com:1": .default, "www.example.com:2": .pins([Pin(keyOf: Self.server.sent[0])]),
            ], reporter: reporter)
        let trust = try Self.server.trust
        #expect(!manager.evaluate(trust, forHost: "www.example.com", port: 443).isTrusted)
        #expect(manager.evaluate(trust, forHost: "www.example.com", port: 8_443).isTrusted)
        #expect(manager.evaluate(trust, forHost: "www.example.com", port: 1).isTrusted)
        #expect(manager.evaluate(trust, forHost: "www.example.com", port: 2).isTrusted)
        await reporter.finish()
        let reports = collector.reports.withLock { $0 }
        #expect(reports.map(\.port) == [443, 8_443] && reports.map(\.wasTrusted) == [false, true])
        #expect(reports.allSatisfy { $0.host == "www.example.com" && $0.date == Date(testTime) })
        #expect(reports[0].mismatch.path.count == 4 && reports[0].mismatch.presented == Self.server.sent)
    }

    @Test func `The same report is handed on once a day, another at once`() async throws {
        let collector = Collector()
        let reporter = PinReporter { report in collector.reports.withLock { $0.append(report) } }
        let manager = try ServerTrustManager(
            evaluators: ["*.example.com": .pins(try Self.pins())], reporter: reporter)
        var trust = try Self.server.trust
        for _ in 0..<5 { _ = manager.evaluate(trust, forHost: "www.example.com", port: 443) }
        _ = manager.evaluate(trust, forHost: "www.example.com", port: 444)
        trust.verifyDate = Date(testTime) + 86_399
        _ = manager.evaluate(trust, forHost: "www.example.com", port: 443)
        trust.verifyDate = Date(testTime) + 86_400
        _ = manager.evaluate(trust, forHost: "www.example.com", port: 443)
        await reporter.finish()
        #expect(collector.reports.withLock { $0.map(\.port) } == [443, 444, 443])
        #expect(reporter.counts.handedOn == 3 && reporter.counts.repeated == 5 && reporter.counts.dropped == 0)
    }

    @Test func `A handler that hangs holds up no evaluation, and what does not fit is counted`() async throws {
        var configuration = PinReporter.Configuration()
        (configuration.interval, configuration.capacity) = (.zero, 2)  // every report is a new one
        let reporter = PinReporter(configuration: configuration) { _ in try? await Task.sleep(for: .seconds(600)) }
        let manager = try ServerTrustManager(evaluators: ["*.example.com": .pins(try Self.pins())], reporter: reporter)
        for port in 1...20 {
            #expect(!manager.evaluate(try Self.server.trust, forHost: "www.example.com", port: port).isTrusted)
        }
        let counts = reporter.counts
        #expect(counts.handedOn + counts.dropped == 20 && counts.dropped >= 17 && counts.repeated == 0)
    }

    @Test func `What is remembered is bounded`() throws {
        var recent = RecentReports(interval: .seconds(60), capacity: 3, perHost: 100)
        let decision = try PinSetTests.decide(try Self.pins())
        let keys = try (1...5).map { port in
            RecentReports.Key(try #require(PinReport(decision, port: port)))
        }
        let now = Date(testTime)
        for key in keys { recent.remember(key, at: now) }
        #expect(keys.map { recent.isNew($0, at: now) } == [true, true, false, false, false])
        #expect(recent.isNew(keys[4], at: now + 60) && recent.isNew(keys[4], at: now - 60))
    }

    @Test
    func `An attacker who makes a certificate for every connection is reported a bounded number of times`() throws {
        var recent = RecentReports(interval: .seconds(60), capacity: 1_000, perHost: 4)
        let now = Date(testTime)
        var handedOn = 0
        for number in 0..<40 {
            let forged = try PinnedServer.other.leaf { $0.serialNumber = DER.number(number + 2) }
            var trust = try Trust(certificates: [Certificate(forged)], policies: [], configuration: .only([]))
            trust.verifyDate = now
            let decision = PinsTrustEvaluator(try Self.pins()).evaluate(trust, forHost: "www.example.com")
            let key = RecentReports.Key(try #require(PinReport(decision, port: 443)))
            guard recent.isNew(key, at: now) else { continue }
            recent.remember(key, at: now)
            handedOn += 1
        }
        #expect(handedOn == 4)
        let decision = try PinSetTests.decide(try Self.pins())
        #expect(recent.isNew(RecentReports.Key(try #require(PinReport(decision, port: 1))), at: now) == false)
        #expect(recent.isNew(RecentReports.Key(try #require(PinReport(decision, port: 1))), at: now + 60))
    }

    @Test func `The JSON is HPKP's`() throws {
        var pins = try Self.pins()
        pins.expiration = PinExpiration(Date(Timestamp(secondsSinceEpoch: 1_800_000_000)), then: .report)
        let decision = try PinSetTests.decide(pins)
        let report = try #require(
            PinReport(decision, port: 8_443, pattern: try HostPattern("**.example.com")))
        let object = try JSONSerialization.jsonObject(with: Data(report.json))
        let json = try #require(object as? [String: Any])
        #expect(json["date-time"] as? String == "2026-06-01T00:00:00Z")
        #expect(json["hostname"] as? String == "www.example.com" && json["port"] as? Int == 8_443)
        #expect(json["noted-hostname"] as? String == "example.com" && json["include-subdomains"] as? Bool == true)
        #expect(json["effective-expiration-date"] as? String == "2027-01-15T08:00:00Z")
        #expect(json["served-certificate-chain"] as? [String] == Self.server.sent.map(\.pemRepresentation))
        let path = Self.server.sent + Self.server.roots
        #expect(json["validated-certificate-chain"] as? [String] == path.map(\.pemRepresentation))
        #expect(json["known-pins"] as? [String] == ["pin-sha256=\"\(TestCertificates.other.publicKey.pin)\""])
        #expect(json["enforced"] as? Bool == true && json["failure"] as? String == "path-not-pinned")
        #expect(PinReport(.trusted(nil), port: nil) == nil)
    }

    @Test func `A path that was not trusted is not called validated`() throws {
        let server = try #require(PinnedServer.all.first { $0.description.hasPrefix("a self-signed server, another") })
        let decision = try PinSetTests.decide(try Self.pins(), server)
        let report = try #require(PinReport(decision, port: nil))
        let object = try JSONSerialization.jsonObject(with: Data(report.json)) as? [String: Any]
        #expect(object?["validated-certificate-chain"] as? [String] == [])
        #expect(object?["served-certificate-chain"] as? [String] == server.sent.map(\.pemRepresentation))
    }
}
