//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import HTTPSession
import ServerTrust
import ServerTrustTesting
import Synchronization

/// A site whose pins are not kept to, and report servers under a root of their own.
struct PinReportFixture {
    let site: PinnedSite
    let trust: Trust
    let report: PinReport
    let authority: TestAuthority

    init() throws {
        self.site = try PinnedSite()
        self.trust = try self.site.trust(for: .genuine)
        self.authority = try TestAuthority()
        let decision = try Self.manager(of: self.site, nil).evaluate(self.trust, forHost: self.site.host, port: 443)
        guard let report = PinReport(decision, port: 443) else { throw UnexpectedlyMatched() }
        self.report = report
    }

    private struct UnexpectedlyMatched: Error {}

    /// A manager to which the site is a mismatch.
    func manager(_ reporter: PinReporter) throws -> ServerTrustManager {
        try Self.manager(of: self.site, reporter)
    }

    private static func manager(of site: PinnedSite, _ reporter: PinReporter?) throws -> ServerTrustManager {
        try ServerTrustManager(evaluators: [site.host: .pins([site.pins.backup])], reporter: reporter)
    }

    /// A TLS server for 127.0.0.1 and localhost.
    func tls(
        _ change: (inout CertificateDescription) throws -> Void = { _ in }
    ) throws -> TestTLSServer.Configuration {
        var description = CertificateDescription.leaf(dnsNames: ["localhost"], ipAddresses: ["127.0.0.1"])
        try change(&description)
        return TestTLSServer.Configuration(try self.authority.issue(description))
    }

    /// A configuration that trusts the report servers' root and connects to 127.0.0.1, with all the time in the world.
    func configuration(
        _ change: (inout PinReportPoster.Configuration) throws -> Void = { _ in }
    ) throws -> PinReportPoster.Configuration {
        var configuration = PinReportPoster.Configuration()
        configuration.timeout = .seconds(600)
        configuration.connectTimeout = .seconds(600)
        configuration.retryDelay = nil
        configuration.dangerouslyAllowedAddresses = Set([IPAddress("127.0.0.1")].compactMap(\.self))
        configuration.trust.anchors = try self.authority.anchors
        try change(&configuration)
        return configuration
    }

    /// Posts the report to one URI.
    func post(
        _ uri: String, _ change: (inout PinReportPoster.Configuration) throws -> Void = { _ in }
    ) async throws -> PinReportPoster.Outcome? {
        let poster = try PinReportPoster([uri], configuration: self.configuration(change))
        return await poster.post(self.report).first?.outcome
    }
}

extension PinReportPoster.Outcome {
    /// The status of an answer that accepts.
    var accepted: Int? { if case .accepted(let status) = self { status } else { nil } }

    /// The status of an answer that does not.
    var refused: Int? { if case .refused(let status) = self { status } else { nil } }

    var failure: PinReportPoster.Failure? { if case .failed(let failure) = self { failure } else { nil } }
}

/// Deliveries as they are announced.
final class Deliveries: Sendable {
    private let state = Mutex<[PinReportPoster.Delivery]>([])

    var all: [PinReportPoster.Delivery] { self.state.withLock { $0 } }

    func add(_ delivery: PinReportPoster.Delivery) { self.state.withLock { $0.append(delivery) } }
}
