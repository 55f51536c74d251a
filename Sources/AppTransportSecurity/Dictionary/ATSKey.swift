//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// A key of `NSAppTransportSecurity`, at whichever level.
///
/// The one table of them: reading, explaining and linting derive from it.
/// See <https://developer.apple.com/documentation/bundleresources/information-property-list/nsapptransportsecurity>.
public enum ATSKey: String, Sendable, Hashable, CaseIterable {
    // MARK: Of the dictionary itself

    /// Turns the restrictions off for every host that is no exception.
    case allowsArbitraryLoads = "NSAllowsArbitraryLoads"
    /// Turns them off for what AVFoundation loads.
    case allowsArbitraryLoadsForMedia = "NSAllowsArbitraryLoadsForMedia"
    /// Turns them off for what web views load.
    case allowsArbitraryLoadsInWebContent = "NSAllowsArbitraryLoadsInWebContent"
    /// Whether local hosts need no TLS.
    case allowsLocalNetworking = "NSAllowsLocalNetworking"
    /// Demands a TLS package of NIAP for every host.
    case requiresNIAPTLSPackageVersion = "NSRequiresNIAPTLSPackageVersion"
    /// Rules for single hosts, in place of those for all.
    case exceptionDomains = "NSExceptionDomains"
    /// The keys hosts must have.
    case pinnedDomains = "NSPinnedDomains"

    // MARK: Of an exception

    /// Whether an entry is for names below its own too; also of a pinned domain.
    case includesSubdomains = "NSIncludesSubdomains"
    /// Allows plain HTTP, and lets the app trust whom it wants.
    case exceptionAllowsInsecureHTTPLoads = "NSExceptionAllowsInsecureHTTPLoads"
    /// The oldest version of TLS.
    case exceptionMinimumTLSVersion = "NSExceptionMinimumTLSVersion"
    /// Whether cipher suites must have forward secrecy.
    case exceptionRequiresForwardSecrecy = "NSExceptionRequiresForwardSecrecy"
    /// Demands a TLS package of NIAP for one host, or lifts the demand.
    case exceptionRequiresNIAPTLSPackageVersion = "NSExceptionRequiresNIAPTLSPackageVersion"
    /// Obsolete: certificate transparency is always demanded.
    case requiresCertificateTransparency = "NSRequiresCertificateTransparency"
    /// A name of iOS 9's betas.
    case temporaryExceptionAllowsInsecureHTTPLoads = "NSTemporaryExceptionAllowsInsecureHTTPLoads"
    /// A name of iOS 9's betas.
    case temporaryExceptionMinimumTLSVersion = "NSTemporaryExceptionMinimumTLSVersion"
    /// A name of iOS 9's betas.
    case temporaryExceptionRequiresForwardSecrecy = "NSTemporaryExceptionRequiresForwardSecrecy"
    /// A name of iOS 9.
    case thirdPartyExceptionAllowsInsecureHTTPLoads = "NSThirdPartyExceptionAllowsInsecureHTTPLoads"
    /// A name of iOS 9.
    case thirdPartyExceptionMinimumTLSVersion = "NSThirdPartyExceptionMinimumTLSVersion"
    /// A name of iOS 9.
    case thirdPartyExceptionRequiresForwardSecrecy = "NSThirdPartyExceptionRequiresForwardSecrecy"

    // MARK: Of a pinned domain

    /// The keys of which an authority of the host must have one.
    case pinnedCAIdentities = "NSPinnedCAIdentities"
    /// The keys of which the host itself must have one.
    case pinnedLeafIdentities = "NSPinnedLeafIdentities"
    /// The digest of a key.
    case spkiSHA256 = "SPKI-SHA256-BASE64"

    /// The key of an Info.plist under which all of them are.
    public static let section = "NSAppTransportSecurity"
}

extension ATSKey {
    /// The key of a text that is the same octet by octet: `SPKI` with the sign for kelvins is not a key.
    init?(literally text: String) {
        self.init(rawValue: text)
        guard text.utf8.elementsEqual(self.rawValue.utf8) else { return nil }
    }

    /// Where a key belongs.
    public enum Level: Sendable, Hashable, CaseIterable {
        /// In `NSAppTransportSecurity` itself.
        case global
        /// In an entry of `NSExceptionDomains`.
        case exception
        /// In an entry of `NSPinnedDomains`.
        case pinnedDomain
        /// In a pin.
        case pin
    }

    /// What a key's value is.
    public enum ValueType: String, Sendable, Hashable {
        /// True or false; Apple's engine takes numbers too.
        case boolean
        /// A text.
        case string
        /// A dictionary.
        case dictionary
        /// An array.
        case array
    }

    /// Where it belongs.
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

    /// The keys of a level.
    public static func keys(of level: Level) -> [ATSKey] { self.allCases.filter { $0.levels.contains(level) } }

    /// What its value is.
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

    /// The key that is written today in place of one that no engine whose source is known has ever read.
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

    /// Whether the App Store asks why an app has it ("Provide Justification for Exceptions"), unless it demands more than
    /// the default.
    public var needsJustification: Bool {
        switch self {
        case .allowsArbitraryLoads, .allowsArbitraryLoadsForMedia, .allowsArbitraryLoadsInWebContent,
            .exceptionAllowsInsecureHTTPLoads, .exceptionMinimumTLSVersion:
            true
        default: false
        }
    }
}
