//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import ArgumentParser
import FleetScan
import ServerDiagnosis
import ServerReports

extension DiagnoseCommand {
    /// Refuses options that are not valid with --watch.
    func checkWatching() throws {
        guard self.watch.interval != nil else { return }
        if self.question.file != nil || self.confirms {
            throw ValidationError(
                "--watch asks about App Transport Security, FCP and trust. Leave --plist and --confirm out")
        }
        if self.output.format != .text, self.output.format != .json {
            throw ValidationError(
                "--watch writes text, or a line of JSON for each change. Leave --format out, or say json")
        }
        if case .row = self.question.criterion {
            throw ValidationError("--watch asks no single tests. --fail-on takes ats, fcp or trust with it")
        }
        if self.givenRedirects == true {
            throw ValidationError("--watch asks for no page. Leave --redirects out")
        }
        if self.isVerbose || self.output.server != nil {
            throw ValidationError("--watch writes changes only. Leave --verbose and --server out")
        }
    }

    /// Diagnoses the servers repeatedly and reports the changes.
    func watch(every interval: Duration, _ diagnoser: ServerDiagnoser) async throws {
        let defaults = ScanTarget.Defaults(
            connectAddress: self.probe.connecting.connectAddress, serverName: self.probe.connecting.serverName,
            startTLS: self.probe.connecting.startTLS)
        let loop = ScanLoop(
            work: ScanWork(diagnoser), defaults: defaults,
            hostsAtOnce: ScanPace(plan: diagnoser.configuration.plan).hosts)
        let list = Array(self.urls.map { $0 + "\n" }.joined().utf8)
        try await Watch.start(
            self.watch, every: interval, warningBy: self.expiry.threshold, loop, self.criterionOfWatch,
            style: self.output.format == .text ? self.output.style : nil,
            isQuiet: false
        ) { () throws(FleetError) -> LineInput in
            do {
                let file = try Descriptor.temporary()
                try file.write(list)
                file.rewind()
                return try LineInput(file, closing: true)
            } catch {
                throw FleetError("there is no place for the list: \(error)")
            }
        }
    }

    private var criterionOfWatch: ScanCriterion {
        switch self.question.criterion {
        case .subject(.fcp): .fcp
        case .subject(.trust): .trust
        case .subject, .row: .ats
        }
    }
}
