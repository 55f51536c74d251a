//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import NIOHTTP1
import ServerReports
package import ServerTrust
import ServerTrustNIO
import Synchronization

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// Answers `/probe`: asks one server now, as Prometheus' multi-target exporters do.
///
/// It is no open scanner. A target must match a pattern of the caller's or stand in the list that is watched, few are asked at
/// a time, each within the time that Prometheus waits, and neither redirects nor other hosts are followed. A pattern is about names:
/// DNS decides which addresses are asked.
package final class ProbeEndpoint: Sendable {
    /// The most probes at a time.
    static let mostProbes = 8
    /// The time of a probe, unless the client says how long it waits.
    static let usualTime = Duration.seconds(30)
    /// The longest time of a probe, whatever the client says.
    static let longestSeconds = 120.0
    /// The header that Prometheus says its timeout with.
    static let timeoutField = "x-prometheus-scrape-timeout-seconds"

    private let loop: ScanLoop
    private let board: MetricsBoard
    private let patterns: [HostPattern]
    private let running = Mutex(0)

    /// An endpoint.
    ///
    /// - Parameters:
    ///   - loop: The work on a host, and the settings of hosts whose line says nothing else.
    ///   - board: The metrics, which know the hosts of the list.
    ///   - patterns: The hosts that may be asked besides. One without a port allows port 443 alone.
    package init(_ loop: ScanLoop, _ board: MetricsBoard, allowing patterns: [HostPattern]) {
        self.loop = loop
        self.board = board
        self.patterns = patterns
    }

    /// Answers a request.
    func answer(_ head: HTTPRequestHead) async -> PageServer.Page {
        let query: ProbeQuery
        do throws(ProbeQuery.Unusable) {
            query = try ProbeQuery(head.uri)
        } catch {
            return PageServer.Page(.badRequest, "\(error.reason)\n")
        }
        let line = LineSplitter.Line(
            number: 1, bytes: Array(query.target.utf8), isTooLong: false, isEnded: true, end: 0)
        guard let entry = ScanEntry(line, self.loop.defaults), case .success(let target) = entry.target else {
            return PageServer.Page(.badRequest, "the target is no host with a port\n")
        }
        guard self.allows(target) else {
            return PageServer.Page(
                .forbidden,
                "the target is not in the list by its host and port alone, and matches no pattern that is allowed\n")
        }
        guard self.begin() else {
            return PageServer.Page(
                .serviceUnavailable, "\(Self.mostProbes) probes are running\n", fields: [("retry-after", "1")])
        }
        defer { self.running.withLock { $0 -= 1 } }
        return await self.page(for: entry, query.module, within: Self.time(head))
    }

    private func allows(_ target: ScanTarget) -> Bool {
        let (host, port) = (target.endpoint.host.text, target.endpoint.port)
        // A zone names an interface of this machine, which no pattern can.
        guard target.endpoint.zone == nil else { return false }
        if self.patterns.contains(where: { ($0.port ?? 443) == port && $0.matches(host, port: port) }) { return true }
        return self.board.isListed(target.identity)
    }

    private func begin() -> Bool {
        self.running.withLock { running in
            guard running < Self.mostProbes else { return false }
            running += 1
            return true
        }
    }

    /// Half a second less than the client waits, so that the answer arrives.
    static func time(_ head: HTTPRequestHead) -> Duration {
        guard let text = head.headers.first(name: Self.timeoutField), let seconds = Double(text), seconds.isFinite,
            seconds > 0
        else { return Self.usualTime }
        // The number is bounded first: a Duration cannot hold every Double.
        return .seconds(min(max(seconds - 0.5, 0.5), Self.longestSeconds))
    }

    private func page(
        for entry: ScanEntry, _ module: ProbeQuery.Module, within time: Duration
    ) async -> PageServer.Page {
        let start = ContinuousClock.now
        let record: ScanRecord?
        do throws(StarvedProbe) {
            record = try await self.record(for: entry, within: time)
        } catch {
            return PageServer.Page(
                .serviceUnavailable, "this machine has no room for another connection\n", fields: [("retry-after", "1")]
            )
        }
        let text = ProbeText(record, module, duration: start.duration(to: .now)).text
        return PageServer.Page(.ok, text, type: PrometheusText.contentType)
    }

    /// Returns the record of the host, or `nil` if the time was over before.
    ///
    /// - Throws: ``StarvedProbe`` if this machine has no room for the connections.
    private func record(for entry: ScanEntry, within time: Duration) async throws(StarvedProbe) -> ScanRecord? {
        let work = self.loop.work
        let first = await withTaskGroup(of: Result<ScanRecord?, StarvedProbe>.self) { group in
            group.addTask {
                do throws(StarvedProbe) {
                    return .success(try await work.result(for: entry)?.record)
                } catch {
                    return .failure(error)
                }
            }
            group.addTask {
                // Cancelled once the record is there.
                try? await Task.sleep(for: time)
                return .success(nil)
            }
            defer { group.cancelAll() }
            return await group.next() ?? .success(nil)
        }
        return try first.get()
    }
}

/// The metrics of one probe.
struct ProbeText {
    private(set) var text = ""

    /// Metrics of one host.
    ///
    /// - Parameters:
    ///   - record: The record of the host; `nil` if there was no time for it.
    ///   - module: The question.
    ///   - duration: The time that asking took.
    init(_ record: ScanRecord?, _ module: ProbeQuery.Module, duration: Duration) {
        var text = PrometheusText()
        let outcome = record.flatMap { record in
            switch module {
            case .ats: record.outcome.ats
            case .trust: record.outcome.trust
            case .fcp: record.outcome.fcp
            }
        }
        text.add(
            "servertrust_probe_success", "gauge", "1 if the answer to the module's question is yes, else 0.",
            [([], outcome == "passed" ? 1 : 0)])
        text.add(
            "servertrust_probe_duration_seconds", "gauge", "The time that the probe took.",
            [([], ProgressText.seconds(duration))])
        text.add(
            "servertrust_probe_timeout", "gauge", "1 if the probe ran out of time, else 0.",
            [([], record == nil ? 1 : 0)])
        if let record {
            text.add(
                "servertrust_probe_reason", "gauge", "1 for each code that speaks against the server, or is not known.",
                record.reasons.prefix(20).map { ([("code", $0)], 1) })
            text.addHosts([MetricsBoard.Host(record, round: 0)], labels: { _ in [] })
        }
        self.text = text.text
    }
}
