//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// A rule of the linter; its raw value is an identifier that stays.
public enum ATSRule: String, Sendable, Hashable, CaseIterable {
    // MARK: How it is written

    /// A key that is misspelt.
    case misspeltKey = "misspelt-key"
    /// A key that means nothing.
    case unknownKey = "unknown-key"
    /// A key in the wrong place.
    case misplacedKey = "misplaced-key"
    /// A value of the wrong type.
    case wrongType = "wrong-type"
    /// A number in place of a boolean.
    case numberForBoolean = "number-for-boolean"
    /// A key that is there twice.
    case duplicateKey = "duplicate-key"
    /// A key that is obsolete.
    case obsoleteKey = "obsolete-key"
    /// A value that is the default.
    case defaultValue = "default-value"

    // MARK: What is written for all hosts

    /// A key that the target system does not read.
    case ignoredBySystem = "ignored-by-system"
    /// App Transport Security is off.
    case arbitraryLoads = "arbitrary-loads"
    /// NSAllowsArbitraryLoads is out of force.
    case ignoredArbitraryLoads = "ignored-arbitrary-loads"
    /// The App Store asks for a justification.
    case justificationRequired = "justification-required"

    // MARK: Values of exceptions

    /// An unknown version of TLS.
    case invalidMinimumVersion = "invalid-minimum-version"
    /// A version of TLS that the target system refuses.
    case refusedMinimumVersion = "refused-minimum-version"
    /// An unknown package of NIAP.
    case invalidPackage = "invalid-niap-package"

    // MARK: Names

    /// A name with upper-case letters.
    case upperCaseDomain = "domain-upper-case"
    /// A name with a port.
    case domainWithPort = "domain-port"
    /// A name with a wildcard.
    case wildcardDomain = "domain-wildcard"
    /// A name with a dot at its end.
    case trailingDotDomain = "domain-trailing-dot"
    /// A URL in place of a name.
    case urlAsDomain = "domain-is-url"
    /// A name that no host has.
    case invalidDomain = "invalid-domain"

    // MARK: Addresses

    /// A block of addresses that is not understood.
    case invalidAddressBlock = "address-block-invalid"
    /// A block that is read as another.
    case misreadAddressBlock = "address-block-misread"
    /// A block that not every reader understands.
    case disputedAddressBlock = "address-block-disputed"
    /// A block with every address.
    case everyAddress = "address-block-every-address"
    /// A block with bits beyond its length.
    case addressBlockHostBits = "address-block-host-bits"
    /// The same block twice.
    case duplicateAddressBlock = "address-block-duplicate"
    /// An address in another spelling.
    case addressSpelling = "address-spelling"
    /// NSIncludesSubdomains of an address.
    case subdomainsOfAddress = "subdomains-of-address"

    // MARK: Exceptions that do nothing

    /// An entry that changes nothing.
    case exceptionWithoutEffect = "exception-without-effect"
    /// An entry for a whole top-level domain.
    case wholeDomain = "whole-domain"
    /// Plain HTTP allowed for a local name.
    case localException = "local-exception"
    /// NSIncludesSubdomains covers one label.
    case subdomainsOneLabel = "subdomains-one-label"

    // MARK: Pins

    /// A pinned domain without pins.
    case nothingPinned = "nothing-pinned"
    /// Pins that block every connection.
    case emptyPins = "empty-pins"
    /// A pin without a digest.
    case pinWithoutDigest = "pin-without-digest"
    /// A pin that is no SHA-256 digest.
    case invalidPin = "invalid-pin"
    /// A pin that no key has.
    case placeholderPin = "placeholder-pin"
    /// The same pin twice.
    case duplicatePin = "duplicate-pin"
    /// A pin without a backup.
    case singlePin = "single-pin"
    /// Pins of the server's own keys alone.
    case leafOnlyPins = "leaf-only-pins"
    /// A pinned address.
    case pinnedAddress = "pinned-address"
    /// Pinned domains that are one.
    case mergedPinnedDomains = "merged-pinned-domains"
    /// NSIncludesSubdomains that does not count.
    case pinnedSubdomainsNotBoolean = "pinned-subdomains-not-boolean"
    /// Pins cover one label below.
    case pinnedSubdomainsOneLabel = "pinned-subdomains-one-label"
    /// Plain HTTP to a pinned host.
    case pinsBypassed = "pins-bypassed"
}
