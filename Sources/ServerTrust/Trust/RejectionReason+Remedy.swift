//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import CertificatePath

extension TrustRemedy.Circumstance {
    /// The circumstance of a reason, by which its remedy is chosen.
    ///
    /// - Parameters:
    ///   - reason: The broken rule with its evidence.
    ///   - certificate: The certificate at fault.
    ///   - role: What the certificate is on the path.
    init(_ reason: RejectionReason, _ certificate: Certificate, role: CertificateRole) {
        switch reason {
        case .untrustedRoot: self = role == .leaf ? .selfSignedServer : .root
        case .unknownIssuer: self = .missingIssuer(of: certificate, role)
        case .nameMismatch(_, let presented, let invalid):
            self = invalid != nil ? .impossibleName : .otherNames(presented, certificate)
        case .serverAuthenticationMissing where certificate.view.version < 3: self = .oldVersion
        case .extendedKeyUsage where certificate.view.version < 3: self = .oldVersion
        case .revocationStatusUnknown(.notUsable), .stapledResponseMissing(.notUsable): self = .unusableEvidence
        case .transparencyMissing(let shortfall) where shortfall.unknownLogs > 0: self = .unknownLogs
        case .transparencyMissing(let shortfall) where shortfall.lacksOperatorsAlone: self = .fewOperators
        default: self = .byRole(role)
        }
    }

    private static func byRole(_ role: CertificateRole) -> TrustRemedy.Circumstance {
        switch role {
        case .leaf: .leaf
        case .intermediate: .intermediate
        case .root: .root
        }
    }

    private static func missingIssuer(
        of certificate: Certificate, _ role: CertificateRole
    ) -> TrustRemedy.Circumstance {
        if !certificate.view.issuerURLs.isEmpty { return .fetchableIssuer }
        return role == .leaf ? .leaf : .intermediate
    }

    private static func otherNames(
        _ presented: PresentedIdentities, _ certificate: Certificate
    ) -> TrustRemedy.Circumstance {
        if presented.addressIsWrittenAsDNSName { return .addressAsDNSName }
        if certificate.view.version < 3 { return .oldVersion }
        let refused = Set(presented.refusedWildcards.filter { $0.reason != .standsForOneLabel }.map(\.pattern))
        let usable =
            presented.dnsNamesAreVoid ? [] : presented.dnsNames.filter { !refused.contains($0) && !$0.hasSuffix(".") }
        return usable.isEmpty && presented.ipAddresses.isEmpty ? .noUsableName : .leaf
    }
}

/// What a certificate is on the path.
public enum CertificateRole: String, Sendable, Hashable, CaseIterable {
    /// The certificate in question.
    case leaf
    /// A certificate between the leaf and the end of the path.
    case intermediate
    /// The end of the path: the anchor, or a self-issued certificate that is not trusted.
    case root

    init(of index: Int, on path: [Certificate], isAnchored: Bool) {
        guard index > 0 else {
            self = .leaf
            return
        }
        let isEnd = index == path.count - 1 && path.indices.contains(index)
        self = isEnd && (isAnchored || path[index].isSelfIssued) ? .root : .intermediate
    }
}

extension RejectionReason {
    /// What would put it right, in a sentence or two.
    func remedy(for certificate: Certificate, _ role: CertificateRole) -> String {
        let circumstance = TrustRemedy.Circumstance(self, certificate, role: role)
        if case .certificateRule = self {
            return
                "Have it issued again by an authority that keeps \(self.rules.map(\.section).joined(separator: ", "))."
        }
        if case .keyUsage(let missing) = self, !missing.contains(.keyCertSign), !missing.contains(.cRLSign) {
            return TrustRule.rule(self.code)?.remedy(.leaf)?.advice ?? ""
        }
        return self.rules.first?.remedy(circumstance)?.advice ?? ""
    }
}

extension TransparencyShortfall {
    /// Whether enough logs have signed, and too few operators run them.
    fileprivate var lacksOperatorsAlone: Bool {
        self.counted >= self.needed && self.countedOperators < self.rules.neededOperators
    }
}
