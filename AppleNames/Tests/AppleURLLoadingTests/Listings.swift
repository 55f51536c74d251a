//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import AFNetworkingNames
import AppleURLLoading

// What articles about overriding trust show, in Swift and in this package's own words, by Apple's names alone.

// MARK: Overriding TLS Chain Validation Correctly

/// Listing 1: another anchor besides those of the system.
func addAnchor(_ certificate: SecCertificate, to trust: SecTrust) -> Bool {
    SecTrustSetAnchorCertificates(trust, [certificate] as CFArray) == errSecSuccess
        && SecTrustSetAnchorCertificatesOnly(trust, false) == errSecSuccess
}

/// Listing 2: another name than the one that was connected to.
func changeHost(of trust: SecTrust, to name: String) -> SecTrust? {
    let certificates = (0..<SecTrustGetCertificateCount(trust)).compactMap { SecTrustGetCertificateAtIndex(trust, $0) }
    var changed: SecTrust?
    let policies = [SecPolicyCreateSSL(true, name as CFString)] as CFArray
    guard SecTrustCreateWithCertificates(certificates as CFArray, policies, &changed) == errSecSuccess else {
        return nil
    }
    return changed
}

/// Listing 3: evaluate, and go on by the type of the result.
func isTrusted(_ trust: SecTrust) -> Bool {
    var result = SecTrustResultType.invalid
    guard SecTrustEvaluate(trust, &result) == errSecSuccess else { return false }
    switch result {
    case .proceed, .unspecified: return true
    case .recoverableTrustFailure, .fatalTrustFailure, .deny, .otherError, .invalid, .confirm: return false
    }
}

/// Listing 3, in a delegate: the certificate of the program's own authority is trusted, too.
final class OverridingDelegate: NSObject, URLSessionDelegate {
    let anchor: SecCertificate
    let name: String?

    init(anchor: SecCertificate, name: String? = nil) { (self.anchor, self.name) = (anchor, name) }

    func urlSession(
        _ session: URLSession, didReceive challenge: URLAuthenticationChallenge,
        completionHandler: @escaping @Sendable (URLSession.AuthChallengeDisposition, URLCredential?) -> Void
    ) {
        let space = challenge.protectionSpace
        guard space.authenticationMethod == NSURLAuthenticationMethodServerTrust, let trust = space.serverTrust else {
            return completionHandler(.performDefaultHandling, nil)
        }
        guard let judged = self.name.map({ changeHost(of: trust, to: $0) }) ?? trust,
            addAnchor(self.anchor, to: judged),
            isTrusted(judged)
        else { return completionHandler(.cancelAuthenticationChallenge, nil) }
        completionHandler(.useCredential, URLCredential(trust: trust))
    }
}

// MARK: Challenge handlers

/// The modern form, which judges by the error alone.
final class ModernDelegate: NSObject, URLSessionDelegate {
    func urlSession(
        _ session: URLSession, didReceive challenge: URLAuthenticationChallenge
    ) async -> (URLSession.AuthChallengeDisposition, URLCredential?) {
        guard challenge.protectionSpace.authenticationMethod == NSURLAuthenticationMethodServerTrust,
            let trust = challenge.protectionSpace.serverTrust
        else { return (.performDefaultHandling, nil) }
        var error: CFError?
        guard SecTrustEvaluateWithError(trust, &error) else { return (.cancelAuthenticationChallenge, nil) }
        return (.useCredential, URLCredential(trust: trust))
    }
}

/// A delegate of tasks, as Alamofire's is: it compares keys.
final class PinningDelegate: NSObject, URLSessionTaskDelegate {
    let keys: [SecKey]

    init(_ certificates: [SecCertificate]) { self.keys = certificates.compactMap { SecCertificateCopyKey($0) } }

    func urlSession(
        _ session: URLSession, task: URLSessionTask, didReceive challenge: URLAuthenticationChallenge,
        completionHandler: @escaping @Sendable (URLSession.AuthChallengeDisposition, URLCredential?) -> Void
    ) {
        guard let trust = challenge.protectionSpace.serverTrust else {
            return completionHandler(.performDefaultHandling, nil)
        }
        SecTrustSetPolicies(trust, SecPolicyCreateSSL(true, challenge.protectionSpace.host as CFString))
        let chain = (SecTrustCopyCertificateChain(trust) as? [SecCertificate]) ?? []
        let isPinned = chain.compactMap { SecCertificateCopyKey($0) }.contains { self.keys.contains($0) }
        guard SecTrustEvaluateWithError(trust, nil), isPinned else {
            return completionHandler(.cancelAuthenticationChallenge, nil)
        }
        completionHandler(.useCredential, URLCredential(trust: trust))
    }
}

/// A handler that does its own validation beside that of the system.
final class CustomDelegate: NSObject, URLSessionDelegate {
    func urlSession(
        _ session: URLSession, didReceive challenge: URLAuthenticationChallenge,
        completionHandler: @escaping @Sendable (URLSession.AuthChallengeDisposition, URLCredential?) -> Void
    ) {
        let isServer = challenge.protectionSpace.authenticationMethod == NSURLAuthenticationMethodServerTrust
        guard isServer, let trust = challenge.protectionSpace.serverTrust else {
            return completionHandler(.performDefaultHandling, nil)
        }
        completionHandler(self.myCustomValidation(trust) ? .performDefaultHandling : .rejectProtectionSpace, nil)
    }

    /// The organization's servers have short-lived certificates.
    private func myCustomValidation(_ trust: SecTrust) -> Bool {
        guard let leaf = (SecTrustCopyCertificateChain(trust) as? [SecCertificate])?.first,
            let start = SecCertificateCopyNotValidBeforeDate(leaf), let end = SecCertificateCopyNotValidAfterDate(leaf)
        else { return false }
        return end.timeIntervalSince(start) < 100 * 86_400
    }
}

// MARK: AFNetworking

/// A manager with a policy, in each of the three modes.
func manager(
    _ mode: AFSSLPinningMode, pins: [SecCertificate], _ configuration: URLSessionConfiguration,
    allowInvalidCertificates: Bool = false
) -> AFURLSessionManager {
    let manager = AFURLSessionManager(sessionConfiguration: configuration)
    let policy = AFSecurityPolicy(
        pinningMode: mode, withPinnedCertificates: Set(pins.map { SecCertificateCopyData($0) as Data }))
    policy.allowInvalidCertificates = allowInvalidCertificates
    manager.securityPolicy = policy
    return manager
}
