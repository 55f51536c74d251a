//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

extension ATSRule {
    /// The severity, which a finding may lower because of its place.
    public var severity: ATSFinding.Severity { self.row.severity }
    /// The subject of the rule in a few words.
    public var title: String { self.row.title }
    /// The importance of the rule in a few sentences.
    public var help: String { self.row.help }

    private typealias Row = (severity: ATSFinding.Severity, title: String, help: String)

    /// The only table of severities and texts.
    private var row: Row {
        switch self {
        case .misspeltKey:
            (
                .error, "A key that is misspelt",
                "Apple's systems pass over keys they do not know without a word, so that what was meant does not "
                    + "hold. The finding names the key that was probably meant."
            )
        case .unknownKey:
            (
                .warning, "A key that means nothing",
                "Apple's systems pass over keys they do not know without a word."
            )
        case .misplacedKey:
            (
                .error, "A key in the wrong place",
                "The key means something elsewhere in NSAppTransportSecurity, and nothing where it is."
            )
        case .wrongType:
            (
                .error, "A value of the wrong type",
                "Of another type, a value is as good as not there: <string>YES</string> is no boolean. In place of "
                    + "an array of pins, it pins to nothing."
            )
        case .numberForBoolean:
            (
                .warning, "A number in place of a boolean",
                "Apple's engine takes 1 for on, and every other number for off and there. Other readers of the file "
                    + "need not."
            )
        case .duplicateKey:
            (
                .warning, "A key that is there twice",
                "Of several, one counts, and which is not documented."
            )
        case .obsoleteKey:
            (
                .warning, "A key that is obsolete",
                "No engine of known source reads the names of iOS 9's betas, NSTemporaryException… and "
                    + "NSThirdPartyException…. And certificate transparency is always demanded, whatever "
                    + "NSRequiresCertificateTransparency says."
            )
        case .defaultValue:
            (
                .note, "A value that is the default",
                "The key can go. Without it, the same holds."
            )
        case .ignoredBySystem:
            (
                .warning, "A key that the target system does not read",
                "Global keys other than NSAllowsArbitraryLoads are read since iOS 10, NSPinnedDomains since iOS 14, "
                    + "exceptions for addresses since iOS 17, and NIAP's keys since iOS 26.4. The same goes for the "
                    + "releases of other systems that came out with them."
            )
        case .arbitraryLoads:
            (
                .warning, "App Transport Security is off",
                "With NSAllowsArbitraryLoads in force, plain HTTP and old TLS are allowed to every host without an "
                    + "entry in NSExceptionDomains."
            )
        case .ignoredArbitraryLoads:
            (
                .warning, "NSAllowsArbitraryLoads is out of force",
                "Since iOS 10, one of the keys NSAllowsLocalNetworking, NSAllowsArbitraryLoadsInWebContent and "
                    + "NSAllowsArbitraryLoadsForMedia takes it out of force, whatever its own value. To keep it is right "
                    + "only for apps that still run on iOS 9."
            )
        case .justificationRequired:
            (
                .note, "The App Store asks for a justification",
                "For some exceptions, the developer has to explain with the submission why the app cannot connect "
                    + "securely, and it may be reviewed further for them. See "
                    + "https://developer.apple.com/documentation/security/preventing-insecure-network-connections, "
                    + "“Provide Justification for Exceptions”."
            )
        case .invalidMinimumVersion:
            (
                .error, "An unknown version of TLS",
                "Text other than TLSv1.0, TLSv1.1, TLSv1.2 and TLSv1.3, letter by letter, leaves the default of TLS "
                    + "1.2 in force. Apple's engine reads DTLSv1.0 and DTLSv1.2 too, which no load over TLS can meet."
            )
        case .refusedMinimumVersion:
            (
                .warning, "A version of TLS that the target system refuses",
                "Since iOS 26, nothing below TLS 1.2 is spoken, whatever an exception says."
            )
        case .invalidPackage:
            (
                .error, "An unknown package of NIAP",
                "The packages are none, FCP_v2.1 and recommended, letter by letter."
            )
        case .upperCaseDomain:
            (
                .error, "A name with upper-case letters",
                "The names of exceptions are compared with the host letter by letter, and hosts are usually written in "
                    + "lower case. NSPinnedDomains takes either."
            )
        case .domainWithPort:
            (
                .error, "A name with a port",
                "Exceptions and pins are for all ports of a host, and a name with a port is never found."
            )
        case .wildcardDomain:
            (
                .error, "A name with a wildcard",
                "No pattern is read. NSIncludesSubdomains makes an entry be for the names below too."
            )
        case .trailingDotDomain:
            (
                .error, "A name with a dot at its end",
                "Names are compared as text, and hosts are usually written without the dot."
            )
        case .urlAsDomain:
            (
                .error, "A URL in place of a name",
                "Hosts are compared with names, never with URLs. And whatever has a slash is taken for a block of "
                    + "addresses."
            )
        case .invalidDomain:
            (
                .error, "A name that no host has",
                "The name has blanks, a dot in front, letters beyond ASCII that belong in Punycode, or otherwise "
                    + "breaks the rules of host names, and is never found."
            )
        case .invalidAddressBlock:
            (
                .error, "A block of addresses that is not understood",
                "An entry that cannot be read as a block in CIDR notation is never found."
            )
        case .misreadAddressBlock:
            (
                .error, "A block that is read as another",
                "Apple's engine takes a length with a zero in front for an octal number: /010 is 8 bits, and /08 is "
                    + "read as /0, which is every address."
            )
        case .disputedAddressBlock:
            (
                .warning, "A block that not every reader understands",
                "The documentation has whole addresses and decimal lengths. The engine takes less, and refuses some "
                    + "of what is documented."
            )
        case .everyAddress:
            (
                .warning, "A block with every address",
                "A length of 0 leaves nothing to compare."
            )
        case .addressBlockHostBits:
            (
                .note, "A block with bits beyond its length",
                "They are passed over, so that the block is larger than it looks."
            )
        case .duplicateAddressBlock:
            (
                .warning, "The same block twice",
                "Of two entries for the same addresses one counts, and which is not defined. Here, the strictest "
                    + "say holds."
            )
        case .addressSpelling:
            (
                .error, "An address in another spelling",
                "Apple's engine compares an address that is not a block as text, so that only its usual spelling is "
                    + "ever found."
            )
        case .subdomainsOfAddress:
            (
                .note, "NSIncludesSubdomains of an address",
                "Addresses have no names below them."
            )
        case .exceptionWithoutEffect:
            (
                .note, "An entry that changes nothing",
                "The same holds for the name and for those below it without the entry."
            )
        case .wholeDomain:
            (
                .warning, "An entry for a whole top-level domain",
                "With NSIncludesSubdomains, an entry for a name without a dot is for every host that ends with it."
            )
        case .localException:
            (
                .warning, "Plain HTTP allowed for a local name",
                "Local names need no TLS since iOS 10, unless NSAllowsLocalNetworking is false. The entry allows "
                    + "nothing more, holds https to the rules, and has to be justified."
            )
        case .subdomainsOneLabel:
            (
                .note, "NSIncludesSubdomains covers one label",
                "As documented, an entry for example.com is for a.example.com, and not for b.a.example.com. Apple's "
                    + "engine goes to any depth."
            )
        case .nothingPinned:
            (
                .error, "A pinned domain without pins",
                "Without NSPinnedCAIdentities and NSPinnedLeafIdentities, an entry of NSPinnedDomains pins nothing."
            )
        case .emptyPins:
            (
                .error, "Pins that block every connection",
                "An identity key that is there and has no pin is met by no chain."
            )
        case .pinWithoutDigest:
            (
                .error, "A pin without a digest",
                "A pin without SPKI-SHA256-BASE64 is passed over."
            )
        case .invalidPin:
            (
                .error, "A pin that is no SHA-256 digest",
                "A pin must be the Base64 of 32 octets. Apple's decoder skips characters it does not know and drops "
                    + "an incomplete end. The rest counts as a pin, and no key has it."
            )
        case .placeholderPin:
            (
                .warning, "A pin that no key has",
                "The digest stands for a pin to come, or is that of no octets at all, which a failed pipeline prints."
            )
        case .duplicatePin:
            (
                .note, "The same pin twice",
                "It counts once, and is no backup."
            )
        case .singlePin:
            (
                .warning, "A pin without a backup",
                "When the key is lost or replaced, every copy of the app that is out there is locked out."
            )
        case .leafOnlyPins:
            (
                .warning, "Pins of the server's own keys alone",
                "They change the most often: a renewal with a new key locks the app out."
            )
        case .pinnedAddress:
            (
                .warning, "A pinned address",
                "Pins are looked up by the text of the host. The documentation knows of names only. Blocks of "
                    + "addresses are never found."
            )
        case .mergedPinnedDomains:
            (
                .warning, "Pinned domains that are one",
                "Names are compared whatever their case, and the pins of all entries that match count together."
            )
        case .pinnedSubdomainsNotBoolean:
            (
                .error, "NSIncludesSubdomains that does not count",
                "For pins it must be a boolean. A number or a text leaves the names below without pins."
            )
        case .pinnedSubdomainsOneLabel:
            (
                .note, "Pins cover one label below",
                "For pins, NSIncludesSubdomains goes one label down, in the documentation and in the engine."
            )
        case .pinsBypassed:
            (
                .warning, "Plain HTTP to a pinned host",
                "Over plain HTTP there is no key to compare, and nothing is pinned."
            )
        }
    }
}
