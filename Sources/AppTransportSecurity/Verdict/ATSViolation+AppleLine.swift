//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import CertificatePath
import ServerTrust
import TLSWire

extension ATSViolation {
    /// Returns the line that Apple's systems log for the violation since 26.4, in the form of 27.0.
    ///
    /// It returns `nil` if no such line is known: for pins, for failed connections, and for loads without TLS.
    ///
    /// - Parameter host: The server's name.
    public func appleLine(for host: String) -> String? {
        self.loggedText.map { "Error \($0) for server: \(host)" }
    }

    /// The text in the format of the system's TLS library.
    private var loggedText: String? {
        switch self.reason {
        case .cipherSuite(let suite, .fcp21):
            "[ATS FCPv2.1 violation]: Ciphersuite(\(suite)) not offered in ATS FCP_v2.1 mode negotiated"
        case .signatureAlgorithmNotOffered(let algorithm):
            "[ATS FCPv2.1 violation]: Server certificate signed using signature algorithm \(algorithm) not advertised "
                + "in client hello"
        case .noExtendedMasterSecret:
            "[ATS FCPv2.1 violation]: TLS 1.2 negotiated without extended master secret (EMS)"
        case .untrusted: "[ATS Violation]: ATS certificate trust requirement not satisfied"
        case .keyTooSmall(let kind, let bits, let minimum) where bits < minimum:
            "[ATS violation]: \(kind == .rsa ? "RSA" : "ECDSA") key size \(bits) bits is less than minimum "
                + "\(minimum) bits"
        case .leafDigest(let digest):
            "[ATS violation]: Leaf certificate hash algorithm (\(digest.number)) is not at least SHA-256"
        case .insecureLoad, .connectionFailed, .versionTooOld, .cipherSuite, .keyTooSmall, .issuerDigest,
            .leafNotPinned, .authorityNotPinned, .unknown:
            nil
        }
    }
}

extension SignatureDigest {
    /// The number of `SecSignatureHashAlgorithm` (SecCertificatePriv.h).
    fileprivate var number: Int {
        switch self {
        case .md2: 1
        case .md4: 2
        case .md5: 3
        case .sha1: 4
        case .sha224: 5
        case .sha256: 6
        case .sha384: 7
        case .sha512: 8
        // The list has no number for such a signature.
        case .intrinsic: 0
        }
    }
}
