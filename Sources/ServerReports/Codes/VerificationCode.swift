//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import ServerTrust

/// A verification code of OpenSSL and BoringSSL (x509_vfy.h) with the equivalent rule of this package.
struct VerificationCode: Sendable {
    private let number: Int
    /// The name of the constant without `X509_V_ERR_`.
    private let name: String
    private let title: String
    private let rule: String

    private init(_ number: Int, _ name: String, title: String, rule: String) {
        self.number = number
        self.name = name
        self.title = title
        self.rule = rule
    }

    var explained: ExplainedCode {
        let rule = TrustRule.rule(self.rule)
        var code = ExplainedCode(
            kind: .openSSL, id: "X509_V_ERR_\(self.name)", number: self.number, title: self.title,
            sentence: rule?.requirement ?? "",
            remedies: rule.map { .init(of: $0) } ?? [])
        code.section = rule.map { ($0.section, $0.link) }
        code.apple = rule.map { ["\($0.check.osStatus.name) (\($0.check.osStatus.rawValue))"] } ?? []
        code.related = [self.rule]
        return code
    }

    /// The codes. Both libraries share the numbers up to 65. From 66 on they exist in OpenSSL only.
    static let all: [VerificationCode] = [
        VerificationCode(
            2, "UNABLE_TO_GET_ISSUER_CERT", title: "unable to get issuer certificate", rule: "unknown-issuer"),
        VerificationCode(3, "UNABLE_TO_GET_CRL", title: "unable to get certificate CRL", rule: "revocation-unknown"),
        VerificationCode(
            4, "UNABLE_TO_DECRYPT_CERT_SIGNATURE", title: "unable to decrypt certificate's signature",
            rule: "bad-signature"),
        VerificationCode(7, "CERT_SIGNATURE_FAILURE", title: "certificate signature failure", rule: "bad-signature"),
        VerificationCode(8, "CRL_SIGNATURE_FAILURE", title: "CRL signature failure", rule: "revocation-unknown"),
        VerificationCode(9, "CERT_NOT_YET_VALID", title: "certificate is not yet valid", rule: "not-yet-valid"),
        VerificationCode(10, "CERT_HAS_EXPIRED", title: "certificate has expired", rule: "expired"),
        VerificationCode(11, "CRL_NOT_YET_VALID", title: "CRL is not yet valid", rule: "revocation-unknown"),
        VerificationCode(12, "CRL_HAS_EXPIRED", title: "CRL has expired", rule: "revocation-unknown"),
        VerificationCode(18, "DEPTH_ZERO_SELF_SIGNED_CERT", title: "self-signed certificate", rule: "untrusted-root"),
        VerificationCode(
            19, "SELF_SIGNED_CERT_IN_CHAIN", title: "self-signed certificate in certificate chain",
            rule: "untrusted-root"),
        VerificationCode(
            20, "UNABLE_TO_GET_ISSUER_CERT_LOCALLY", title: "unable to get local issuer certificate",
            rule: "unknown-issuer"),
        VerificationCode(
            21, "UNABLE_TO_VERIFY_LEAF_SIGNATURE", title: "unable to verify the first certificate",
            rule: "unknown-issuer"),
        VerificationCode(22, "CERT_CHAIN_TOO_LONG", title: "certificate chain too long", rule: "path-too-long"),
        VerificationCode(23, "CERT_REVOKED", title: "certificate revoked", rule: "revoked"),
        VerificationCode(24, "INVALID_CA", title: "invalid CA certificate", rule: "not-a-ca"),
        VerificationCode(25, "PATH_LENGTH_EXCEEDED", title: "path length constraint exceeded", rule: "path-length"),
        VerificationCode(26, "INVALID_PURPOSE", title: "unsuitable certificate purpose", rule: "eku"),
        VerificationCode(27, "CERT_UNTRUSTED", title: "certificate not trusted", rule: "untrusted-root"),
        VerificationCode(28, "CERT_REJECTED", title: "certificate rejected", rule: "untrusted-root"),
        VerificationCode(29, "SUBJECT_ISSUER_MISMATCH", title: "subject issuer mismatch", rule: "unknown-issuer"),
        VerificationCode(
            30, "AKID_SKID_MISMATCH", title: "authority and subject key identifier mismatch",
            rule: "key-identifier-mismatch"),
        VerificationCode(
            32, "KEYUSAGE_NO_CERTSIGN", title: "key usage does not include certificate signing", rule: "key-usage"),
        VerificationCode(
            33, "UNABLE_TO_GET_CRL_ISSUER", title: "unable to get CRL issuer certificate", rule: "revocation-unknown"),
        VerificationCode(
            34, "UNHANDLED_CRITICAL_EXTENSION", title: "unhandled critical extension", rule: "critical-extension"),
        VerificationCode(
            41, "INVALID_EXTENSION", title: "invalid or inconsistent certificate extension", rule: "malformed-extension"
        ),
        VerificationCode(
            42, "INVALID_POLICY_EXTENSION", title: "invalid or inconsistent certificate policy extension",
            rule: "policy"),
        VerificationCode(43, "NO_EXPLICIT_POLICY", title: "no explicit policy", rule: "policy"),
        VerificationCode(47, "PERMITTED_VIOLATION", title: "permitted subtree violation", rule: "name-constraints"),
        VerificationCode(48, "EXCLUDED_VIOLATION", title: "excluded subtree violation", rule: "name-constraints"),
        VerificationCode(
            51, "UNSUPPORTED_CONSTRAINT_TYPE", title: "unsupported name constraint type", rule: "name-constraints"),
        VerificationCode(62, "HOSTNAME_MISMATCH", title: "hostname mismatch", rule: "name-mismatch"),
        VerificationCode(63, "EMAIL_MISMATCH", title: "email address mismatch", rule: "name-mismatch"),
        VerificationCode(64, "IP_ADDRESS_MISMATCH", title: "IP address mismatch", rule: "name-mismatch"),
        VerificationCode(66, "EE_KEY_TOO_SMALL", title: "EE certificate key too weak", rule: "key-too-small"),
        VerificationCode(67, "CA_KEY_TOO_SMALL", title: "CA certificate key too weak", rule: "key-too-small"),
        VerificationCode(68, "CA_MD_TOO_WEAK", title: "CA signature digest algorithm too weak", rule: "weak-signature"),
        VerificationCode(73, "OCSP_VERIFY_NEEDED", title: "OCSP verification needed", rule: "revocation-unknown"),
        VerificationCode(74, "OCSP_VERIFY_FAILED", title: "OCSP verification failed", rule: "revocation-unknown"),
        VerificationCode(75, "OCSP_CERT_UNKNOWN", title: "OCSP unknown cert", rule: "revocation-unknown"),
    ]
}
