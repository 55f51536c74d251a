//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import ServerReports
import ServerTrust

/// Files with the chain to judge.
enum ChainFile {
    /// More certificates than any server sends; thousands of them are a bundle given by mistake.
    private static let maximumCount = 1_000

    /// Reads the certificates of several files, in order.
    ///
    /// - Parameter paths: Files with any number of certificates in PEM, or one in DER.
    /// - Returns: The certificates; the first is the leaf.
    /// - Throws: ``CommandError`` with the file and what to do.
    static func certificates(in paths: [String]) throws -> [Certificate] { try self.chain(in: paths).certificates }

    /// Reads the certificates of several files, in order, and remembers which is from which file.
    ///
    /// - Parameter paths: Files with any number of certificates in PEM, or one in DER.
    /// - Throws: ``CommandError`` with the file and what to do.
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

    /// A file of another kind is named, with the way to a certificate: what is wrong with its octets helps less.
    private static func explanation(of error: CertificateError, _ path: String, _ contents: [UInt8]) -> String {
        let kind = FileKind(of: contents)
        guard let advice = GivenRevocation.advice(on: kind) ?? kind.adviceForCertificate(path) else {
            return "\(error)"
        }
        return "this is \(kind.titleForCertificate): \(advice) (\(error))"
    }
}
