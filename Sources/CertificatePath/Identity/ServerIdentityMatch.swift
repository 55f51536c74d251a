//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// The result of comparing the names of a certificate with the sought identity.
///
/// A mismatch contains the names in the certificate, so that a report can explain it.
public enum ServerIdentityMatch: Sendable, Hashable {
    /// The certificate has a name that matches.
    case match
    /// No name of the certificate matches. The evidence is the names that it has.
    case mismatch(presented: PresentedIdentities)

    /// `true` if a name of the certificate matches.
    public var isMatch: Bool { self == .match }
}

/// The names in a certificate, as the evidence for a mismatch.
///
/// Texts are printable, and lists are cut at ``maximumNames`` entries. Counts include all entries.
public struct PresentedIdentities: Sendable, Hashable {
    /// The maximum number of entries in each list.
    public static let maximumNames = 50

    /// `true` if the certificate has a subject alternative name.
    public internal(set) var hasSubjectAlternativeName = false
    /// The first DNS names, including those that are ignored.
    public internal(set) var dnsNames: [String] = []
    /// The number of DNS names.
    public internal(set) var dnsNameCount = 0
    /// `true` if a DNS name that is not valid UTF-8 voids all DNS names.
    public internal(set) var dnsNamesAreVoid = false
    /// The first IP addresses.
    public internal(set) var ipAddresses: [IPAddress] = []
    /// The number of IP addresses, including those of an impossible size.
    public internal(set) var ipAddressCount = 0
    /// `true` if an IP address of an impossible size voids all IP addresses.
    public internal(set) var ipAddressesAreVoid = false
    /// The first mail addresses.
    public internal(set) var mailAddresses: [String] = []
    /// The number of mail addresses.
    public internal(set) var mailAddressCount = 0
    /// The common names of the subject, which are never used (RFC 9525 §2).
    public internal(set) var commonNames: [String] = []
    /// `true` if a common name is the sought name. Such a certificate predates the rule that the common name does not count.
    public internal(set) var commonNameWouldMatch = false
    /// `true` if the certificate has the sought IP address as a DNS name, which never matches.
    public internal(set) var addressIsWrittenAsDNSName = false
    /// The first names that match no host, and names that are similar to the sought name without matching it. Names
    /// that void others are first.
    public internal(set) var uncountedNames: [UncountedName] = []
}
