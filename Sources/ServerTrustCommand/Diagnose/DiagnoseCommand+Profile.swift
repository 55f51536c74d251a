//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import ArgumentParser
public import ServerDiagnosis
import ServerReports

extension DiagnoseCommand {
    /// Returns `true` if the argument is a profile instead of servers.
    ///
    /// - Throws: An error for options that are not valid with a profile, or not valid with servers.
    func asksAboutProfile() throws -> Bool {
        guard let file = self.urls.first(where: ProfileFile.isNamed) else {
            guard self.installation == nil else {
                throw ValidationError("--installed-by is about a configuration profile. Name one, or leave it out")
            }
            return false
        }
        guard self.urls.count == 1 else {
            throw ValidationError("a profile is diagnosed by itself. Name \(file) alone")
        }
        guard self.watch.interval == nil, !self.confirms, self.question.file == nil else {
            throw ValidationError("--watch, --confirm and --plist are about servers. Leave them out for a profile")
        }
        return true
    }

    func diagnose(_ file: ProfileFile) async throws {
        let settings = try self.trust.settings()
        let diagnoser = ProfileDiagnoser(
            file.profile, try self.diagnoser(settings), installedBy: self.installation,
            connectAddress: self.probe.connecting.connectAddress)
        var report = ProfileReport(file.path, try await diagnoser.diagnose())
        report.products = self.output.server?.products
        try Console.write(try report.text(as: self.output.format, style: self.output.style))
        try report.verdict.finish()
    }
}

extension ProfileDiagnoser.Installation: ExpressibleByArgument {}
