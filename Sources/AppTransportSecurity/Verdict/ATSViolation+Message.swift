//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import CertificatePath
public import ServerTrust
import TLSWire

extension ATSViolation {
    /// The violation in one sentence.
    public var message: String {
        guard let redirect, case let server = "\(redirect.scheme)://\(redirect.host):\(redirect.port)" else {
            return self.sentence
        }
        return "After the redirect to \(server): \(self.sentence)"
    }

    private var sentence: String {
        switch self.reason {
        case .insecureLoad: "The load is over plain HTTP."
        case .connectionFailed(let failure): failure.message
        case .versionTooOld(let version, let minimum?):
            "The server chose \(version), and at least \(minimum) is required."
        case .versionTooOld(let version, nil): "The server chose \(version), and an exception demands DTLS."
        case .cipherSuite(let suite, let group): "The server chose \(suite), which \(group.refusal(of: suite))."
        case .noExtendedMasterSecret: "TLS 1.2 was negotiated without the extended master secret."
        case .keyTooSmall(let kind, let bits, let minimum) where bits >= minimum:
            "The server's key is neither of RSA nor on a curve (\(kind.title))."
        case .keyTooSmall(let kind, let bits, let minimum):
            "The server's key is too small (\(kind.rawValue) with \(bits) bits, at least \(minimum))."
        case .leafDigest(let digest):
            "The server's certificate is signed over \(digest.rawValue), not SHA-256 or better."
        case .issuerDigest(let digest, let index):
            "Certificate \(index) of the path is signed over \(digest.rawValue), not SHA-256 or better."
        case .signatureAlgorithmNotOffered(let algorithm):
            "The server's certificate is signed with \(algorithm), which was not offered."
        case .untrusted(let failure): failure.primary.message
        case .leafNotPinned: "The server's key is not among those in \(ATSKey.pinnedLeafIdentities.rawValue)."
        case .authorityNotPinned:
            "No authority on the path has a key of those in \(ATSKey.pinnedCAIdentities.rawValue)."
        case .unknown(let fact): "\(fact.subject) is not known, so nothing speaks for the connection."
        }
    }

    /// The actions for programs. A remedy in the server's settings has none.
    public var actions: [TrustRemedy.Action] {
        switch self.reason {
        case .untrusted(let failure): failure.primary.remedy.actions
        case .leafNotPinned, .authorityNotPinned: [.updatePins]
        default: []
        }
    }

    /// The remedy in one sentence.
    public var remedy: String {
        switch self.reason {
        case .insecureLoad: "Use https, and have redirects lead to https."
        case .connectionFailed(let failure): failure.remedy
        case .versionTooOld(_, let minimum) where minimum == .tls13: "Enable TLS 1.3 at the server."
        case .versionTooOld(_, nil):
            "Write TLSv1.2 or TLSv1.3 in \(ATSKey.exceptionMinimumTLSVersion.rawValue)."
        case .noExtendedMasterSecret: "Enable TLS 1.3, or the extended master secret (RFC 7627), at the server."
        case .signatureAlgorithmNotOffered:
            "Have the certificate issued again, signed with RSA or ECDSA over SHA-256 or SHA-384."
        case .untrusted(let failure): failure.primary.remedy.advice
        case .leafNotPinned, .authorityNotPinned:
            "If the keys were changed on purpose, update the pins. If not, an attacker may intercept the connection."
        case .unknown: "Connect again, and look at what the server sends."
        case .versionTooOld, .cipherSuite, .keyTooSmall, .leafDigest, .issuerDigest:
            self.osStatus?.transportMeaning?.remedy ?? self.urlError.remedy
        }
    }
}

extension ATSCipherSuiteGroup {
    fileprivate func refusal(of suite: CipherSuite) -> String {
        if suite.keyExchange == .rsa, self != .unrestricted { return "has no forward secrecy" }
        return self == .fcp21 ? "FCP_v2.1 does not allow" : "App Transport Security does not allow"
    }
}

extension ATSViolation.Fact {
    fileprivate var subject: String {
        switch self {
        case .version: "The version of TLS"
        case .cipherSuite: "The cipher suite"
        case .extendedMasterSecret: "Whether the extended master secret is in use"
        case .trust: "What the chain is worth"
        case .redirect: "Where a redirect leads in the end"
        }
    }
}

extension ATSVerdict {
    /// The code in `NSURLErrorDomain` with which a load fails, or `nil` if it succeeds.
    public var urlError: URLErrorCode? { self.primary?.urlError }

    /// The code of the stream, `_kCFStreamErrorCodeKey`. It is `nil` if the load succeeds, or if TLS is not involved.
    public var streamError: OSStatusCode? { self.primary?.osStatus }

    /// `true` if the app may override every violation.
    public var isOverridable: Bool { !self.isAllowed && self.violations.allSatisfy(\.isOverridable) }
}

extension ATSVerdict: CustomStringConvertible {
    /// The word "allowed", or the first violation with its remedy and Apple's codes.
    public var description: String {
        guard let primary else { return "allowed" }
        let stream = primary.osStatus.map { ", \($0.name) (\($0.rawValue))" } ?? ""
        return "\(primary.message) \(primary.remedy) [\(primary.code), \(primary.urlError.name) "
            + "(\(primary.urlError.rawValue))\(stream)]"
    }
}
