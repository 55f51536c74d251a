//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import CertificatePath
import ServerReports
import ServerTrust

/// The revocation lists and OCSP responses of named files.
struct GivenRevocation: Sendable {
    /// The policy that uses the contents of the files, but does not require any.
    private(set) var policy = RevocationPolicy.atHand
    /// The file of each list and response.
    private(set) var files: [InputFile] = []

    /// Reads the files.
    ///
    /// - Parameters:
    ///   - lists: Files with revocation lists, each in PEM or DER.
    ///   - responses: Files with one OCSP response in DER each.
    ///   - areStapled: `true` to treat the responses as stapled ones.
    /// - Throws: `FileError`, or ``GivenRevocationError`` with the file and the remedy.
    init(lists: [String], responses: [String], areStapled: Bool = false) throws {
        for path in lists {
            let start = self.policy.lists.count
            self.policy.lists += try Self.read(path, "--crl", .revocationList) {
                contents throws(RevocationFileError) in try CertificateList.lists(in: contents)
            }
            let positions = start..<self.policy.lists.count
            self.files.append(InputFile("--crl", path, kind: .revocationList, positions: positions))
        }
        var read: [OCSPResponse] = []
        for (position, path) in responses.enumerated() {
            read.append(
                try Self.read(path, "--ocsp", .ocspResponse) { contents throws(RevocationFileError) in
                    try OCSPResponse.response(in: contents)
                })
            let kind: TrustEvidence.Kind = areStapled ? .stapledResponse : .ocspResponse
            self.files.append(InputFile("--ocsp", path, kind: kind, positions: position..<position + 1))
        }
        if areStapled { self.policy.stapledResponses = read } else { self.policy.responses = read }
        self.policy.enforcesTLSFeature = areStapled
    }

    /// Reads a file. For a file of another kind the error names the option for that kind, which helps more than the parse error.
    private static func read<Value>(
        _ path: String, _ option: String, _ kind: EncodedKind, parse: ([UInt8]) throws(RevocationFileError) -> Value
    ) throws -> Value {
        let contents = try BoundedFile.read(path)
        do {
            return try parse(contents)
        } catch {
            let other = FileKind(of: contents)
            guard other.isOther(than: kind) else { throw GivenRevocationError("\(path): \(error)") }
            throw GivenRevocationError("\(path): \(Self.fault(of: other, givenTo: option, wanting: kind))")
        }
    }

    private static func fault(of kind: FileKind, givenTo option: String, wanting wanted: EncodedKind) -> String {
        let other = kind.revocationKind.map { ", which \(Self.option(for: $0)) takes" } ?? ""
        let form = wanted == .revocationList ? "revocation lists in PEM or DER" : "\(wanted.title) in DER"
        return "this is \(kind.title)\(other). \(option) takes \(form)"
    }

    /// Returns the option for a file that was given to the wrong option, or `nil` if the file is not about revocation.
    static func advice(on kind: FileKind) -> String? {
        kind.revocationKind.map { "give it with \(Self.option(for: $0))" }
    }

    static func option(for kind: EncodedKind) -> String { kind == .revocationList ? "--crl" : "--ocsp" }
}

/// The error for a named file without revocation information, with the remedy.
struct GivenRevocationError: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) { self.description = description }
}
