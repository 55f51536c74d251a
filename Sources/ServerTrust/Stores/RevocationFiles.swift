//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

public import CertificatePath

extension CertificateList {
    /// Parses every revocation list of a PEM text, or a single one in DER, whichever the bytes are.
    ///
    /// - Parameter contents: The contents of a file: PEM with any number of `BEGIN X509 CRL` blocks, or one list in DER.
    /// - Throws: ``RevocationFileError`` when there is no list, one of them cannot be read, or a line may have been meant
    ///   as part of one: no list is passed over for the way it is written.
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
    /// Parses the OCSP response a file holds.
    ///
    /// - Parameter contents: The contents of a file: one OCSPResponse in DER.
    /// - Throws: ``RevocationFileError`` when it cannot be read or says nothing.
    public static func response(in contents: [UInt8]) throws(RevocationFileError) -> OCSPResponse {
        do {
            return try OCSPResponse(der: contents)
        } catch {
            throw RevocationFileError(error.code == .unsuccessfulResponse ? .responderRefused : .malformed(error))
        }
    }
}

/// A file that should tell about revocation and does not, and what to do about it.
public struct RevocationFileError: Error, Sendable, Hashable {
    /// What is wrong.
    public enum Code: Sendable, Hashable {
        /// The DER encoding breaks a rule.
        case malformed(DERError)
        /// There is no `BEGIN X509 CRL` block.
        case noList
        /// A line of the PEM text cannot be read.
        case pem(PEMError)
        /// The responder answered with an error status.
        case responderRefused
    }

    /// What is wrong.
    public let code: Code

    init(_ code: Code) {
        self.code = code
    }
}

extension RevocationFileError: CustomStringConvertible {
    /// What is wrong and what to do, for a person.
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
