//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// The key of TrustKit's configuration in an Info.plist.
enum TrustKitSection: String {
    case configuration = "TSKConfiguration"
}

/// The keys of TrustKit's configuration.
///
/// See <https://github.com/datatheorem/TrustKit>, TSKTrustKitConfig.h.
enum TrustKitKey: String, DialectKey {
    case swizzlesNetworkDelegates = "TSKSwizzleNetworkDelegates"
    case ignoresPinningForUserDefinedTrustAnchors = "TSKIgnorePinningForUserDefinedTrustAnchors"
    case pinnedDomains = "TSKPinnedDomains"
}

/// The keys of a domain.
enum TrustKitDomainKey: String, DialectKey {
    case includesSubdomains = "TSKIncludeSubdomains"
    case isExcluded = "TSKExcludeSubdomainFromParentPolicy"
    case enforcesPinning = "TSKEnforcePinning"
    case expirationDate = "TSKExpirationDate"
    case publicKeyHashes = "TSKPublicKeyHashes"
    case publicKeyAlgorithms = "TSKPublicKeyAlgorithms"
    case reportURIs = "TSKReportUris"
    case disablesDefaultReportURI = "TSKDisableDefaultReportUri"
    case additionalTrustAnchors = "TSKAdditionalTrustAnchors"

    /// The keys that only TrustKit 1.4 needed to compute digests. Later versions detect the algorithm, as this package does.
    static let obsolete: [TrustKitDomainKey] = [.publicKeyAlgorithms]
}
