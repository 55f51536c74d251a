//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import ArgumentParser
import CertificatePath
import FleetScan
import ServerReports
import ServerTrust
import ServerTrustNIO
import ServerTrustTesting

/// `servertrust demo`: a tour of common faults of TLS servers.
struct DemoCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "demo",
        abstract: "Check local test servers that have common faults.",
        discussion: """
            Starts TLS servers on 127.0.0.1 with throw-away keys, and checks each as `servertrust check` does. Nothing \
            leaves this machine, and nothing else needs to be installed.

            EXAMPLES
              servertrust demo
              servertrust demo --keep-running
                  Keeps the servers running for curl or a browser, until Control-C.
              servertrust demo --format json | jq '.servers[].report.evaluation.reasons[].code'

            EXIT CODES
              0  every verdict and reason is as expected
              1  a verdict or reason differs
              2  the servers could not be started: wrong arguments, no loopback network
            """
    )

    @Flag(
        name: .customLong("keep-running"),
        help: "Leave the servers up until interrupted, and say how to reach them."
    )
    var keepRunning = false

    @OptionGroup
    var output: OutputOptions<DemoReport>

    func run() async throws {
        // Signals are handled before there are servers to shut down.
        let signals = self.keepRunning ? InterruptSignals() : nil
        let range = try await TestTLSServerRange.start()
        let result: Result<DemoReport, any Error>
        do {
            result = .success(try await self.visit(range, until: signals))
        } catch {
            result = .failure(error)
        }
        try await range.shutdown()
        try result.get().verdict.finish()
    }

    private func visit(_ range: TestTLSServerRange, until signals: InterruptSignals?) async throws -> DemoReport {
        var report = try await Self.report(on: range)
        guard let signals else {
            try self.output.write(report)
            return report
        }
        let file = try RootFile(root: try Certificate(der: range.rootDER))
        report.invitation = DemoInvitation(range, rootFile: file.path)
        do {
            try self.output.write(report)
            await signals.first()
        } catch {
            try file.remove()
            throw error
        }
        try file.remove()
        return report
    }

    /// Checks every server of a range as the check command does, with the range's root as the only anchor.
    static func report(on range: TestTLSServerRange) async throws -> DemoReport {
        let root = try Certificate(der: range.rootDER)
        let check = ServerCheck(settings: CommandTrust([try TrustStore([root])]))
        let endpoints = try range.targets.map { target in
            try TLSEndpoint(host: target.referenceIdentity, port: target.port, connectAddress: "127.0.0.1")
        }
        var entries: [DemoReport.Entry] = []
        try await check.reports(on: endpoints.map { (url: "\($0)", endpoint: $0) }) { report in
            entries.append(DemoReport.Entry(fault: range.targets[entries.count].fault, report: report))
        }
        return DemoReport(entries: entries)
    }
}
