//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import ArgumentParser
import ServerTrust

/// `servertrust conformance`: path validation as a filter, for test suites.
struct ConformanceCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "conformance",
        abstract: "Answer path-validation test cases: one JSON request per line in, one JSON answer per line out.",
        discussion: """
            Speaks version 1 of the line protocol for path-validation suites such as x509-limbo and NIST PKITS. Each \
            request has "v": 1, an "id" that is echoed, and an "op": "validate" judges a leaf with intermediates and \
            roots, "parse" tells whether bytes are a certificate, "ats" what an NSAppTransportSecurity \
            dictionary asks of a connection, "ats-pins" how many of its pins apply. Every line has an answer, with \
            "id": null where none can be read. Answers keep the order of the requests and are flushed one by one. Ends \
            at the end of its input.
            """
    )

    func run() throws {
        let responder = ConformanceResponder(publicSuffixes: PublicSuffixFile.system())
        try responder.answerLines(from: Console.read, to: Console.write)
    }
}
