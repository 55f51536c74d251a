//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import ArgumentParser
import FleetScan
import ServerReports
import ServerTrust

extension Watch {
    /// Starts a watch with the given options, and serves metrics if they are requested.
    static func start(
        _ options: WatchOptions, every interval: Duration, warningBy threshold: ExpiryThreshold, _ loop: ScanLoop,
        _ criterion: ScanCriterion,
        style: TextStyle?,
        isQuiet: Bool, _ list: () throws(FleetError) -> LineInput
    ) async throws {
        let signals = InterruptSignals()
        let progress = ScanProgress(isShown: !isQuiet, complain: Console.complain)
        let writer = ChangeWriter(
            ResultStream(progress: progress), style, criterion: criterion)
        let metrics = options.metricsPort.map { _ in
            MetricsBoard(interval: interval, publicTrust: loop.publicTrust)
        }
        let memory =
            try options.stateFile.map { try WarningMemory(file: $0, threshold: threshold, complain: Console.complain) }
            ?? WarningMemory()
        let server = try await metrics.map { board in
            try await MetricsServer.start(
                board, host: options.metricsHost ?? "127.0.0.1", port: options.metricsPort ?? 0,
                probes: ProbeEndpoint(loop, board, allowing: options.allowedTargets))
        }
        if let server, !isQuiet { Console.complain("metrics are served at \(server.url)") }
        let watch = Watch(
            loop: loop, interval: interval, criterion: criterion, signals: signals, progress: progress, writer: writer,
            warner: ExpiryWarner(writer, memory), metrics: metrics, isQuiet: isQuiet,
            complain: Console.complain)
        do {
            try await watch.run(list)
        } catch let end as WatchEnd {
            switch end {
            case .interrupted(let code): throw ExitCode(code)
            case .unwritable: throw ExitCode(ReportVerdict.notEvaluated.rawValue)
            }
        }
    }
}

extension Optional where Wrapped: Sendable {
    /// Applies an asynchronous transform, like `map`.
    fileprivate func map<Value>(_ transform: (Wrapped) async throws -> Value) async rethrows -> Value? {
        guard let self else { return nil }
        return try await transform(self)
    }
}
