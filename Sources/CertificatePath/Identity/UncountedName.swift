//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// A name in a certificate that matches no host, or that is similar to the sought host without matching it.
///
/// A report shows it with its reason, because it is often a mistake in the request for the certificate.
public struct UncountedName: Sendable, Hashable {
    /// The name in the certificate. An address of an impossible size is in hexadecimal.
    public let text: String
    /// The rule that the name breaks.
    public let reason: Reason

    /// The rules for names.
    public enum Reason: Sendable, Hashable {
        /// The asterisk is a part of a label (`w*.example.com`).
        case partOfLabel
        /// An asterisk is not in the left-most label (`www.*.com`).
        case notInLeftmostLabel
        /// The wildcard has fewer than three labels (`*.com`).
        case tooFewLabels
        /// The wildcard is directly below a public suffix (`*.co.uk`).
        case publicSuffix
        /// The asterisk would have to match no label, or more than one.
        case standsForOneLabel
        /// The name ends with a dot.
        case finalDot
        /// The name is a URL.
        case url
        /// The name is followed by a port.
        case port
        /// The name has a blank or a control character.
        case blank
        /// The name has letters beyond ASCII.
        case notASCII
        /// The DNS name is the text of an IP address.
        case address
        /// The name has another syntax error.
        case malformed
        /// The DNS name is not UTF-8. Apple's engine then ignores all DNS names of the certificate.
        case notUTF8
        /// The IP address does not have 4 or 16 octets. Apple's engine then ignores all addresses of the certificate.
        case addressSize(Int)

        /// `true` if the name voids the other names of its kind.
        public var voidsOthers: Bool {
            switch self {
            case .notUTF8, .addressSize: true
            default: false
            }
        }

        /// `true` if the name matches no host at all.
        public var matchesNoHost: Bool { self != .standsForOneLabel }
    }
}

extension UncountedName: CustomStringConvertible {
    /// The name and the rule that it breaks.
    public var description: String { "\(self.quotedText) (\(self.reason))" }

    /// The name with `\,` for a comma and `\\` for a backslash, so that a comma does not look like two names. A name
    /// with a space is in quotes.
    package var quotedText: String {
        let parts = self.text.split(separator: "\\", omittingEmptySubsequences: false).joined(separator: "\\\\")
        let text = parts.split(separator: ",", omittingEmptySubsequences: false).joined(separator: "\\,")
        return text.contains(" ") ? "“\(text)”" : text
    }
}

extension UncountedName.Reason: CustomStringConvertible {
    /// The rule in a few words.
    public var description: String {
        switch self {
        case .partOfLabel: "the asterisk must be a whole label"
        case .notInLeftmostLabel: "the asterisk must be the left-most label, and the only one"
        case .tooFewLabels: "a wildcard needs at least three labels"
        case .publicSuffix: "names directly below this domain belong to unrelated owners"
        case .standsForOneLabel: "the asterisk stands for exactly one label"
        case .finalDot: "no name in a certificate ends with a dot"
        case .url: "a URL, where the name alone belongs"
        case .port: "with a port, where the name alone belongs"
        case .blank: "a blank, which no host has"
        case .notASCII: "letters beyond ASCII: a certificate has the form that begins with xn--"
        case .address: "as a DNS name, where an address does not count"
        case .malformed: "no form that a DNS name has"
        case .notUTF8: "not UTF-8, which voids every DNS name of the certificate"
        case .addressSize(let octets): "an address of \(octets) octets, which voids every IP address of the certificate"
        }
    }
}

extension UncountedName {
    /// Returns the first names of a certificate that match no host.
    package static func names(of certificate: CertificateView, publicSuffixes: PublicSuffixList?) -> [UncountedName] {
        PresentedIdentities(certificate, sought: .nothing, publicSuffixes: publicSuffixes).uncountedNames
    }
}
