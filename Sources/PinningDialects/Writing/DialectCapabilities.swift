//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import ServerTrust

/// What a dialect has words for.
struct DialectCapabilities: Sendable {
    /// What it is called in messages.
    var name: String
    /// Where pins can be looked for; the first is what others become.
    var scopes: [PinRequirement.Scope] = [.path]
    /// Whether all of several requirements can be demanded, one for each scope.
    var hasSeveralRequirements = false
    /// What becomes of a host that several domains fit.
    var combination = PinningConfiguration.Combination.mostSpecific
    /// Which hosts besides a domain can be meant.
    var subdomains: Set<PinnedDomain.Subdomains> = [.none, .anyDepth]
    /// Which hosts besides a domain can be left unpinned; empty where no domain can.
    var unpinnedSubdomains: Set<PinnedDomain.Subdomains> = []
    /// Whether a host can be there once only.
    var hasOneEntryPerHost = true
    /// Whether there are ports.
    var hasPorts = false
    /// Whether there can be pins that let nothing through.
    var hasEmptyPins = false
    /// Whether there is report-only, and URIs to report to.
    var hasReports = false
    /// What can happen after the end of pins; empty where they never end.
    var consequences: Set<PinExpiration.Consequence> = []
    /// Whether anchors can be exempt, and which.
    var exempt: Set<AnchorClass> = []
    /// Whether there are words for what is trusted.
    var hasAnchors = false
}

extension PinningDialect {
    /// What the dialect has words for; `nil` for this package's own, which has them for everything.
    var capabilities: DialectCapabilities? {
        switch self {
        case .json: nil
        case .ios:
            DialectCapabilities(
                name: "NSPinnedDomains", scopes: [.authorities, .leaf], hasSeveralRequirements: true,
                combination: .union,
                subdomains: [.none, .oneLabel], unpinnedSubdomains: [.none, .oneLabel], hasEmptyPins: true)
        case .android:
            DialectCapabilities(
                name: "Android", unpinnedSubdomains: [.none, .anyDepth], consequences: [.ignorePins],
                exempt: Set(AnchorClass.allCases), hasAnchors: true)
        case .trustkit:
            DialectCapabilities(
                name: "TrustKit", unpinnedSubdomains: [.none], hasEmptyPins: true, hasReports: true,
                consequences: [.ignorePins], exempt: [.user], hasAnchors: true)
        case .okhttp:
            DialectCapabilities(
                name: "OkHttp", combination: .union, subdomains: Set(PinnedDomain.Subdomains.allCases),
                hasOneEntryPerHost: false)
        case .curl:
            DialectCapabilities(
                name: "curl", scopes: [.leaf], subdomains: [.none], hasOneEntryPerHost: false, hasPorts: true)
        }
    }
}
