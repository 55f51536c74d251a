//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import Foundation
import ServerTrust

/// Evaluates the trust object and returns all details of the result, with the keys `kSecTrust…`.
public func SecTrustCopyResult(_ trust: SecTrust) -> CFDictionary? {
    let result = trust.result
    var dictionary: CFDictionary = result.resultDictionary
    dictionary[kSecTrustResultValue] = NSNumber(value: result.resultType.rawValue)
    guard result.isTrusted, let validUntil = result.revocationValidUntil(in: trust.trust.revocation) else {
        return dictionary
    }
    dictionary[kSecTrustRevocationChecked] = true
    dictionary[kSecTrustRevocationValidUntilDate] = validUntil
    return dictionary
}

extension TrustResult {
    /// Returns the date until which the revocation information is current, or `nil` if a certificate below the anchor is not
    /// known to be good.
    fileprivate func revocationValidUntil(in policy: RevocationPolicy) -> Date? {
        let statuses = self.revocationStatuses
        guard !statuses.isEmpty, statuses.allSatisfy({ $0 == .good }) else { return nil }
        let ends = self.evidence.items.compactMap { item -> Timestamp? in
            guard item.isUsed else { return nil }
            return policy.nextUpdate(of: item)
        }
        return ends.min { $0.secondsSinceEpoch < $1.secondsSinceEpoch }
            .map { Date(timeIntervalSince1970: TimeInterval($0.secondsSinceEpoch)) }
    }
}

extension RevocationPolicy {
    /// Returns the next update of a supplied list or response.
    fileprivate func nextUpdate(of item: TrustEvidence.Item) -> Timestamp? {
        func element<Element>(of elements: [Element]) -> Element? {
            elements.indices.contains(item.position) ? elements[item.position] : nil
        }
        return switch item.kind {
        case .stapledResponse: element(of: self.stapledResponses)?.nextUpdate
        case .ocspResponse: element(of: self.responses + self.requestedResponses.map(\.response))?.nextUpdate
        case .revocationList: element(of: self.lists)?.nextUpdate
        case .certificate, .root, .store, .timestampList, .exceptions: nil
        }
    }
}

/// Evaluates the trust object and returns the reasons against the certificate in sentences.
///
/// - Returns: A dictionary for each reason, the worst first, or `nil` if the certificate is trusted.
public func SecTrustCopyProperties(_ trust: SecTrust) -> CFArray? {
    let result = trust.result
    guard !result.isTrusted else { return nil }
    // The certificate is not trusted even if there is no reason.
    return (result.failure?.reasons ?? []).map { reason -> CFDictionary in
        [kSecPropertyKeyType: kSecPropertyTypeError, kSecPropertyKeyValue: reason.message]
    }
}
