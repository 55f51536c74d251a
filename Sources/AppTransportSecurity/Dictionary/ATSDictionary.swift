//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

public import ConfigurationDocuments

/// The dictionary `NSAppTransportSecurity` of an Info.plist.
///
/// A property is `nil` if its key is missing, or if its value is of a type that Apple's engine ignores. The second case is among
/// the ``issues``. Read a dictionary with ``InfoPropertyList``, or create one in code:
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
    /// The entries of `NSExceptionDomains` in the order of the file. If several have the same name, the last one counts.
    public var exceptionDomains: [ATSExceptionDomain] = []
    /// The entries of `NSPinnedDomains` in the order of the file.
    public var pinnedDomains: [ATSPinnedDomain] = []
    /// The parts that were not understood, and the way Apple's engine treats them.
    public var issues: [ATSIssue] = []
    /// The place of the dictionary's key.
    public var position: TextPosition?

    /// Creates a dictionary without keys, which is the strictest one.
    public init() {}

    /// Reads the dictionary from a document.
    ///
    /// - Parameter node: The value of the key. A value other than a dictionary becomes an empty dictionary with an issue.
    init(_ node: DocumentNode) {
        var reader = ATSDictionaryReader()
        self = reader.dictionary(node, at: node.position)
    }
}

/// An entry of `NSExceptionDomains`: the rules for one host, which replace those for all hosts.
///
/// A new entry has no key and therefore the default rules. Set a property to relax or tighten a rule.
public struct ATSExceptionDomain: Sendable, Hashable {
    /// The key of the entry as written: a name, an address, or a block of addresses such as `10.0.0.0/8`.
    public var name: String
    /// The place of the entry's key.
    public var position: TextPosition?
    /// `NSIncludesSubdomains`
    public var includesSubdomains: ATSEntry<ATSFlag>?
    /// `NSExceptionAllowsInsecureHTTPLoads`
    public var allowsInsecureHTTPLoads: ATSEntry<ATSFlag>?
    /// `NSExceptionMinimumTLSVersion` as written.
    public var minimumTLSVersion: ATSEntry<String>?
    /// `NSExceptionRequiresForwardSecrecy`
    public var requiresForwardSecrecy: ATSEntry<ATSFlag>?
    /// `NSExceptionRequiresNIAPTLSPackageVersion` as written.
    public var requiresNIAPTLSPackageVersion: ATSEntry<String>?
    /// `NSRequiresCertificateTransparency`, which is obsolete. No system reads it.
    public var requiresCertificateTransparency: ATSEntry<ATSFlag>?
    /// The keys with names from iOS 9 (`NSTemporaryException…`, `NSThirdPartyException…`), which no system reads.
    public var obsoleteKeys: [ATSKey: TextPosition?] = [:]

    /// Creates an entry with the default rules.
    ///
    /// - Parameters:
    ///   - name: A host's name, an address, or a block of addresses.
    ///   - position: The place of the name in its file.
    public init(_ name: String, at position: TextPosition? = nil) {
        self.name = name
        self.position = position
    }
}

/// An entry of `NSPinnedDomains`: the keys that a host's certificates must have.
///
/// An array that is missing pins nothing. An array that is empty refuses every connection.
public struct ATSPinnedDomain: Sendable, Hashable {
    /// A pin: the digest of a key in Base64, as written.
    public typealias Identity = ATSEntry<String>

    /// The key of the entry as written.
    public var name: String
    /// The place of the entry's key.
    public var position: TextPosition?
    /// `NSIncludesSubdomains`, which counts here only as a Boolean.
    public var includesSubdomains: ATSEntry<ATSFlag>?
    /// The pins of `NSPinnedLeafIdentities`, or `nil` if the key is missing. If empty, no chain passes.
    public var leafIdentities: ATSEntry<[Identity]>?
    /// The pins of `NSPinnedCAIdentities`, or `nil` if the key is missing. If empty, no chain passes.
    public var authorityIdentities: ATSEntry<[Identity]>?

    /// Creates an entry without pins, which has no effect.
    public init(_ name: String, at position: TextPosition? = nil) {
        self.name = name
        self.position = position
    }
}
