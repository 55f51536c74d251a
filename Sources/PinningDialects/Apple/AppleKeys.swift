//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import ServerTrust

/// The keys that lead to `NSPinnedDomains` in an Info.plist.
enum AppleSection: String {
    case appTransportSecurity = "NSAppTransportSecurity"
    case pinnedDomains = "NSPinnedDomains"
}

/// The keys of a domain in `NSPinnedDomains`.
///
/// See <https://developer.apple.com/documentation/bundleresources/information-property-list/nspinneddomains>.
enum AppleDomainKey: String, DialectKey {
    case includesSubdomains = "NSIncludesSubdomains"
    case authorities = "NSPinnedCAIdentities"
    case leaf = "NSPinnedLeafIdentities"

    /// The keys with pins and the part of the path that each of them pins.
    static let identities: [(key: AppleDomainKey, scope: PinRequirement.Scope)] = [
        (.authorities, .authorities), (.leaf, .leaf),
    ]
}

/// The keys of a pin.
enum ApplePinKey: String, DialectKey {
    case digest = "SPKI-SHA256-BASE64"
}
