//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import ServerTrust

/// A code of the verification of certificates in OpenSSL and BoringSSL (x509_vfy.h), with the rule of this package that says
/// the same.
struct VerificationCode: Sendable {
    private let number: Int
    /// The name of the constant without `X509_V_ERR_`.
    private let name: String
    private let text: String
    private let rule: String

    private init(_ number: Int, _ name: String, _ text: String, rule: String) {
        (self.number, self.name, self.text, self.rule) = (number, name, text, rule)
    }

    var explained: ExplainedCode {
        let rule = TrustRule.rule(self.rule)
        var code = ExplainedCode(
            kind: .openSSL, id: "X509_V_ERR_\(self.name)", number: self.number, title: self.text,
            sentence: rule?.requirement ?? "",
            remedies: rule?.remedies.map { remedy in
                (rule.map { $0.remedies.count > 1 } == true ? remedy.circumstance.title : nil, remedy.advice)
            } ?? [])
        code.section = rule.map { ($0.section, $0.link) }
        code.apple = rule.map { ["\($0.check.osStatus.name) (\($0.check.osStatus.rawValue))"] } ?? []
        code.related = [self.rule]
        return code
    }

    /// The numbers that both libraries share, and those from 66 on, which OpenSSL alone has.
    static let all: [VerificationCode] = [
        VerificationCode(2, "UNABLE_TO_GET_ISSUER_CERT", "unable to get issuer certificate", rule: "unknown-issuer"),
        VerificationCode(3, "UNABLE_TO_GET_CRL", "unable to get certificate CRL", rule: "revocation-unknown"),
        VerificationCode(
            4, "UNABLE_TO_DECRYPT_CERT_SIGNATURE", "unable to decrypt certificate's signature", rule: "bad-signature"),
        VerificationCode(7, "CERT_SIGNATURE_FAILURE", "certificate signature failure", rule: "bad-signature"),
        VerificationCode(8, "CRL_SIGNATURE_FAILURE", "CRL signature failure", rule: "revocation-unknown"),
        VerificationCode(9, "CERT_NOT_YET_VALID", "certificate is not yet valid", rule: "not-yet-valid"),
        VerificationCode(10, "CERT_HAS_EXPIRED", "certificate has expired", rule: "expired"),
        VerificationCode(11, "CRL_NOT_YET_VALID", "CRL is not yet valid", rule: "revocation-unknown"),
        VerificationCode(12, "CRL_HAS_EXPIRED", "CRL has expired", rule: "revocation-unknown"),
        VerificationCode(18, "DEPTH_ZERO_SELF_SIGNED_CERT", "self-signed certificate", rule: "untrusted-root"),
        VerificationCode(
            19, "SELF_SIGNED_CERT_IN_CHAIN", "self-signed certificate in certificate chain", rule: "untrusted-root"),
        VerificationCode(
            20, "UNABLE_TO_GET_ISSUER_CERT_LOCALLY", "unable to get local issuer certificate", rule: "unknown-issuer"),
        VerificationCode(
            21, "UNABLE_TO_VERIFY_LEAF_SIGNATURE", "unable to verify the first certificate", rule: "unknown-issuer"),
        VerificationCode(22, "CERT_CHAIN_TOO_LONG", "certificate chain too long", rule: "path-too-long"),
        VerificationCode(23, "CERT_REVOKED", "certificate revoked", rule: "revoked"),
        VerificationCode(24, "INVALID_CA", "invalid CA certificate", rule: "not-a-ca"),
        VerificationCode(25, "PATH_LENGTH_EXCEEDED", "path length constraint exceeded", rule: "path-length"),
        VerificationCode(26, "INVALID_PURPOSE", "unsuitable certificate purpose", rule: "eku"),
        VerificationCode(27, "CERT_UNTRUSTED", "certificate not trusted", rule: "untrusted-root"),
        VerificationCode(28, "CERT_REJECTED", "certificate rejected", rule: "untrusted-root"),
        VerificationCode(29, "SUBJECT_ISSUER_MISMATCH", "subject issuer mismatch", rule: "unknown-issuer"),
        VerificationCode(
            30, "AKID_SKID_MISMATCH", "authority and subject key identifier mismatch", rule: "key-identifier-mismatch"),
        VerificationCode(
            32, "KEYUSAGE_NO_CERTSIGN", "key usage does not include certificate signing", rule: "key-usage"),
        VerificationCode(
            33, "UNABLE_TO_GET_CRL_ISSUER", "unable to get CRL issuer certificate", rule: "revocation-unknown"),
        VerificationCode(
            34, "UNHANDLED_CRITICAL_EXTENSION", "unhandled critical extension", rule: "critical-extension"),
        VerificationCode(
            41, "INVALID_EXTENSION", "invalid or inconsistent certificate extension", rule: "malformed-extension"),
        VerificationCode(
            42, "INVALID_POLICY_EXTENSION", "invalid or inconsistent certificate policy extension", rule: "policy"),
        VerificationCode(43, "NO_EXPLICIT_POLICY", "no explicit policy", rule: "policy"),
        VerificationCode(47, "PERMITTED_VIOLATION", "permitted subtree violation", rule: "name-constraints"),
        VerificationCode(48, "EXCLUDED_VIOLATION", "excluded subtree violation", rule: "name-constraints"),
        VerificationCode(
            51, "UNSUPPORTED_CONSTRAINT_TYPE", "unsupported name constraint type", rule: "name-constraints"),
        VerificationCode(62, "HOSTNAME_MISMATCH", "hostname mismatch", rule: "name-mismatch"),
        VerificationCode(63, "EMAIL_MISMATCH", "email address mismatch", rule: "name-mismatch"),
        VerificationCode(64, "IP_ADDRESS_MISMATCH", "IP address mismatch", rule: "name-mismatch"),
        VerificationCode(66, "EE_KEY_TOO_SMALL", "EE certificate key too weak", rule: "key-too-small"),
        VerificationCode(67, "CA_KEY_TOO_SMALL", "CA certificate key too weak", rule: "key-too-small"),
        VerificationCode(68, "CA_MD_TOO_WEAK", "CA signature digest algorithm too weak", rule: "weak-signature"),
        VerificationCode(73, "OCSP_VERIFY_NEEDED", "OCSP verification needed", rule: "revocation-unknown"),
        VerificationCode(74, "OCSP_VERIFY_FAILED", "OCSP verification failed", rule: "revocation-unknown"),
        VerificationCode(75, "OCSP_CERT_UNKNOWN", "OCSP unknown cert", rule: "revocation-unknown"),
    ]
}
