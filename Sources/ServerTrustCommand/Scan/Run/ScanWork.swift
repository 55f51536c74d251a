//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import ServerDiagnosis
import ServerTrust
import SystemPackage
import TLSProbe
import TLSProbeNIO

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// What is done with each host: it is asked, its chains are judged, and what is known is put together.
struct ScanWork: Sendable {
    private let prober: Prober
    private let diagnoser: ServerDiagnoser

    init(_ diagnoser: ServerDiagnoser) {
        self.prober = diagnoser.prober
        self.diagnoser = diagnoser
    }

    /// What there is to say of an entry; `nil` when the task was cancelled before all of it was known.
    ///
    /// - Throws: ``StarvedProbe`` when this machine let it not be asked to the end.
    func result(for entry: ScanEntry) async throws(StarvedProbe) -> ScanResult? {
        switch entry.target {
        case .failure(let error): ScanResult(record: ScanRecord(entry, error), input: entry.input)
        case .success(let target): try await self.result(for: entry, target)
        }
    }

    private func result(for entry: ScanEntry, _ target: ScanTarget) async throws(StarvedProbe) -> ScanResult? {
        let facts = await self.prober(for: target).facts(about: target.endpoint, plan: self.diagnoser.plan)
        guard !Task.isCancelled || facts.failure == nil else { return nil }
        // Nobody has cancelled it: there was no descriptor for a connection.
        if facts.failure == .cancelled { throw StarvedProbe() }
        do {
            let server = try await self.diagnoser.judge(facts, entry.text, target.endpoint)
            return ScanResult(
                record: ScanRecord(entry, target, server), facts: JSONServerFacts(facts), input: entry.input)
        } catch is CancellationError {
            return nil
        } catch {
            let failure = ScanEntryError(code: "not-judged", message: PrintableText.text("\(error)"))
            return ScanResult(record: ScanRecord(entry, failure), input: entry.input)
        }
    }

    private func prober(for target: ScanTarget) -> Prober {
        guard target.serverName != nil || target.startTLS != nil else { return self.prober }
        return self.prober.configured { configuration in
            configuration.serverName = target.serverName ?? configuration.serverName
            configuration.startTLS = target.startTLS ?? configuration.startTLS
        }
    }
}

/// There were no descriptors left for a probe, which says nothing about the host: it is not finished.
struct StarvedProbe: Error {
    let cause = SystemError.tooManyOpenFiles
}
