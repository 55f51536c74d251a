//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

public import Foundation
import ServerTrust

/// Makes a question of trust, with the system's anchors: those of Apple's program.
///
/// - Parameters:
///   - certificates: A certificate, or an array of them that is not empty: the server's first, the others in any order.
///   - policies: A policy or an array of them; `nil` and an empty array are `SecPolicyCreateBasicX509`.
///   - trust: Where the question goes.
/// - Returns: `errSecSuccess`, or `errSecParam` for anything else; `trust` is `nil` then.
@discardableResult
public func SecTrustCreateWithCertificates(
    _ certificates: CFTypeRef, _ policies: CFTypeRef?, _ trust: UnsafeMutablePointer<SecTrust?>
) -> OSStatus {
    trust.pointee = nil
    guard let certificates: [SecCertificate] = members(of: certificates), !certificates.isEmpty,
        let policies: [SecPolicy] = policies.map({ members(of: $0) }) ?? [SecPolicyCreateBasicX509()]
    else { return errSecParam }
    guard
        let question = try? Trust(
            certificates: certificates.map(\.certificate),
            policies: policies.isEmpty ? [.basicX509] : policies.map(\.policy))
    else { return errSecParam }
    trust.pointee = SecTrust(question)
    return errSecSuccess
}

/// One thing or an array of them; `nil` where something else is among them.
private func members<Member>(of value: CFTypeRef) -> [Member]? {
    if let member = value as? Member { return [member] }
    guard let array = value as? CFArray else { return nil }
    let members = array.compactMap { $0 as? Member }
    return members.count == array.count ? members : nil
}

/// Sets what the certificate is to be trusted for.
///
/// - Parameters:
///   - trust: The question.
///   - policies: A policy or an array of them, all of which must agree; an empty array is `SecPolicyCreateBasicX509`.
/// - Returns: `errSecSuccess`, or `errSecParam` for anything else; nothing is set then.
@discardableResult
public func SecTrustSetPolicies(_ trust: SecTrust, _ policies: CFTypeRef) -> OSStatus {
    guard let policies: [SecPolicy] = members(of: policies) else { return errSecParam }
    trust.change { $0.policies = policies.isEmpty ? [SecPolicyCreateBasicX509()] : policies }
    return errSecSuccess
}

/// Copies what the certificate is to be trusted for.
@discardableResult
public func SecTrustCopyPolicies(_ trust: SecTrust, _ policies: UnsafeMutablePointer<CFArray?>) -> OSStatus {
    policies.pointee = trust.read(\.policies)
    return errSecSuccess
}

/// Sets anchors, and trusts nothing else until `SecTrustSetAnchorCertificatesOnly(trust, false)`.
///
/// - Parameters:
///   - trust: The question.
///   - anchorCertificates: Roots, intermediates or leaves. An empty array trusts nothing, `nil` what the system trusts.
/// - Returns: `errSecSuccess`, or `errSecParam` where something is no certificate; nothing is set then.
@discardableResult
public func SecTrustSetAnchorCertificates(_ trust: SecTrust, _ anchorCertificates: CFArray?) -> OSStatus {
    let certificates: [SecCertificate]?
    if let anchorCertificates {
        guard let given: [SecCertificate] = members(of: anchorCertificates) else { return errSecParam }
        certificates = given
    } else {
        certificates = nil
    }
    trust.change { state in
        state.trustsCustomAnchorsOnly = certificates != nil
        state.customAnchors = certificates
    }
    return errSecSuccess
}

/// Sets whether the anchors that were set are the only ones.
///
/// - Parameters:
///   - trust: The question.
///   - anchorCertificatesOnly: Whether what the system trusts is not trusted. Without anchors, nothing is then.
/// - Returns: `errSecSuccess`.
@discardableResult
public func SecTrustSetAnchorCertificatesOnly(_ trust: SecTrust, _ anchorCertificatesOnly: Bool) -> OSStatus {
    trust.change { $0.trustsCustomAnchorsOnly = anchorCertificatesOnly }
    return errSecSuccess
}

/// Copies the anchors that were set; `nil` when none were.
@discardableResult
public func SecTrustCopyCustomAnchorCertificates(
    _ trust: SecTrust, _ anchors: UnsafeMutablePointer<CFArray?>
) -> OSStatus {
    anchors.pointee = trust.read(\.customAnchors)
    return errSecSuccess
}

/// Copies what the system trusts: the roots of Apple's program for TLS servers.
///
/// - Returns: `errSecSuccess`, or `errSecTrustNotAvailable` without them.
@discardableResult
public func SecTrustCopyAnchorCertificates(_ anchors: UnsafeMutablePointer<CFArray?>) -> OSStatus {
    anchors.pointee = (try? TrustStore.apple(.builtIn))?.certificates.map(SecCertificate.init)
    return anchors.pointee == nil ? errSecTrustNotAvailable : errSecSuccess
}

/// Sets the moment to judge.
@discardableResult
public func SecTrustSetVerifyDate(_ trust: SecTrust, _ verifyDate: CFDate) -> OSStatus {
    trust.change { $0.update { $0.verifyDate = verifyDate } }
    return errSecSuccess
}

/// The moment that is judged. Without one that was set, it is the moment of the first call or evaluation, and stays so.
public func SecTrustGetVerifyTime(_ trust: SecTrust) -> CFAbsoluteTime {
    trust.read { $0.verifyDate() }.timeIntervalSinceReferenceDate
}

/// Sets whether issuers and answers about revocation may be fetched.
///
/// The functions that do not wait fetch nothing, whatever is set: a thread that waited for the network here could be the one
/// that the network needs. `SecTrustEvaluateAsyncWithError` fetches with what ``SecTrust/trust`` is configured with.
@discardableResult
public func SecTrustSetNetworkFetchAllowed(_ trust: SecTrust, _ allowFetch: Bool) -> OSStatus {
    trust.change { $0.allowsNetwork = allowFetch }
    return errSecSuccess
}

/// Tells whether something may be fetched: unless it was said, not for `SecPolicyCreateBasicX509` (SecPolicy.c).
@discardableResult
public func SecTrustGetNetworkFetchAllowed(_ trust: SecTrust, _ allowFetch: UnsafeMutablePointer<Bool>) -> OSStatus {
    allowFetch.pointee = trust.read(\.mayFetch)
    return errSecSuccess
}

extension SecTrust.State {
    /// True if the network may be used.
    var mayFetch: Bool {
        if let allowsNetwork { return allowsNetwork }
        return !self.policies.contains { policy in
            policy.policy == .basicX509 || policy.policy.revocationOptions?.contains(.networkAccessDisabled) == true
        }
    }
}

/// Sets OCSP responses that the server stapled.
///
/// - Parameters:
///   - trust: The question.
///   - responseData: A response, or an array of them; `nil` takes them away. What is no response counts for nothing.
/// - Returns: `errSecSuccess`, or `errSecParam` for what is no octets; nothing is set then.
@discardableResult
public func SecTrustSetOCSPResponse(_ trust: SecTrust, _ responseData: CFTypeRef?) -> OSStatus {
    guard let octets: [Data] = responseData.map({ members(of: $0) }) ?? [] else { return errSecParam }
    let responses = octets.compactMap { try? OCSPResponse(der: Array($0)) }
    trust.change { $0.update { $0.revocation.stapledResponses = responses } }
    return errSecSuccess
}

/// Sets timestamps of certificate transparency from the handshake.
///
/// - Parameters:
///   - trust: The question.
///   - sctArray: Each a SignedCertificateTimestamp (RFC 6962 §3.2); `nil` takes them away.
/// - Returns: `errSecSuccess`, or `errSecParam` for what is no octets or too long; nothing is set then.
@discardableResult
public func SecTrustSetSignedCertificateTimestamps(_ trust: SecTrust, _ sctArray: CFArray?) -> OSStatus {
    guard let timestamps: [Data] = members(of: sctArray ?? []) else { return errSecParam }
    let lists = timestamps.compactMap(timestampList)
    guard lists.count == timestamps.count else { return errSecParam }
    trust.change { $0.update { $0.transparency?.timestampLists = lists } }
    return errSecSuccess
}

/// A SignedCertificateTimestampList of one (RFC 6962 §3.3).
private func timestampList(_ timestamp: Data) -> [UInt8]? {
    guard let count = UInt16(exactly: timestamp.count), count <= .max - 2 else { return nil }
    func octets(_ number: UInt16) -> [UInt8] { [UInt8(number >> 8), UInt8(truncatingIfNeeded: number)] }
    return octets(count + 2) + octets(count) + timestamp
}
