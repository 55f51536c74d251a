//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

public import ConfigurationDocuments

/// The dictionary `NSAppTransportSecurity` of an Info.plist.
///
/// What is `nil` is not there, or is there with a value that Apple's engine passes over; issues says which. Read one
/// with ``InfoPropertyList``, or make one in code:
///
/// ```swift
/// var dictionary = ATSDictionary()
/// dictionary.allowsLocalNetworking = true
/// var legacy = ATSExceptionDomain("legacy.example.com")
/// legacy.minimumTLSVersion = "TLSv1.0"
/// dictionary.exceptionDomains = [legacy]
/// ```
public struct ATSDictionary: Sendable, Hashable {
    /// `NSAllowsArbitraryLoads`
    public var allowsArbitraryLoads: ATSEntry<ATSFlag>?
    /// `NSAllowsArbitraryLoadsForMedia`
    public var allowsArbitraryLoadsForMedia: ATSEntry<ATSFlag>?
    /// `NSAllowsArbitraryLoadsInWebContent`
    public var allowsArbitraryLoadsInWebContent: ATSEntry<ATSFlag>?
    /// `NSAllowsLocalNetworking`
    public var allowsLocalNetworking: ATSEntry<ATSFlag>?
    /// `NSRequiresNIAPTLSPackageVersion`
    public var requiresNIAPTLSPackageVersion: ATSEntry<String>?
    /// The entries of `NSExceptionDomains`, in the order they are written in. Of several with one name the last counts.
    public var exceptionDomains: [ATSExceptionDomain] = []
    /// The entries of `NSPinnedDomains`, in the order they are written in.
    public var pinnedDomains: [ATSPinnedDomain] = []
    /// What was not understood, and how Apple's engine takes it.
    public var issues: [ATSIssue] = []
    /// Where the dictionary's key is.
    public var position: TextPosition?

    /// A dictionary without a key, which is the strictest there is.
    public init() {}

    /// The dictionary in a document.
    ///
    /// - Parameter node: The value of the key; of one that is no dictionary nothing is left but an issue.
    init(_ node: DocumentNode) {
        var reader = ATSDictionaryReader()
        self = reader.dictionary(node, at: node.position)
    }
}

/// An entry of `NSExceptionDomains`: rules for one host, in place of those for all.
public struct ATSExceptionDomain: Sendable, Hashable {
    /// The key of the entry, as it is written: a name, an address, or a block of addresses such as `10.0.0.0/8`.
    public var name: String
    /// Where the entry's key is.
    public var position: TextPosition?
    /// `NSIncludesSubdomains`
    public var includesSubdomains: ATSEntry<ATSFlag>?
    /// `NSExceptionAllowsInsecureHTTPLoads`
    public var allowsInsecureHTTPLoads: ATSEntry<ATSFlag>?
    /// `NSExceptionMinimumTLSVersion`, as it is written.
    public var minimumTLSVersion: ATSEntry<String>?
    /// `NSExceptionRequiresForwardSecrecy`
    public var requiresForwardSecrecy: ATSEntry<ATSFlag>?
    /// `NSExceptionRequiresNIAPTLSPackageVersion`, as it is written.
    public var requiresNIAPTLSPackageVersion: ATSEntry<String>?
    /// `NSRequiresCertificateTransparency`, which is obsolete and which no system reads.
    public var requiresCertificateTransparency: ATSEntry<ATSFlag>?
    /// Keys under their names of iOS 9 (`NSTemporaryException…`, `NSThirdPartyException…`), which no system reads.
    public var obsoleteKeys: [ATSKey: TextPosition?] = [:]

    /// An entry that demands what is demanded by default.
    ///
    /// - Parameter name: A host's name, an address, or a block of addresses.
    public init(_ name: String, at position: TextPosition? = nil) {
        self.name = name
        self.position = position
    }
}

/// An entry of `NSPinnedDomains`.
public struct ATSPinnedDomain: Sendable, Hashable {
    /// A pin: the Base64 of a key's digest, as it is written.
    public typealias Identity = ATSEntry<String>

    /// The key of the entry, as it is written.
    public var name: String
    /// Where the entry's key is.
    public var position: TextPosition?
    /// `NSIncludesSubdomains`, which must be a boolean here to count.
    public var includesSubdomains: ATSEntry<ATSFlag>?
    /// The pins of `NSPinnedLeafIdentities`; `nil` when the key is not there. Empty, nothing passes.
    public var leafIdentities: ATSEntry<[Identity]>?
    /// The pins of `NSPinnedCAIdentities`; `nil` when the key is not there. Empty, nothing passes.
    public var authorityIdentities: ATSEntry<[Identity]>?

    /// An entry without pins, which is as if it were not there.
    public init(_ name: String, at position: TextPosition? = nil) {
        self.name = name
        self.position = position
    }
}
