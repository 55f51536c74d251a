//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import ServerReports
import ServerTrust

/// Files with the chain to evaluate.
enum ChainFile {
    /// The most certificates. No server sends more, and a larger file is probably a bundle of roots.
    private static let maximumCount = 1_000

    /// Reads the certificates of several files, in order.
    ///
    /// - Parameter paths: Files with any number of certificates in PEM, or one in DER.
    /// - Returns: The certificates. The first one is the leaf.
    /// - Throws: ``CommandError`` with the file and the remedy.
    static func certificates(in paths: [String]) throws -> [Certificate] { try self.chain(in: paths).certificates }

    /// Reads the certificates of several files, in order, and records the file of each.
    ///
    /// - Parameter paths: Files with any number of certificates in PEM, or one in DER.
    /// - Throws: ``CommandError`` with the file and the remedy.
    static func chain(in paths: [String]) throws -> (certificates: [Certificate], files: [InputFile]) {
        var certificates: [Certificate] = []
        var files: [InputFile] = []
        for path in paths {
            let start = certificates.count
            let contents = try BoundedFile.read(path)
            certificates += try self.certificates(in: path, contents)
            files.append(
                InputFile(
                    "--chain", path, kind: .certificate, positions: start..<certificates.count,
                    besides: FileKind(of: contents).besideCertificates))
            guard certificates.count <= Self.maximumCount else {
                throw CommandError("\(path): more than \(Self.maximumCount) certificates. Give only those of the chain")
            }
        }
        return (certificates, files)
    }

    private static func certificates(in path: String, _ contents: [UInt8]) throws -> [Certificate] {
        do {
            return try Certificate.certificates(in: contents)
        } catch {
            throw CommandError("\(path): \(Self.explanation(of: error, path, contents))")
        }
    }

    /// Returns the explanation of an unreadable file. For another kind of file it states how to obtain a certificate, which helps
    /// more than the parse error.
    private static func explanation(of error: CertificateError, _ path: String, _ contents: [UInt8]) -> String {
        let kind = FileKind(of: contents)
        guard let advice = GivenRevocation.advice(on: kind) ?? kind.adviceForCertificate(path) else {
            return "\(error)"
        }
        return "this is \(kind.titleForCertificate). \(advice.withCapital)"
    }
}
