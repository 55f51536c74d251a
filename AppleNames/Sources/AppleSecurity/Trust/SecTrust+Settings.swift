//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

public import Foundation
import ServerTrust

/// Creates a trust object with the system's anchors, which are the roots of Apple's program.
///
/// - Parameters:
///   - certificates: A certificate, or a non-empty array of certificates with the leaf first and the others in any order.
///   - policies: A policy or an array of policies. `nil` and an empty array mean `SecPolicyCreateBasicX509`.
///   - trust: Receives the trust object, or `nil` after an error.
/// - Returns: `errSecSuccess`, or `errSecParam` for values of another type.
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

/// Returns the members of an array, or a single value, or `nil` if a member has another type.
private func members<Member>(of value: CFTypeRef) -> [Member]? {
    if let member = value as? Member { return [member] }
    guard let array = value as? CFArray else { return nil }
    let members = array.compactMap { $0 as? Member }
    return members.count == array.count ? members : nil
}

/// Sets the policies.
///
/// - Parameters:
///   - trust: The trust object.
///   - policies: A policy or an array of policies, all of which must be met. An empty array means `SecPolicyCreateBasicX509`.
/// - Returns: `errSecSuccess`, or `errSecParam` for values of another type. Nothing is then changed.
@discardableResult
public func SecTrustSetPolicies(_ trust: SecTrust, _ policies: CFTypeRef) -> OSStatus {
    guard let policies: [SecPolicy] = members(of: policies) else { return errSecParam }
    trust.change { $0.policies = policies.isEmpty ? [SecPolicyCreateBasicX509()] : policies }
    return errSecSuccess
}

/// Copies the policies.
@discardableResult
public func SecTrustCopyPolicies(_ trust: SecTrust, _ policies: UnsafeMutablePointer<CFArray?>) -> OSStatus {
    policies.pointee = trust.read(\.policies)
    return errSecSuccess
}

/// Sets the anchors. They are the only ones until `SecTrustSetAnchorCertificatesOnly(trust, false)`.
///
/// - Parameters:
///   - trust: The trust object.
///   - anchorCertificates: Roots, intermediates or leaves. With an empty array nothing is trusted. `nil` restores the system's
///     anchors.
/// - Returns: `errSecSuccess`, or `errSecParam` if a member is not a certificate. Nothing is then changed.
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

/// Sets the trust in the system's anchors.
///
/// - Parameters:
///   - trust: The trust object.
///   - anchorCertificatesOnly: `true` to exclude the system's anchors. If no anchors were set, nothing is then trusted.
/// - Returns: `errSecSuccess`.
@discardableResult
public func SecTrustSetAnchorCertificatesOnly(_ trust: SecTrust, _ anchorCertificatesOnly: Bool) -> OSStatus {
    trust.change { $0.trustsCustomAnchorsOnly = anchorCertificatesOnly }
    return errSecSuccess
}

/// Copies the anchors that were set, or `nil` if none were set.
@discardableResult
public func SecTrustCopyCustomAnchorCertificates(
    _ trust: SecTrust, _ anchors: UnsafeMutablePointer<CFArray?>
) -> OSStatus {
    anchors.pointee = trust.read(\.customAnchors)
    return errSecSuccess
}

/// Copies the system's anchors, which are the roots of Apple's program for TLS servers.
///
/// - Returns: `errSecSuccess`, or `errSecTrustNotAvailable` if the roots are not available.
@discardableResult
public func SecTrustCopyAnchorCertificates(_ anchors: UnsafeMutablePointer<CFArray?>) -> OSStatus {
    anchors.pointee = (try? TrustStore.apple(.builtIn))?.certificates.map(SecCertificate.init)
    return anchors.pointee == nil ? errSecTrustNotAvailable : errSecSuccess
}

/// Sets the date of the evaluation.
@discardableResult
public func SecTrustSetVerifyDate(_ trust: SecTrust, _ verifyDate: CFDate) -> OSStatus {
    trust.change { $0.update { $0.verifyDate = verifyDate } }
    return errSecSuccess
}

/// Returns the date of the evaluation. If none was set, it is the date of the first call or evaluation, and does not change
/// afterwards.
public func SecTrustGetVerifyTime(_ trust: SecTrust) -> CFAbsoluteTime {
    trust.read { $0.verifyDate() }.timeIntervalSinceReferenceDate
}

/// Sets the permission to fetch issuers and revocation information.
///
/// The synchronous functions never fetch: they could block the thread that the network needs. `SecTrustEvaluateAsyncWithError`
/// fetches with the configuration of ``SecTrust/trust``.
@discardableResult
public func SecTrustSetNetworkFetchAllowed(_ trust: SecTrust, _ allowFetch: Bool) -> OSStatus {
    trust.change { $0.allowsNetwork = allowFetch }
    return errSecSuccess
}

/// Copies the permission to fetch. By default it is `false` with `SecPolicyCreateBasicX509` or
/// `kSecRevocationNetworkAccessDisabled`, and `true` otherwise (SecPolicy.c).
@discardableResult
public func SecTrustGetNetworkFetchAllowed(_ trust: SecTrust, _ allowFetch: UnsafeMutablePointer<Bool>) -> OSStatus {
    allowFetch.pointee = trust.read(\.mayFetch)
    return errSecSuccess
}

extension SecTrust.State {
    var mayFetch: Bool {
        if let allowsNetwork { return allowsNetwork }
        return !self.policies.contains { policy in
            policy.policy == .basicX509 || policy.policy.revocationOptions?.contains(.networkAccessDisabled) == true
        }
    }
}

/// Sets the stapled OCSP responses of the server.
///
/// - Parameters:
///   - trust: The trust object.
///   - responseData: A response or an array of responses, or `nil` to remove them. Data that are not a response are ignored.
/// - Returns: `errSecSuccess`, or `errSecParam` for values other than data. Nothing is then changed.
@discardableResult
public func SecTrustSetOCSPResponse(_ trust: SecTrust, _ responseData: CFTypeRef?) -> OSStatus {
    guard let octets: [Data] = responseData.map({ members(of: $0) }) ?? [] else { return errSecParam }
    let responses = octets.compactMap { try? OCSPResponse(der: Array($0)) }
    trust.change { $0.update { $0.revocation.stapledResponses = responses } }
    return errSecSuccess
}

/// Sets the certificate timestamps of the handshake.
///
/// - Parameters:
///   - trust: The trust object.
///   - sctArray: The timestamps, each a SignedCertificateTimestamp (RFC 6962 §3.2), or `nil` to remove them.
/// - Returns: `errSecSuccess`, or `errSecParam` for values that are not data or are too long. Nothing is then changed.
@discardableResult
public func SecTrustSetSignedCertificateTimestamps(_ trust: SecTrust, _ sctArray: CFArray?) -> OSStatus {
    guard let timestamps: [Data] = members(of: sctArray ?? []) else { return errSecParam }
    let lists = timestamps.compactMap(timestampList)
    guard lists.count == timestamps.count else { return errSecParam }
    trust.change { $0.update { $0.transparency?.timestampLists = lists } }
    return errSecSuccess
}

/// Returns a SignedCertificateTimestampList with one timestamp (RFC 6962 §3.3).
private func timestampList(_ timestamp: Data) -> [UInt8]? {
    guard let count = UInt16(exactly: timestamp.count), count <= .max - 2 else { return nil }
    func octets(_ number: UInt16) -> [UInt8] { [UInt8(number >> 8), UInt8(truncatingIfNeeded: number)] }
    return octets(count + 2) + octets(count) + timestamp
}
