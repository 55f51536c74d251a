//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

public import ServerDiagnosisNIO
import ServerReports
import SystemPackage

/// Diagnoses the servers of a list, as many at a time as there is room for.
///
/// ```swift
/// let diagnoser = ServerDiagnoser(anchors: .store(try .system()), configuration: configuration)
/// let counts = try await FleetScanner(diagnoser).scan("hosts.txt", to: "results.ndjson")
/// print(counts.passed, counts.failed, counts.unknown)
/// ```
///
/// `docs/scan.md` describes the list and the results. The plan `ats` asks each server with the fewest connections.
public struct FleetScanner: Sendable {
    private let loop: ScanLoop

    /// A scanner.
    ///
    /// - Parameters:
    ///   - diagnoser: What asks servers and judges them; its limits hold for all of them together.
    ///   - hostsAtOnce: How many servers are asked at the same time, from 1.
    public init(_ diagnoser: ServerDiagnoser, hostsAtOnce: Int = 12) {
        self.loop = ScanLoop(
            work: ScanWork(diagnoser), defaults: ScanTarget.Defaults(), hostsAtOnce: max(1, hostsAtOnce))
    }

    /// Diagnoses each server of a list, and writes a line of JSON for each as soon as it is known.
    ///
    /// - Parameters:
    ///   - list: The file with the list: a server in each line.
    ///   - results: The file that lines are added to; it is created where it does not exist.
    /// - Returns: How many servers came out which way.
    /// - Throws: ``FleetError`` when a file cannot be read or written; `CancellationError` when the task is cancelled.
    public func scan(_ list: String, to results: String) async throws -> FleetCounts {
        let destination = ScanDestination(file: results)
        let files = ScanFiles(destination, list: list)
        let input = try Self.input(list)
        let file = SharedFile(try files.open(results, as: .output))
        let stream = try ResultStream.appending(to: file.descriptor, results)
        let session = ScanSession([NDJSONReceiver(stream: stream)]) { input.stop() }
        do {
            try await withTaskCancellationHandler {
                try await self.loop.run(input, session)
            } onCancel: {
                input.stop()
            }
        } catch let error as SystemError {
            throw FleetError("\(list): cannot be read: \(error)")
        } catch let error as StarvedProbe {
            throw FleetError("there is no room for another connection: \(error.cause)")
        }
        await session.end(isComplete: true)
        let state = await session.state
        // The file is open, and claimed, until everything is written.
        withExtendedLifetime(file) {}
        try Task.checkCancellation()
        if let failure = state.failure { throw FleetError("\(results): cannot be written: \(failure)") }
        return FleetCounts(state.tally)
    }

    private static func input(_ list: String) throws -> LineInput {
        do {
            return try LineInput(Descriptor.reading(list), closing: true)
        } catch {
            throw FleetError("\(list): cannot be read: \(error)")
        }
    }
}

/// How many servers of a scan came out which way, by App Transport Security.
public struct FleetCounts: Sendable, Hashable {
    /// The servers that apps without exceptions connect to.
    public let passed: Int
    /// The servers that they do not connect to.
    public let failed: Int
    /// The servers of which it is not known.
    public let unknown: Int
    /// The lines of the list that name no server.
    public let unusableLines: Int

    init(_ tally: ScanTally) {
        self.passed = tally.ats.passed
        self.failed = tally.ats.failed
        self.unknown = tally.ats.unknown
        self.unusableLines = tally.unusable
    }
}
