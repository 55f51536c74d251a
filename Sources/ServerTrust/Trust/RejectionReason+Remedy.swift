//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import CertificatePath

extension RejectionReason {
    /// What would put it right, in one sentence.
    var remedy: String {
        switch self {
        case .expired: "Renew it; if the clock of this machine is wrong, set it."
        case .notYetValid: "Check the clock of this machine; if it is right, wait or have the certificate issued again."
        case .untrustedRoot:
            "If you know whose root it is, trust it explicitly; else get a certificate from a public authority."
        case .unknownIssuer:
            "If the issuer is an intermediate, have the server send it; if it is a root of your own, trust it explicitly."
        case .badSignature:
            "Someone changed the certificate or sent the wrong issuer: install leaf and intermediates again."
        case .signatureAlgorithmMismatch: "Have the certificate issued again; it was altered or is broken."
        case .unsupportedSignatureAlgorithm: "Have it issued again, signed with RSA or ECDSA over SHA-256 or better."
        case .unsupportedIssuerKey: "Use an issuer with an RSA key from 1,024 bits or a key on P-256, P-384 or P-521."
        case .weakKey, .keyTooSmallForServer:
            "Make a new key, RSA of 2,048 bits or P-256 at least, and have it certified."
        case .brokenDigest, .weakDigest: "Have the certificate issued again, signed over SHA-256 or better."
        case .nameMismatch(_, let presented, _):
            presented.addressIsWrittenAsDNSName
                ? "Put the address into the subject alternative name as an IP address, not as a DNS name."
                : "Connect under a name the certificate has, or have this one added to its subject alternative name."
        case .extendedKeyUsage: "Use a certificate issued for this purpose."
        case .serverAuthenticationMissing: "Have it issued with the extended key usage serverAuth (1.3.6.1.5.5.7.3.1)."
        case .keyUsage(let missing):
            missing.contains(.keyCertSign)
                ? "Have the issuer's certificate issued again with keyCertSign."
                : "Have it issued with these key usages."
        case .basicConstraintsMissing, .notCertificateAuthority:
            "Have the leaf issued by a certificate authority (version 3, basic constraints with cA)."
        case .oldVersionIssuer:
            "Have the issuer's certificate issued again in version 3 with basic constraints. Apple's systems accept a version 1 issuer below a version 1 root; --dangerously-accept-version-1-issuers does so too."
        case .pathLengthExceeded: "Use an intermediate that may issue this far down, or fewer intermediates."
        case .tooManyIntermediates: "Raise the limit, or use a path with fewer intermediates."
        case .pathTooLong: "Send fewer intermediates, or trust one of the upper ones as an anchor."
        case .unknownCriticalExtension: "Have it issued without the extension, or with the extension not critical."
        case .malformedExtension, .duplicateExtension, .malformedName:
            "Have the certificate issued again by a correct issuer."
        case .nameConstraints: "Use a name the issuer may vouch for, or an issuer that may vouch for this one."
        case .certificatePolicies: "Use certificates that share a policy, or do not require one."
        case .keyIdentifierMismatch: "Send the issuer whose key identifier the certificate names."
        case .emptySubject: "Have it issued with a subject, or with a critical subject alternative name."
        case .lifetimeTooLong(_, let limit):
            "Have it issued for at most \(Self.days(limit.maximumSeconds)) days (\(limit.source)); other systems may accept it, Apple's do not."
        case .certificateRule:
            "Have it issued again by an authority that keeps \(self.rules.map(\.section).joined(separator: ", "))."
        case .leafKeyNotPinned, .authorityKeyNotPinned, .pathNotPinned, .anchorNotPinned:
            "If the server's key was changed on purpose, update the pins; if not, someone may be in between."
        case .revoked: "Do not use it any more; have a new certificate issued for a new key."
        case .revocationStatusUnknown:
            "Supply or fetch a current revocation list or OCSP response, or do not require one."
        case .stapledResponseMissing:
            "Turn OCSP stapling on in the server and see that it reaches its authority's responder; or have the certificate issued without must-staple."
        case .tlsFeatureMissing: "Have it issued again with the TLS feature extension of its issuer (RFC 7633)."
        case .transparencyMissing(let shortfall): Self.remedy(for: shortfall)
        case .budgetExceeded: "Send only the certificates of the path; such sets are made to keep validators busy."
        }
    }

    private static func remedy(for shortfall: TransparencyShortfall) -> String {
        let clients = shortfall.rules == .apple ? "Apple's systems" : "Chrome"
        let reissue =
            "Have the certificate issued by an authority that submits to logs which \(clients) know\(shortfall.rules == .apple ? "" : "s") and puts the timestamps in."
        guard shortfall.unknownLogs > 0 else { return reissue }
        let data = shortfall.rules == .apple ? "Newer data of Apple's" : "A newer list of logs"
        return reissue + " \(data) may know the logs that are unknown here."
    }
}
