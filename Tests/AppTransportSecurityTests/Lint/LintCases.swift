//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import AppTransportSecurity

private let insecure = "<key>NSExceptionAllowsInsecureHTTPLoads</key><true/>"
private let subdomains = "<key>NSIncludesSubdomains</key><true/>"

private func minimum(_ version: String) -> String {
    "§<key>NSExceptionMinimumTLSVersion</key><string>\(version)</string>"
}

/// What every rule finds, and what is near to it and not found.
let lintCases: [LintCase] = writingCases + globalCases + valueCases + nameCases + addressCases + effectCases + pinCases

private let writingCases: [LintCase] = [
    // Seen in the wild, all of them.
    LintCase(
        .misspeltKey, "\n§<key>NSAllowsArbitraryLoads </key><false/>",
        silent: "<key>NSAllowsArbitraryLoads</key><false/>"),
    LintCase(
        .misspeltKey, unmarkedException("§<key>NSExceptionMinimumTLSVerion</key><string>TLSv1.3</string>"),
        silent: unmarkedException("<key>NSExceptionMinimumTLSVersion</key><string>TLSv1.3</string>")),
    LintCase(
        .misspeltKey, unmarkedException("§<key>NSTemporaryExceptionAllowsInsecureHTTPSLoads</key><true/>"),
        silent: unmarkedException("<key>NSTemporaryExceptionAllowsInsecureHTTPLoads</key><true/>")),
    LintCase(
        .misspeltKey, unmarkedException("§<key>NSAllowsInsecureHTTPLoads</key><true/>"),
        silent: unmarkedException(insecure)),
    LintCase(.misspeltKey, "§<key>Allow Arbitrary Loads</key><true/>", silent: "<key>Allow Anything</key><true/>"),
    LintCase(.misspeltKey, "§<key>NSExceptionDomain</key><dict/>", silent: "<key>NSExceptionDomains</key><dict/>"),
    LintCase(
        .misspeltKey, "§<key>NSAppTransportSecurty</key><dict/>",
        silent: "<key>NSAppTransportSecurity</key><dict/>", isAtRoot: true),
    LintCase(
        .misspeltKey, "§<key>App Transport Security Settings</key><dict/>",
        silent: "<key>App Settings</key><dict/>", isAtRoot: true),
    LintCase(
        .unknownKey, "§<key>Comment</key><string>none</string>", silent: "<key>NSPinnedDomains</key><dict/>"),
    LintCase(
        .misplacedKey, "§<key>NSIncludesSubdomains</key><true/>", silent: unmarkedException(subdomains)),
    LintCase(
        .misplacedKey, "§<key>NSAllowsArbitraryLoads</key><true/><key>NSAppTransportSecurity</key><dict/>",
        silent: "<key>NSAllowsEverything</key><true/><key>NSAppTransportSecurity</key><dict/>", isAtRoot: true),
    LintCase(
        .misplacedKey,
        "<key>NSExceptionDomains</key><dict><key>NSExceptionAllowsInsecureHTTPLoads</key>§<true/></dict>",
        silent: unmarkedException(insecure)),
    LintCase(
        .misplacedKey, "<key>NSExceptionDomains</key><dict>§<key>NSPinnedDomains</key><dict/></dict>",
        silent: "<key>NSPinnedDomains</key><dict/>"),
    LintCase(
        .wrongType, "<key>NSExceptionDomains</key><dict><key>example.com</key>§<true/></dict>",
        silent: unmarkedException(insecure)),
    LintCase(
        .wrongType, "<key>NSAllowsArbitraryLoads</key>\n§<string>YES</string>",
        silent: "<key>NSAllowsArbitraryLoads</key><true/>"),
    LintCase(
        .wrongType, pinned("<key>NSPinnedCAIdentities</key>§<string>\(Digest.one)</string>"),
        silent: pinned(authorities(Digest.one))),
    LintCase(
        .numberForBoolean, "<key>NSAllowsLocalNetworking</key>§<integer>1</integer>",
        silent: "<key>NSAllowsLocalNetworking</key><true/>"),
    LintCase(
        .duplicateKey, "<key>NSAllowsLocalNetworking</key><true/>§<key>NSAllowsLocalNetworking</key><false/>",
        silent: "<key>NSAllowsLocalNetworking</key><true/>"),
    LintCase(
        .obsoleteKey, unmarkedException("§<key>NSThirdPartyExceptionMinimumTLSVersion</key><string>TLSv1.0</string>"),
        silent: unmarkedException("<key>NSExceptionMinimumTLSVersion</key><string>TLSv1.0</string>")),
    LintCase(
        .obsoleteKey, unmarkedException("§<key>NSRequiresCertificateTransparency</key><true/>"),
        silent: unmarkedException("<key>NSExceptionRequiresForwardSecrecy</key><false/>")),
    LintCase(
        .defaultValue, unmarkedException("§<key>NSExceptionRequiresForwardSecrecy</key><true/>"),
        silent: unmarkedException("<key>NSExceptionRequiresForwardSecrecy</key><false/>")),
    LintCase(
        .defaultValue, "§<key>NSAllowsArbitraryLoadsForMedia</key><false/>",
        silent: "<key>NSAllowsArbitraryLoads</key><true/><key>NSAllowsArbitraryLoadsForMedia</key><false/>"),
]

private let globalCases: [LintCase] = [
    LintCase(
        .ignoredBySystem, "§<key>NSAllowsLocalNetworking</key><true/>",
        silent: "<key>NSAllowsArbitraryLoads</key><true/>", system: ATSSystem(.iOS, 9)),
    LintCase(
        .ignoredBySystem, exception(insecure, "10.0.0.1"), silent: exception(insecure), system: ATSSystem(.iOS, 16)),
    LintCase(
        .ignoredBySystem, "§<key>NSRequiresNIAPTLSPackageVersion</key><string>FCP_v2.1</string>",
        silent: exception(insecure, "10.0.0.1"), system: ATSSystem(.iOS, 26, minor: 3)),
    LintCase(
        .ignoredBySystem, pinned(authorities(Digest.one, Digest.two)).replacing("<key>example", with: "§<key>example"),
        silent: exception(""), system: ATSSystem(.macOS, 10, minor: 15)),
    LintCase(
        .arbitraryLoads, "§<key>NSAllowsArbitraryLoads</key><true/>",
        silent: "<key>NSAllowsArbitraryLoads</key><true/><key>NSAllowsLocalNetworking</key><true/>"),
    LintCase(
        .ignoredArbitraryLoads,
        "§<key>NSAllowsArbitraryLoads</key><true/><key>NSAllowsArbitraryLoadsInWebContent</key><false/>",
        silent: "<key>NSAllowsArbitraryLoads</key><false/><key>NSAllowsArbitraryLoadsInWebContent</key><false/>"),
    LintCase(
        .ignoredArbitraryLoads,
        "§<key>NSAllowsArbitraryLoads</key><true/><key>NSAllowsLocalNetworking</key><true/>",
        silent: "<key>NSAllowsArbitraryLoads</key><true/><key>NSAllowsLocalNetworking</key><false/>",
        strictness: .documentation),
    LintCase(
        .justificationRequired, "§<key>NSAllowsArbitraryLoadsInWebContent</key><true/>",
        silent: "<key>NSAllowsLocalNetworking</key><true/>"),
    LintCase(
        .justificationRequired, unmarkedException("§" + insecure),
        silent: unmarkedException("<key>NSExceptionRequiresForwardSecrecy</key><false/>")),
    LintCase(
        .justificationRequired, unmarkedException(minimum("TLSv1.1")), silent: unmarkedException(minimum("TLSv1.3"))),
]

private let valueCases: [LintCase] = [
    LintCase(
        .invalidMinimumVersion, unmarkedException(minimum("1.0")), silent: unmarkedException(minimum("TLSv1.0"))),
    LintCase(
        .invalidMinimumVersion, unmarkedException(minimum("DTLSv1.2")), silent: unmarkedException(minimum("TLSv1.2"))),
    LintCase(
        .refusedMinimumVersion, unmarkedException(minimum("TLSv1.1")), silent: unmarkedException(minimum("TLSv1.2")),
        system: ATSSystem(.macOS, 26)),
    LintCase(
        .invalidPackage,
        unmarkedException("§<key>NSExceptionRequiresNIAPTLSPackageVersion</key><string>fcp_v2.1</string>"),
        silent: unmarkedException("<key>NSExceptionRequiresNIAPTLSPackageVersion</key><string>recommended</string>")),
]

private let nameCases: [LintCase] = [
    LintCase(.upperCaseDomain, exception(insecure, "Example.com"), silent: exception(insecure, "example.com")),
    LintCase(.domainWithPort, exception(insecure, "example.com:8443"), silent: exception(insecure, "2001:db8::8443")),
    LintCase(.wildcardDomain, exception(insecure, "*.example.com"), silent: exception(insecure, "example.com")),
    LintCase(.trailingDotDomain, exception(insecure, "example.com."), silent: exception(insecure, "example.com")),
    LintCase(.urlAsDomain, exception(insecure, "https://example.com"), silent: exception(insecure, "10.0.0.0/8")),
    LintCase(.urlAsDomain, exception(insecure, "example.com/path"), silent: exception(insecure, "fd00::/8")),
    LintCase(
        .invalidDomain, exception(insecure, "bücher.example"), silent: exception(insecure, "xn--bcher-kva.example")),
    LintCase(.invalidDomain, exception(insecure, ".example.com"), silent: exception(insecure, "my_host.example.com")),
    LintCase(.invalidDomain, exception(insecure, "192.168.1.256"), silent: exception(insecure, "192.168.1.255")),
    LintCase(.invalidDomain, exception(insecure, "example.com "), silent: exception(insecure, "localhost")),
]

private let addressCases: [LintCase] = [
    LintCase(
        .invalidAddressBlock, exception(insecure, "192.168.100.64/26"), silent: exception(insecure, "192.168.10.64/26")),
    LintCase(
        .invalidAddressBlock, exception(insecure, "2001:db8:1111:2222:3333:4444:5555:6666/64"),
        silent: exception(insecure, "2001:db8:1111:2222::/64")),
    LintCase(
        .invalidAddressBlock, exception(insecure, "10.0.0.0/255.0.0.0"), silent: exception(insecure, "10.0.0.0/8")),
    LintCase(
        .invalidAddressBlock, exception(insecure, "10/8"), silent: exception(insecure, "192.168.100.0/24"),
        strictness: .documentation),
    LintCase(
        .invalidAddressBlock, exception(insecure, "::ffff:10.0.0.0/104"),
        silent: exception(insecure, "64:ff9b::/96")),
    LintCase(.misreadAddressBlock, exception(insecure, "10.0.0.0/08"), silent: exception(insecure, "10.0.0.0/8")),
    LintCase(.misreadAddressBlock, exception(insecure, "10.0.0.0/010"), silent: exception(insecure, "10.0.0.0/10")),
    LintCase(.disputedAddressBlock, exception(insecure, "10/8"), silent: exception(insecure, "10.0.0.0/8")),
    LintCase(
        .disputedAddressBlock, exception(insecure, "192.168.100.64/26"),
        silent: exception(insecure, "192.168.10.64/26"),
        strictness: .documentation),
    LintCase(.everyAddress, exception(insecure, "0.0.0.0/0"), silent: exception(insecure, "128.0.0.0/1")),
    LintCase(.addressBlockHostBits, exception(insecure, "10.1.2.3/8"), silent: exception(insecure, "10.1.2.3/32")),
    LintCase(
        .duplicateAddressBlock,
        "<key>NSExceptionDomains</key><dict><key>10.0.0.0/8</key><dict/>\n§<key>10.1.0.0/8</key><dict/></dict>",
        silent: "<key>NSExceptionDomains</key><dict><key>10.0.0.0/8</key><dict/><key>10.1.0.0/16</key><dict/></dict>"),
    LintCase(.addressSpelling, exception(insecure, "2001:DB8::1"), silent: exception(insecure, "2001:db8::1")),
    LintCase(.addressSpelling, exception(insecure, "[2001:db8::1]"), silent: exception(insecure, "192.0.2.1")),
    LintCase(
        .subdomainsOfAddress, unmarkedException(insecure + "§" + subdomains, "10.0.0.0/8"),
        silent: unmarkedException(insecure + subdomains)),
]

private let effectCases: [LintCase] = [
    LintCase(
        .exceptionWithoutEffect, exception(""), silent: "<key>NSAllowsArbitraryLoads</key><true/>" + exception("")),
    LintCase(
        .exceptionWithoutEffect, exception(subdomains),
        silent: "<key>NSAllowsArbitraryLoadsInWebContent</key><true/>" + exception(subdomains)),
    LintCase(.exceptionWithoutEffect, exception("", "192.0.2.1"), silent: exception("", "localhost")),
    LintCase(
        .exceptionWithoutEffect,
        exception("\(insecure)<key>NSExceptionRequiresForwardSecrecy</key><false/>\(subdomains)", "sub.apple.com"),
        silent: exception("", "apple.com")),
    LintCase(
        .exceptionWithoutEffect,
        "<key>NSExceptionDomains</key><dict><key>example.com</key><dict>\(insecure)\(subdomains)</dict>"
            + "\n§<key>www.example.com</key><dict>\(insecure)</dict></dict>",
        silent: "<key>NSExceptionDomains</key><dict><key>example.com</key><dict>\(insecure)\(subdomains)</dict>"
            + "<key>www.example.com</key><dict/></dict>"),
    LintCase(
        .wholeDomain, exception(insecure + subdomains, "com"), silent: exception(insecure + subdomains, "example.com")),
    LintCase(
        .wholeDomain, exception(insecure + subdomains, "com"), silent: exception(insecure + subdomains, "localhost")),
    LintCase(.localException, exception(insecure, "printer.local"), silent: exception(insecure, "printer.example.com")),
    LintCase(
        .localException, exception(insecure, "localhost"),
        silent: "<key>NSAllowsLocalNetworking</key><false/>" + exception(insecure, "localhost")),
    LintCase(
        .subdomainsOneLabel, unmarkedException(insecure + "§" + subdomains), silent: unmarkedException(insecure),
        strictness: .documentation),
]

private let pinCases: [LintCase] = [
    LintCase(
        .nothingPinned, pinned("").replacing("<key>example", with: "§<key>example"),
        silent: pinned(authorities(Digest.one))),
    LintCase(.emptyPins, pinned(authorities(mark: "§")), silent: pinned(authorities(Digest.one))),
    LintCase(
        .emptyPins, pinned(authorities(Digest.one) + leaves(Digest.none, mark: "§")),
        silent: pinned(authorities(Digest.one) + leaves(Digest.two))),
    LintCase(
        .pinWithoutDigest, pinned("<key>NSPinnedCAIdentities</key><array>§<dict/></array>"),
        silent: pinned(authorities(Digest.one))),
    LintCase(
        .invalidPin, pinned(authorities(Digest.hexadecimal, pinMark: "§")), silent: pinned(authorities(Digest.one))),
    LintCase(
        .invalidPin, pinned(authorities(String(Digest.one.dropLast()), pinMark: "§")),
        silent: pinned(authorities(Digest.one))),
    LintCase(
        .invalidPin, pinned(authorities("sha256/" + Digest.two, pinMark: "§")),
        silent: pinned(authorities(Digest.two))),
    LintCase(
        .invalidPin, pinned(authorities(Digest.one + Digest.two, pinMark: "§")),
        silent: pinned(authorities("\n  " + Digest.one + "\n"))),
    LintCase(
        .placeholderPin, pinned(authorities(Digest.none, pinMark: "§")), silent: pinned(authorities(Digest.one))),
    LintCase(
        .placeholderPin, pinned(authorities("47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=", pinMark: "§")),
        silent: pinned(authorities(Digest.two))),
    LintCase(
        .duplicatePin,
        pinned(authorities(Digest.one, Digest.one)).replacing(
            "</dict>\n<dict><key>SPKI", with: "</dict>\n<dict>§<key>SPKI"),
        silent: pinned(authorities(Digest.one, Digest.two))),
    LintCase(
        .singlePin, pinned(authorities(Digest.one, mark: "§")), silent: pinned(authorities(Digest.one, Digest.two))),
    LintCase(
        .leafOnlyPins, pinned(leaves(Digest.one, Digest.two, mark: "§")),
        silent: pinned(leaves(Digest.one, Digest.two) + authorities(Digest.one, Digest.two))),
    LintCase(
        .pinnedAddress, pinned(authorities(Digest.one), "192.0.2.1").replacing("<key>192", with: "§<key>192"),
        silent: pinned(authorities(Digest.one))),
    LintCase(
        .pinnedAddress, pinned(authorities(Digest.one), "10.0.0.0/8").replacing("<key>10", with: "§<key>10"),
        silent: pinned(authorities(Digest.one))),
    LintCase(
        .wildcardDomain, pinned(authorities(Digest.one), "*.example.com").replacing("<key>*", with: "§<key>*"),
        silent: pinned(authorities(Digest.one))),
    LintCase(
        .domainWithPort, pinned(authorities(Digest.one), "example.com:443").replacing("<key>ex", with: "§<key>ex"),
        silent: pinned(authorities(Digest.one), "Example.COM")),
    LintCase(
        .mergedPinnedDomains,
        "<key>NSPinnedDomains</key><dict><key>example.com</key><dict>\(authorities(Digest.one))</dict>"
            + "\n§<key>EXAMPLE.com</key><dict>\(authorities(Digest.two))</dict></dict>",
        silent: "<key>NSPinnedDomains</key><dict><key>example.com</key><dict>\(authorities(Digest.one))</dict>"
            + "<key>example.org</key><dict>\(authorities(Digest.two))</dict></dict>"),
    LintCase(
        .pinnedSubdomainsNotBoolean,
        pinned("§<key>NSIncludesSubdomains</key><integer>1</integer>" + authorities(Digest.one)),
        silent: pinned(subdomains + authorities(Digest.one))),
    LintCase(
        .pinnedSubdomainsOneLabel, pinned("§" + subdomains + authorities(Digest.one)),
        silent: pinned("<key>NSIncludesSubdomains</key><false/>" + authorities(Digest.one))),
    LintCase(
        .pinsBypassed,
        exception(insecure).replacing("§", with: "")
            + pinned(authorities(Digest.one)).replacing("<key>example", with: "§<key>example"),
        silent: exception("") + pinned(authorities(Digest.one))),
    LintCase(
        .pinsBypassed,
        "<key>NSAllowsArbitraryLoads</key><true/>"
            + pinned(authorities(Digest.one)).replacing("<key>example", with: "§<key>example"),
        silent: "<key>NSAllowsArbitraryLoads</key><true/>" + exception("") + pinned(authorities(Digest.one))),
]
