//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import ArgumentParser
import ServerReports
import ServerTrust

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// `servertrust show`: the contents of files.
struct ShowCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "show",
        abstract: "Show the contents of a file: certificates, revocation lists, OCSP responses, requests, profiles.",
        discussion: """
            Reads PEM and DER, PKCS#7 included, and shows subjects, dates, keys and pins. The command judges \
            nothing and fetches nothing. Private keys are named and not shown.

            EXAMPLES
              servertrust show fullchain.pem
              servertrust show request.csr ca.crl answer.ocsp
              servertrust show fullchain.pem --format json

            EXIT CODES
              0  each file was read
              2  a file, or a part of one, cannot be read
            """
    )

    @Argument(help: ArgumentHelp("The files.", valueName: "file"), completion: .file())
    var files: [String]

    @OptionGroup(title: "Output")
    var output: OutputOptions<ShowReport>

    func run() throws {
        let now = Date()
        var files: [InspectedFile] = []
        for path in self.files {
            do {
                var file = InspectedFile(path, try BoundedFile.read(path), at: now)
                file.advice = Self.advice(on: file) ?? file.advice
                files.append(file)
            } catch {
                guard self.files.count > 1 else { throw error }
                Console.complain("\(error)")
            }
        }
        let report = ShowReport(files, areAllOpened: files.count == self.files.count)
        try self.output.write(report)
        for file in files {
            guard let fault = file.fault else { continue }
            Console.complain("\(file.path): something in it cannot be read: \(fault)")
        }
        try report.verdict.finish()
    }

    /// Returns the command that can use a file, or `nil` if no other command reads it.
    private static func advice(on file: InspectedFile) -> String? {
        if let kind = file.kind.revocationKind {
            let option = GivenRevocation.option(for: kind)
            return "`servertrust evaluate --chain FILE --host NAME \(option) \(file.path)` judges a chain with it."
        }
        if file.isProfile { return "`servertrust diagnose \(file.path)` asks its servers." }
        if file.kind.isPrivateKey {
            return "For the pin of its public key, write `openssl pkey -in \(file.path) -pubout -out public.pem`, and "
                + "`servertrust show public.pem`."
        }
        return file.kind == .zip || file.kind == .propertyList ? file.kind.command(for: file.path) : nil
    }
}
