//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// A key of `NSAppTransportSecurity` at any level.
///
/// Reading, explaining and linting all derive from this table. See
/// <https://developer.apple.com/documentation/bundleresources/information-property-list/nsapptransportsecurity>.
public enum ATSKey: String, Sendable, Hashable, CaseIterable {
    // MARK: Global keys

    /// The switch that lifts the restrictions for every host without an exception.
    case allowsArbitraryLoads = "NSAllowsArbitraryLoads"
    /// The switch that lifts the restrictions for loads of AVFoundation.
    case allowsArbitraryLoadsForMedia = "NSAllowsArbitraryLoadsForMedia"
    /// The switch that lifts the restrictions for loads of web views.
    case allowsArbitraryLoadsInWebContent = "NSAllowsArbitraryLoadsInWebContent"
    /// The switch for local hosts without TLS.
    case allowsLocalNetworking = "NSAllowsLocalNetworking"
    /// The NIAP package that every host must meet.
    case requiresNIAPTLSPackageVersion = "NSRequiresNIAPTLSPackageVersion"
    /// The rules for single hosts, which replace those for all hosts.
    case exceptionDomains = "NSExceptionDomains"
    /// The keys that hosts must have.
    case pinnedDomains = "NSPinnedDomains"

    // MARK: Keys of an exception

    /// The switch that extends an entry to names below its own, also in a pinned domain.
    case includesSubdomains = "NSIncludesSubdomains"
    /// The switch that allows plain HTTP and lets the app trust any server.
    case exceptionAllowsInsecureHTTPLoads = "NSExceptionAllowsInsecureHTTPLoads"
    /// The oldest version of TLS.
    case exceptionMinimumTLSVersion = "NSExceptionMinimumTLSVersion"
    /// The switch for forward secrecy of cipher suites.
    case exceptionRequiresForwardSecrecy = "NSExceptionRequiresForwardSecrecy"
    /// The NIAP package for one host, which may also be none.
    case exceptionRequiresNIAPTLSPackageVersion = "NSExceptionRequiresNIAPTLSPackageVersion"
    /// An obsolete switch, because certificate transparency is always required.
    case requiresCertificateTransparency = "NSRequiresCertificateTransparency"
    /// A name from the betas of iOS 9.
    case temporaryExceptionAllowsInsecureHTTPLoads = "NSTemporaryExceptionAllowsInsecureHTTPLoads"
    /// A name from the betas of iOS 9.
    case temporaryExceptionMinimumTLSVersion = "NSTemporaryExceptionMinimumTLSVersion"
    /// A name from the betas of iOS 9.
    case temporaryExceptionRequiresForwardSecrecy = "NSTemporaryExceptionRequiresForwardSecrecy"
    /// A name from iOS 9.
    case thirdPartyExceptionAllowsInsecureHTTPLoads = "NSThirdPartyExceptionAllowsInsecureHTTPLoads"
    /// A name from iOS 9.
    case thirdPartyExceptionMinimumTLSVersion = "NSThirdPartyExceptionMinimumTLSVersion"
    /// A name from iOS 9.
    case thirdPartyExceptionRequiresForwardSecrecy = "NSThirdPartyExceptionRequiresForwardSecrecy"

    // MARK: Keys of a pinned domain

    /// The keys of which an authority in the host's chain must have one.
    case pinnedCAIdentities = "NSPinnedCAIdentities"
    /// The keys of which the host itself must have one.
    case pinnedLeafIdentities = "NSPinnedLeafIdentities"
    /// The digest of a key.
    case spkiSHA256 = "SPKI-SHA256-BASE64"

    /// The key of an Info.plist that contains all of them.
    public static let section = "NSAppTransportSecurity"
}

extension ATSKey {
    /// Finds the key that a text matches octet by octet. A text with the Kelvin sign instead of K is not a key.
    init?(literally text: String) {
        self.init(rawValue: text)
        guard text.utf8.elementsEqual(self.rawValue.utf8) else { return nil }
    }

    /// The level at which a key belongs.
    public enum Level: Sendable, Hashable, CaseIterable {
        /// `NSAppTransportSecurity` itself.
        case global
        /// An entry of `NSExceptionDomains`.
        case exception
        /// An entry of `NSPinnedDomains`.
        case pinnedDomain
        /// A pin.
        case pin
    }

    /// The type of a key's value.
    public enum ValueType: String, Sendable, Hashable {
        /// A Boolean. Apple's engine accepts numbers, too.
        case boolean
        /// A string.
        case string
        /// A dictionary.
        case dictionary
        /// An array.
        case array
    }

    /// The levels at which the key belongs.
    public var levels: Set<Level> {
        switch self {
        case .allowsArbitraryLoads, .allowsArbitraryLoadsForMedia, .allowsArbitraryLoadsInWebContent,
            .allowsLocalNetworking, .requiresNIAPTLSPackageVersion, .exceptionDomains, .pinnedDomains:
            [.global]
        case .includesSubdomains: [.exception, .pinnedDomain]
        case .pinnedCAIdentities, .pinnedLeafIdentities: [.pinnedDomain]
        case .spkiSHA256: [.pin]
        default: [.exception]
        }
    }

    /// Returns the keys of a level.
    public static func keys(of level: Level) -> [ATSKey] { self.allCases.filter { $0.levels.contains(level) } }

    /// The type of the key's value.
    public var valueType: ValueType {
        switch self {
        case .exceptionDomains, .pinnedDomains: .dictionary
        case .pinnedCAIdentities, .pinnedLeafIdentities: .array
        case .requiresNIAPTLSPackageVersion, .exceptionRequiresNIAPTLSPackageVersion, .exceptionMinimumTLSVersion,
            .temporaryExceptionMinimumTLSVersion, .thirdPartyExceptionMinimumTLSVersion, .spkiSHA256:
            .string
        default: .boolean
        }
    }

    /// The current key that replaces an obsolete one, or `nil` for a current key. No engine with public source has ever read the
    /// obsolete ones.
    public var replacement: ATSKey? {
        switch self {
        case .temporaryExceptionAllowsInsecureHTTPLoads, .thirdPartyExceptionAllowsInsecureHTTPLoads:
            .exceptionAllowsInsecureHTTPLoads
        case .temporaryExceptionMinimumTLSVersion, .thirdPartyExceptionMinimumTLSVersion: .exceptionMinimumTLSVersion
        case .temporaryExceptionRequiresForwardSecrecy, .thirdPartyExceptionRequiresForwardSecrecy:
            .exceptionRequiresForwardSecrecy
        default: nil
        }
    }

    /// `true` if the App Store requires a justification for the key ("Provide Justification for Exceptions"), unless its value is
    /// stricter than the default.
    public var needsJustification: Bool {
        switch self {
        case .allowsArbitraryLoads, .allowsArbitraryLoadsForMedia, .allowsArbitraryLoadsInWebContent,
            .exceptionAllowsInsecureHTTPLoads, .exceptionMinimumTLSVersion:
            true
        default: false
        }
    }
}
