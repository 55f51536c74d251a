//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import ArgumentParser
import ServerReports
import ServerTrust

/// Whether revocation is checked, with which files, and whether more is fetched.
struct RevocationArguments: ParsableArguments {
    @Option(
        name: .customLong("revocation"),
        help: ArgumentHelp(
            "Whether revoked certificates are refused: off, soft (those shown to be), hard (unless shown not to be).",
            discussion: "off looks at nothing. soft when --crl, --ocsp or --fetch-revocation is given, off otherwise."
        )
    )
    var mode: RevocationMode?

    @Option(
        name: .customLong("crl"), parsing: .upToNextOption,
        help: ArgumentHelp("Files with revocation lists in PEM or DER, delta lists included.", valueName: "file"),
        completion: .file()
    )
    var lists: [String] = []

    @Option(
        name: .customLong("ocsp"), parsing: .upToNextOption,
        help: ArgumentHelp("Files with OCSP responses in DER.", valueName: "file"), completion: .file()
    )
    var responses: [String] = []

    @Flag(
        name: .customLong("must-staple"),
        help: ArgumentHelp(
            "Refuse a certificate that promises stapled OCSP responses (RFC 7633) without one that is good.",
            discussion: "What --ocsp names is then taken for what the server stapled."
        )
    )
    var mustStaple = false

    @Flag(
        name: .customLong("fetch-revocation"),
        help: ArgumentHelp(
            "Fetch OCSP responses and revocation lists where certificates say they are.",
            discussion: "Only for a path that is in order otherwise. Over plain HTTP, from public addresses only."
        )
    )
    var fetches = false

    func validate() throws {
        guard self.mode == .off else { return }
        if !self.lists.isEmpty || (!self.responses.isEmpty && !self.mustStaple) {
            throw ValidationError(
                "--revocation off would not look at --crl and --ocsp; leave them out, or say soft or hard")
        }
        if self.fetches {
            throw ValidationError(
                "--revocation off needs nothing fetched; leave --fetch-revocation out, or say soft or hard")
        }
    }

    /// Reads the files.
    ///
    /// - Returns: The policy, and which of its lists and responses are from which file.
    /// - Throws: ``CommandError`` with the file and what to do.
    func policy() throws -> (policy: RevocationPolicy, files: [GivenFile]) {
        let isGiven = !self.lists.isEmpty || !self.responses.isEmpty || self.fetches
        let responses = try self.responses.map { path in
            try Self.read(path) { contents throws(RevocationFileError) in try OCSPResponse.response(in: contents) }
        }
        var files = self.responses.enumerated().map { position, path in
            GivenFile(
                "--ocsp", path, kind: self.mustStaple ? .stapledResponse : .ocspResponse,
                positions: position..<position + 1)
        }
        var lists: [CertificateList] = []
        for path in self.lists {
            let start = lists.count
            lists += try Self.read(path) { contents throws(RevocationFileError) in
                try CertificateList.lists(in: contents)
            }
            files.append(GivenFile("--crl", path, kind: .revocationList, positions: start..<lists.count))
        }
        var policy = RevocationPolicy(
            (self.mode ?? (isGiven ? .soft : .off)).mode, lists: lists, responses: self.mustStaple ? [] : responses,
            stapledResponses: self.mustStaple ? responses : [])
        policy.enforcesTLSFeature = self.mustStaple
        return (policy, files)
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
