//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// A rule of the linter. Its raw value is a stable identifier.
///
/// Each rule has a severity, a title and a help text. ``ATSLinter`` checks all of them.
public enum ATSRule: String, Sendable, Hashable, CaseIterable {
    // MARK: Spelling and types

    /// A key is misspelled. The finding names the key that was probably meant.
    case misspeltKey = "misspelt-key"
    /// A key has no meaning.
    case unknownKey = "unknown-key"
    /// A key has a meaning only at another level.
    case misplacedKey = "misplaced-key"
    /// A value has the wrong type and is ignored.
    case wrongType = "wrong-type"
    /// A value is a number instead of a Boolean.
    case numberForBoolean = "number-for-boolean"
    /// A key occurs twice.
    case duplicateKey = "duplicate-key"
    /// A key is obsolete and not read.
    case obsoleteKey = "obsolete-key"
    /// A value is the default, so that the key is not needed.
    case defaultValue = "default-value"

    // MARK: Global keys

    /// The target system does not read a key.
    case ignoredBySystem = "ignored-by-system"
    /// App Transport Security is off for all hosts without an exception.
    case arbitraryLoads = "arbitrary-loads"
    /// Another global key overrides NSAllowsArbitraryLoads.
    case ignoredArbitraryLoads = "ignored-arbitrary-loads"
    /// The App Store requires a justification for a key.
    case justificationRequired = "justification-required"

    // MARK: Values of exceptions

    /// The value is an unknown version of TLS.
    case invalidMinimumVersion = "invalid-minimum-version"
    /// The target system does not support a version of TLS.
    case refusedMinimumVersion = "refused-minimum-version"
    /// The value is an unknown NIAP package.
    case invalidPackage = "invalid-niap-package"

    // MARK: Names

    /// The name of an exception has upper-case letters, and hosts rarely match it.
    case upperCaseDomain = "domain-upper-case"
    /// A name has a port and matches no host.
    case domainWithPort = "domain-port"
    /// A name has a wildcard and matches no host.
    case wildcardDomain = "domain-wildcard"
    /// A name ends with a dot, and hosts rarely match it.
    case trailingDotDomain = "domain-trailing-dot"
    /// An entry has a URL instead of a name.
    case urlAsDomain = "domain-is-url"
    /// No host has this name.
    case invalidDomain = "invalid-domain"

    // MARK: Addresses

    /// A block of addresses cannot be parsed.
    case invalidAddressBlock = "address-block-invalid"
    /// A block is read as another one, because its length begins with a zero.
    case misreadAddressBlock = "address-block-misread"
    /// The documentation and the engine disagree about a block.
    case disputedAddressBlock = "address-block-disputed"
    /// A block contains every address.
    case everyAddress = "address-block-every-address"
    /// A block has address bits beyond its length.
    case addressBlockHostBits = "address-block-host-bits"
    /// Two entries are for the same block.
    case duplicateAddressBlock = "address-block-duplicate"
    /// An address is not in its usual spelling and matches no host.
    case addressSpelling = "address-spelling"
    /// NSIncludesSubdomains is set for an address.
    case subdomainsOfAddress = "subdomains-of-address"

    // MARK: Exceptions without effect

    /// An entry changes nothing.
    case exceptionWithoutEffect = "exception-without-effect"
    /// An entry is for a whole top-level domain.
    case wholeDomain = "whole-domain"
    /// Plain HTTP is allowed for a local name, which needs no exception.
    case localException = "local-exception"
    /// NSIncludesSubdomains covers only one label, as documented.
    case subdomainsOneLabel = "subdomains-one-label"

    // MARK: Pins

    /// A pinned domain has no pins.
    case nothingPinned = "nothing-pinned"
    /// An array of pins has no usable pin. Unless other entries add pins, every connection is refused.
    case emptyPins = "empty-pins"
    /// A pin has no digest.
    case pinWithoutDigest = "pin-without-digest"
    /// A pin is not a SHA-256 digest.
    case invalidPin = "invalid-pin"
    /// A pin is a placeholder that no key can match.
    case placeholderPin = "placeholder-pin"
    /// A pin occurs twice.
    case duplicatePin = "duplicate-pin"
    /// A domain has a single pin and no backup.
    case singlePin = "single-pin"
    /// Only the server's own keys are pinned, which change most often.
    case leafOnlyPins = "leaf-only-pins"
    /// The pinned domain is an address.
    case pinnedAddress = "pinned-address"
    /// The pins of several entries count together for one name.
    case mergedPinnedDomains = "merged-pinned-domains"
    /// NSIncludesSubdomains is not a Boolean and does not count.
    case pinnedSubdomainsNotBoolean = "pinned-subdomains-not-boolean"
    /// The pins cover only one label below the name.
    case pinnedSubdomainsOneLabel = "pinned-subdomains-one-label"
    /// Plain HTTP to a pinned host is allowed, which bypasses the pins.
    case pinsBypassed = "pins-bypassed"
}
