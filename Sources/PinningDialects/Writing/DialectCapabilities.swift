//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import ServerTrust

/// The settings that a dialect can express.
struct DialectCapabilities: Sendable {
    /// The name of the dialect in messages.
    var name: String
    /// The parts of a path that can be pinned. Any other scope becomes the first one.
    var scopes: [PinRequirement.Scope] = [.path]
    /// `true` if a path can be required to match several sets of pins, one for each scope.
    var hasSeveralRequirements = false
    /// The rule for a host that several domains match.
    var combination = PinningConfiguration.Combination.mostSpecific
    /// The sub-domains that a pinned domain can cover.
    var subdomains: Set<PinnedDomain.Subdomains> = [.none, .anyDepth]
    /// The sub-domains that an unpinned domain can cover. Empty if every domain has pins.
    var unpinnedSubdomains: Set<PinnedDomain.Subdomains> = []
    /// `true` if a host can occur only once.
    var hasOneEntryPerHost = true
    var hasPorts = false
    /// `true` if a set of pins can be empty, so that every connection fails.
    var hasEmptyPins = false
    /// `true` if the dialect has a report-only mode and report URIs.
    var hasReports = false
    /// The permitted consequences of an expiration. Empty if pins never expire.
    var consequences: Set<PinExpiration.Consequence> = []
    /// The anchors that can be exempt from pinning.
    var exempt: Set<AnchorClass> = []
    /// The step of the evaluation that compares the pins.
    var comparison = PinRequirement.Comparison.afterSearch
    /// `true` if the dialect can name trust anchors.
    var hasAnchors = false
}

extension PinningDialect {
    /// The settings that the dialect can express, or `nil` for this package's own format, which can express all of them.
    var capabilities: DialectCapabilities? {
        switch self {
        case .json: nil
        case .ios:
            DialectCapabilities(
                name: "NSPinnedDomains", scopes: [.authorities, .leaf], hasSeveralRequirements: true,
                combination: .union,
                subdomains: [.none, .oneLabel], unpinnedSubdomains: [.none, .oneLabel], hasEmptyPins: true,
                comparison: .duringSearch)
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
                name: "curl", scopes: [.leaf], subdomains: [.none], hasOneEntryPerHost: false, hasPorts: true,
                comparison: .duringSearch)
        }
    }
}
