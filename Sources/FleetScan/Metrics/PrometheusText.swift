//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import ServerReports
import ServerTrust

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// Metrics in the text format of Prometheus, version 0.0.4
/// (https://prometheus.io/docs/instrumenting/exposition_formats/#text-based-format).
struct PrometheusText {
    static let contentType = "text/plain; version=0.0.4; charset=utf-8"

    private(set) var text = ""

    /// Appends a metric with its help and type, or nothing if it has no samples.
    mutating func add(
        _ name: String, _ type: String, _ help: String, _ samples: [(labels: [(String, String)], value: Double)]
    ) {
        guard !samples.isEmpty else { return }
        self.text += "# HELP \(name) \(Self.escapedHelp(help))\n# TYPE \(name) \(type)\n"
        for sample in samples {
            let labels = sample.labels.map { "\($0)=\"\(Self.escaped($1))\"" }.joined(separator: ",")
            self.text += "\(name)\(labels.isEmpty ? "" : "{\(labels)}") \(Self.number(sample.value))\n"
        }
    }

    private static func escaped(_ value: String) -> String {
        DisplayText.text(value).replacingScalars("\\", with: "\\\\").replacingScalars("\"", with: "\\\"")
            .replacingScalars("\n", with: "\\n")
    }

    private static func escapedHelp(_ text: String) -> String {
        text.replacingScalars("\\", with: "\\\\").replacingScalars("\n", with: "\\n")
    }

    private static func number(_ value: Double) -> String {
        if value.isNaN { return "NaN" }
        return value == value.rounded() && abs(value) < 1e15 ? "\(Int(value))" : "\(value)"
    }
}

extension MetricsBoard {
    var text: String {
        let state = self.now
        var text = PrometheusText()
        Self.addRounds(state, &text)
        text.add(
            "servertrust_apple_data_judges_until_timestamp_seconds", "gauge",
            "The end of validity from which on Apple's data cannot judge certificates of 90 days.",
            self.judgesUntil.map { [([], $0.timeIntervalSince1970.rounded())] } ?? [])
        Self.addFleet(state.tally, &text)
        text.addHosts(
            state.hosts.values.sorted { $0.labels.map(\.1).lexicographicallyPrecedes($1.labels.map(\.1)) },
            labels: \.labels)
        return text.text
    }

    private static func addRounds(_ state: State, _ text: inout PrometheusText) {
        text.add(
            "servertrust_build_info", "gauge", "The version of servertrust, as a label.",
            [([("version", ReportTool.version)], 1)])
        text.add("servertrust_rounds_total", "counter", "Rounds that are over.", [([], Double(state.rounds))])
        text.add(
            "servertrust_scanned_hosts_total", "counter", "Hosts that were asked, in all rounds.",
            [([], Double(state.scannedHosts))])
        text.add(
            "servertrust_connections_total", "counter", "Connections that were opened, or tried.",
            [([], Double(state.connections))])
        text.add(
            "servertrust_hosts_without_series", "gauge", "Hosts beyond those that have series of their own.",
            [([], Double(state.hostsLeftOut))])
        guard let lastRound = state.lastRound else { return }
        text.add(
            "servertrust_last_round_timestamp_seconds", "gauge", "When the last round was over.",
            [([], lastRound.timeIntervalSince1970.rounded())])
        text.add(
            "servertrust_last_round_duration_seconds", "gauge", "How long the last round took.",
            [([], ProgressText.seconds(state.duration))])
    }

    private static func addFleet(_ tally: ScanTally, _ text: inout PrometheusText) {
        let asked = [("plist", tally.plist), ("pins", tally.pins)].filter { $0.1 != ScanTally.VerdictCounts() }
        let questions = [("ats", tally.ats), ("fcp", tally.fcp), ("trust", tally.trust)] + asked
        text.add(
            "servertrust_hosts", "gauge", "Hosts of the last round by question and answer.",
            questions.flatMap { question, answers in
                [("passed", answers.passed), ("failed", answers.failed), ("unknown", answers.unknown)]
                    .map { ([("question", question), ("outcome", $0)], Double($1)) }
            })
        let date = tally.appleData.flatMap { try? Date($0, strategy: .iso8601) }
        text.add(
            "servertrust_apple_data_timestamp_seconds", "gauge",
            "The date of the release of Apple's roots.",
            date.map { [([], $0.timeIntervalSince1970.rounded())] } ?? [])
        text.add(
            "servertrust_unusable_lines", "gauge", "Lines of the list that name no host.",
            [([], Double(tally.unusable))])
        text.add(
            "servertrust_fault_hosts", "gauge", "Hosts of the last round by what speaks against them.",
            tally.commonest(50).map { ([("code", $0.code)], Double($0.hosts)) })
    }
}

extension PrometheusText {
    /// Adds the metrics of hosts.
    ///
    /// - Parameters:
    ///   - hosts: The hosts.
    ///   - labels: The labels that tell a host from the others.
    mutating func addHosts(_ hosts: [MetricsBoard.Host], labels: (MetricsBoard.Host) -> [(String, String)]) {
        self.add(
            "servertrust_host_pass", "gauge", "1 where the answer is yes, 0 where it is no, NaN where it is not known.",
            hosts.flatMap { host in
                [
                    ("ats", host.outcome.ats), ("fcp", host.outcome.fcp), ("trust", host.outcome.trust),
                    ("plist", host.outcome.plist), ("pins", host.outcome.pins),
                ]
                .compactMap { question, outcome in
                    outcome.map { (labels(host) + [("question", question)], Self.value($0)) }
                }
            })
        self.addCertificates(hosts, labels: labels)
        self.add(
            "servertrust_host_post_quantum", "gauge", "1 if the server agrees on keys with ML-KEM, 0 if it does not.",
            hosts.compactMap { host in host.postQuantum.map { (labels(host), $0 ? 1 : 0) } })
        self.add(
            "servertrust_host_duration_seconds", "gauge", "How long asking the host took.",
            hosts.map { (labels($0), Double($0.milliseconds) / 1_000) })
    }

    private mutating func addCertificates(
        _ hosts: [MetricsBoard.Host], labels: (MetricsBoard.Host) -> [(String, String)]
    ) {
        let all = hosts.flatMap { host in
            host.certificates.map { certificate in
                (labels(host) + (certificate.address.map { [("address", $0)] } ?? []), certificate)
            }
        }
        self.add(
            "servertrust_certificate_not_before_timestamp_seconds", "gauge", "When the server's certificate begins.",
            all.compactMap { labels, certificate in certificate.notBefore.map { (labels, $0.timeIntervalSince1970) } })
        self.add(
            "servertrust_certificate_not_after_timestamp_seconds", "gauge", "When the server's certificate ends.",
            all.compactMap { labels, certificate in certificate.notAfter.map { (labels, $0.timeIntervalSince1970) } })
        self.add(
            "servertrust_certificate_lifetime_seconds", "gauge", "How long the server's certificate is valid in all.",
            all.compactMap { labels, certificate in
                guard let start = certificate.notBefore, let end = certificate.notAfter else { return nil }
                return (labels, end.timeIntervalSince(start))
            })
        self.add(
            "servertrust_certificate_expiry_level", "gauge",
            "0 while no warning is due, 1 for a warning, 2 if it is critical, 3 if the certificate has expired.",
            all.map { labels, certificate in (labels, Double(certificate.level?.rank ?? 0)) })
    }

    private static func value(_ outcome: String) -> Double {
        switch outcome {
        case "passed": 1
        case "failed": 0
        default: .nan
        }
    }
}

extension MetricsBoard.Host {
    /// The labels that identify the host. An empty label equals a missing one, so that an empty server name is written as `(none)`.
    fileprivate var labels: [(String, String)] {
        var labels = [("host", self.host), ("port", "\(self.port)")]
        if let connectTo { labels.append(("connect_to", connectTo)) }
        if let sni { labels.append(("sni", sni.isEmpty ? "(none)" : sni)) }
        if let startTLS { labels.append(("starttls", startTLS)) }
        return labels
    }
}
