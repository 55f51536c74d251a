//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// A name in a certificate that matches no host, or comes close to the host that was sought and does not match it.
public struct UncountedName: Sendable, Hashable {
    /// The name as the certificate has it; the octets of an address of an impossible size in hexadecimal.
    public let text: String
    /// The rule that it falls short of.
    public let reason: Reason

    /// The rules of names.
    public enum Reason: Sendable, Hashable {
        /// The asterisk is a part of a label (`w*.example.com`).
        case partOfLabel
        /// An asterisk is not in the left-most label (`www.*.com`).
        case notInLeftmostLabel
        /// The wildcard has fewer than three labels (`*.com`).
        case tooFewLabels
        /// The wildcard is directly below a public suffix (`*.co.uk`).
        case publicSuffix
        /// The asterisk would have to stand for no label, or for more than one.
        case standsForOneLabel
        /// The name ends with a dot.
        case finalDot
        /// The name is a URL.
        case url
        /// A port stands behind the name.
        case port
        /// The name has a blank or a control character.
        case blank
        /// The name has letters beyond ASCII.
        case notASCII
        /// The DNS name is the text of an IP address.
        case address
        /// The name is of no form that a host has.
        case malformed
        /// The DNS name is not UTF-8. Apple's engine then reads no DNS name of the certificate.
        case notUTF8
        /// The IP address has another number of octets than 4 or 16. Apple's engine then reads no address of the certificate.
        case addressSize(Int)

        /// True if the name makes the other names of its kind void.
        public var voidsOthers: Bool {
            switch self {
            case .notUTF8, .addressSize: true
            default: false
            }
        }

        /// True if the name matches no host at all.
        public var matchesNoHost: Bool { self != .standsForOneLabel }
    }
}

extension UncountedName: CustomStringConvertible {
    /// The name and the rule.
    public var description: String { "\(self.quotedText) (\(self.reason))" }

    /// A comma in a name is written `\,` and a backslash `\\`, so that it does not look like two. A blank shows in quotes.
    package var quotedText: String {
        let parts = self.text.split(separator: "\\", omittingEmptySubsequences: false).joined(separator: "\\\\")
        let text = parts.split(separator: ",", omittingEmptySubsequences: false).joined(separator: "\\,")
        return text.contains(" ") ? "“\(text)”" : text
    }
}

extension UncountedName.Reason: CustomStringConvertible {
    /// The rule, in a few words.
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
    /// The names of a certificate that match no host, the first ones.
    package static func names(of certificate: CertificateView, publicSuffixes: PublicSuffixList?) -> [UncountedName] {
        PresentedIdentities(certificate, sought: .nothing, publicSuffixes: publicSuffixes).uncountedNames
    }
}
