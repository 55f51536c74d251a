//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

package import ServerDiagnosis
import ServerReports
import ServerTrust
import SystemPackage
import TLSProbe
import TLSWire

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
package import Foundation
#endif

/// The work for each host: it probes the server, evaluates its chains, and creates the result.
package struct ScanWork: Sendable {
    private let diagnoser: ServerDiagnoser
    private let pins: PinQuestion?

    var publicTrust: PublicTrustBasis? { self.diagnoser.trust.publicTrust }

    /// Creates the work of a diagnoser.
    ///
    /// - Parameters:
    ///   - diagnoser: The diagnoser that probes and evaluates hosts.
    ///   - pins: The evaluation of pins, or `nil` to evaluate none.
    package init(_ diagnoser: ServerDiagnoser, pins: PinQuestion? = nil) {
        self.diagnoser = diagnoser
        self.pins = pins
    }

    /// Returns the result of an entry, or `nil` if the task was canceled before the result was complete.
    ///
    /// - Throws: ``StarvedProbe`` if no descriptor was left for a probe.
    func result(for entry: ScanEntry) async throws(StarvedProbe) -> ScanResult? {
        switch entry.target {
        case .failure(let error): ScanResult(record: ScanRecord(entry, error), input: entry.input)
        case .success(let target): try await self.result(for: entry, target)
        }
    }

    private func result(for entry: ScanEntry, _ target: ScanTarget) async throws(StarvedProbe) -> ScanResult? {
        let change = { (configuration: inout Prober.Configuration) in
            configuration.serverName = target.serverName ?? configuration.serverName
            configuration.startTLS = target.startTLS ?? configuration.startTLS
        }
        let addresses = await self.diagnoser.facts(aboutAddressesOf: target.endpoint, configured: change)
        let failures = addresses.answers.compactMap(\.facts.failure)
        guard !Task.isCancelled || failures.isEmpty else { return nil }
        // The task was not canceled, so that a missing descriptor ended the probe.
        if failures.contains(.cancelled) { throw StarvedProbe() }
        do {
            let server = try await self.diagnoser.judge(
                addresses: addresses, of: target.endpoint, url: entry.text, configured: change)
            var record = ScanRecord(entry, target, server: server)
            if let pins {
                for facts in addresses.reached { try await record.ask(pins, about: facts, of: target.endpoint) }
            }
            return ScanResult(
                record: record, facts: JSONServerFacts(server.facts), input: entry.input)
        } catch is CancellationError {
            return nil
        } catch {
            let failure = ScanEntryError(code: .notJudged, message: DisplayText.text("\(error)"))
            return ScanResult(record: ScanRecord(entry, failure), input: entry.input)
        }
    }
}

/// An error for a probe that had no descriptor. It says nothing about the host, which is not finished.
struct StarvedProbe: Error {
    let cause = SystemError.tooManyOpenFiles
}
