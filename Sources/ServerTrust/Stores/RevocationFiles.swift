//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

public import CertificatePath

extension CertificateList {
    /// Parses every revocation list of a PEM text, or a single list in DER.
    ///
    /// - Parameter contents: The contents of a file: PEM with any number of `BEGIN X509 CRL` blocks, or one list in DER.
    /// - Throws: ``RevocationFileError`` if there is no list, if one of them cannot be read, or if a line may have been meant as
    ///   part of one. No list is skipped because of its spelling.
    public static func lists(in contents: [UInt8]) throws(RevocationFileError) -> [CertificateList] {
        guard PEMReader.looksLikePEM(contents) else { return [try Self.list(contents)] }
        var reader = PEMReader(contents, content: .revocationList)
        var lists: [CertificateList] = []
        while let der = try Self.nextBlock(&reader) { lists.append(try Self.list(der)) }
        guard !lists.isEmpty else { throw RevocationFileError(.noList) }
        return lists
    }

    private static func nextBlock(_ reader: inout PEMReader) throws(RevocationFileError) -> [UInt8]? {
        do {
            return try reader.nextBlock()
        } catch {
            throw RevocationFileError(.pem(error))
        }
    }

    private static func list(_ der: [UInt8]) throws(RevocationFileError) -> CertificateList {
        do {
            return try CertificateList(der: der)
        } catch {
            throw RevocationFileError(.malformed(error))
        }
    }
}

extension OCSPResponse {
    /// Parses the OCSP response in a file.
    ///
    /// - Parameter contents: The contents of a file: one OCSPResponse in DER.
    /// - Throws: ``RevocationFileError`` if the response cannot be read or is an error of the responder.
    public static func response(in contents: [UInt8]) throws(RevocationFileError) -> OCSPResponse {
        do {
            return try OCSPResponse(der: contents)
        } catch {
            throw RevocationFileError(error.code == .unsuccessfulResponse ? .responderRefused : .malformed(error))
        }
    }
}

/// An error for a file without a readable revocation list or OCSP response.
///
/// The description says how to solve the problem.
public struct RevocationFileError: Error, Sendable, Hashable {
    /// The kinds of errors.
    public enum Code: Sendable, Hashable {
        /// The DER encoding breaks a rule.
        case malformed(DERError)
        /// The file has no `BEGIN X509 CRL` block.
        case noList
        /// A line of the PEM text cannot be read.
        case pem(PEMError)
        /// The responder answered with an error status.
        case responderRefused
    }

    /// The kind of error.
    public let code: Code

    init(_ code: Code) {
        self.code = code
    }
}

extension RevocationFileError: CustomStringConvertible {
    /// The error and its remedy, in a sentence.
    public var description: String {
        switch self.code {
        case .malformed(let error) where error.code == .empty:
            "there is no data: give a revocation list or an OCSP response"
        case .malformed(let error): "not a revocation list or OCSP response (\(error)): fetch it again"
        case .noList: "no revocation list in it: expected a `-----BEGIN X509 CRL-----` block or DER bytes"
        case .pem(let error): "\(error)"
        case .responderRefused: "the OCSP responder did not answer the question: ask it again"
        }
    }
}
