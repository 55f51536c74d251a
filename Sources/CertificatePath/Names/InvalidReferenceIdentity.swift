//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// The error for a host that is neither a DNS name nor an IP address, or for text that is not a mail address.
///
/// ``ReferenceIdentity/init(host:)`` throws it. The description says how to correct the text.
public struct InvalidReferenceIdentity: Error, Sendable, Hashable {
    /// The error in the text.
    public let reason: Reason
    /// The text in printable form, shortened if it is long.
    public let host: String

    package init(_ reason: Reason, host: String) {
        self.reason = reason
        self.host = PrintableText.text(of: host)
    }

    /// The errors in the text of a reference identity.
    public enum Reason: Sendable, Hashable {
        /// The text is empty or a single dot.
        case empty
        /// The text has more than 255 octets.
        case tooLong
        /// The text begins with a dot.
        case leadingDot
        /// The text has two dots in a row, or ends with two.
        case emptyLabel
        /// A label has more than 63 octets.
        case labelTooLong
        /// A label begins or ends with a hyphen.
        case hyphenAtLabelEnd
        /// The text has a character outside ASCII.
        case notASCII
        /// The text has an octet that no host name has: a space, a NUL, the colon of a port, the slash of a URL.
        case forbiddenCharacter(UInt8)
        /// The text has an asterisk, which is allowed only in certificates.
        case wildcard
        /// The text is an IPv6 address with a zone identifier.
        case zoneIdentifier
        /// The text ends with a number and is not an IPv4 address of four decimal octets.
        case notAnIPAddress
        /// The last label has no letter, as in `a.1_2`.
        case numericLastLabel
        /// A mail address lacks its local part, its `@` or its host.
        case notAMailbox
    }
}

extension InvalidReferenceIdentity: CustomStringConvertible {
    /// The text with its error and the correction.
    public var description: String { "\"\(self.host)\" cannot be looked for: \(self.explanation)" }

    /// The error and the correction, without the text.
    package var explanation: String {
        switch self.reason {
        case .empty: "it is empty. Write a DNS name or an IP address"
        case .tooLong: "it has more than 255 characters, and no DNS name does"
        case .leadingDot: "it begins with a dot. Write the name without it"
        case .emptyLabel: "it has two dots with nothing between them. Write one"
        case .labelTooLong: "one of its labels has more than 63 characters, and no DNS label does"
        case .hyphenAtLabelEnd: "one of its labels begins or ends with a hyphen. Write the label without it"
        case .notASCII: "it has a character outside ASCII. Write its A-label form, which begins with xn--"
        case .wildcard: "it has an asterisk, which only certificates may have. Write the one host to reach"
        case .zoneIdentifier: "it has a zone identifier, which no certificate names. Write the address without '%…'"
        case .notAnIPAddress:
            "it ends in a number and is not an IPv4 address. Write four decimal numbers from 0 to 255, as in 192.0.2.1"
        case .numericLastLabel: "its last label has no letter. Write a DNS name or an IP address"
        case .notAMailbox: "it is not a mail address. Write a local part, an '@' and a host"
        case .forbiddenCharacter(let octet): Self.explanation(of: octet)
        }
    }

    private static func explanation(of octet: UInt8) -> String {
        switch octet {
        case UInt8(ascii: ":"): "it has a colon but is not an IPv6 address. Write the host without scheme and port"
        case UInt8(ascii: "/"), UInt8(ascii: "?"), UInt8(ascii: "#"): "it looks like a URL. Write only its host"
        case UInt8(ascii: "@"): "it has an '@'. Write only the host after it"
        case 0x00: "it has a NUL. Write the name without it"
        default: "it has a character no host name has (0x\(String(octet, radix: 16))). Write the name without it"
        }
    }
}
