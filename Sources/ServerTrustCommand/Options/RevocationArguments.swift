//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import ArgumentParser
import ServerTrust

/// Whether revocation is checked, and with which files. Nothing is fetched.
struct RevocationArguments: ParsableArguments {
    @Option(
        name: .customLong("revocation"),
        help: ArgumentHelp(
            "Whether revoked certificates are refused: off, soft (those shown to be), hard (unless shown not to be).",
            discussion: "soft when --crl or --ocsp is given, off otherwise."
        )
    )
    var mode: RevocationMode?

    @Option(
        name: .customLong("crl"), parsing: .upToNextOption,
        help: ArgumentHelp("Files with revocation lists in PEM or DER, delta lists included.", valueName: "file")
    )
    var lists: [String] = []

    @Option(
        name: .customLong("ocsp"), parsing: .upToNextOption,
        help: ArgumentHelp("Files with OCSP responses in DER.", valueName: "file")
    )
    var responses: [String] = []

    func validate() throws {
        if self.mode == .off, !self.lists.isEmpty || !self.responses.isEmpty {
            throw ValidationError(
                "--revocation off would not look at --crl and --ocsp; leave them out, or say soft or hard")
        }
    }

    /// Reads the files.
    ///
    /// - Throws: ``CommandError`` with the file and what to do.
    func policy() throws -> RevocationPolicy {
        let isGiven = !self.lists.isEmpty || !self.responses.isEmpty
        return RevocationPolicy(
            (self.mode ?? (isGiven ? .soft : .off)).mode,
            lists: try self.lists.flatMap { path in
                try Self.read(path) { contents throws(RevocationFileError) in try CertificateList.lists(in: contents) }
            },
            responses: try self.responses.map { path in
                try Self.read(path) { contents throws(RevocationFileError) in try OCSPResponse.response(in: contents) }
            }
        )
    }

    private static func read<Value>(
        _ path: String, _ parse: ([UInt8]) throws(RevocationFileError) -> Value
    ) throws -> Value {
        let contents = try BoundedFile.read(path)
        do {
            return try parse(contents)
        } catch {
            throw CommandError("\(path): \(error)")
        }
    }
}

/// The modes by their names on the command line.
enum RevocationMode: String, CaseIterable, ExpressibleByArgument {
    case off
    case soft
    case hard

    var mode: RevocationPolicy.Mode {
        switch self {
        case .off: .off
        case .soft: .soft
        case .hard: .hard
        }
    }
}
