//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// The answer to whether a certificate names the peer.
public enum ServerIdentityMatch: Sendable, Hashable {
    /// It does.
    case match
    /// It does not; the evidence is what it names instead.
    case mismatch(presented: PresentedIdentities)

    /// Whether the certificate names the peer.
    public var isMatch: Bool { self == .match }
}

/// The names a certificate presents, for explaining why none of them is the one that was sought.
///
/// Texts are printable, and lists are cut at ``maximumNames`` entries; counts are of all entries.
public struct PresentedIdentities: Sendable, Hashable {
    /// The most entries any of the lists holds.
    public static let maximumNames = 50

    /// Whether there is a subject alternative name at all.
    public internal(set) var hasSubjectAlternativeName = false
    /// The first DNS names, those that are ignored included.
    public internal(set) var dnsNames: [String] = []
    /// The number of DNS names.
    public internal(set) var dnsNameCount = 0
    /// Whether a DNS name that is not valid UTF-8 voids all DNS names.
    public internal(set) var dnsNamesAreVoid = false
    /// The first IP addresses.
    public internal(set) var ipAddresses: [IPAddress] = []
    /// The number of IP addresses, those of an impossible size included.
    public internal(set) var ipAddressCount = 0
    /// Whether an IP address of an impossible size voids all IP addresses.
    public internal(set) var ipAddressesAreVoid = false
    /// The first mail addresses.
    public internal(set) var mailAddresses: [String] = []
    /// The number of mail addresses.
    public internal(set) var mailAddressCount = 0
    /// The common names of the subject, which are never used (RFC 9525 §2).
    public internal(set) var commonNames: [String] = []
    /// Whether a common name is the name that was sought: the certificate predates the rule that it does not count.
    public internal(set) var commonNameWouldMatch = false
    /// Whether the IP address that was sought stands in the certificate as a DNS name, which never matches.
    public internal(set) var addressIsWrittenAsDNSName = false
    /// The first names that count for no host, and those that come close to the name that was sought. Names that void
    /// others stand first.
    public internal(set) var uncountedNames: [UncountedName] = []
}
