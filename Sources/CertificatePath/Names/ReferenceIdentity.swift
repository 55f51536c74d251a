//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// The name of the server or person that the client means to reach (RFC 9525 §6.1).
///
/// An evaluation compares it with the names in the certificate. ``init(host:)`` reads it from the host of a URL:
///
/// ```swift
/// let reference = try ReferenceIdentity(host: "example.com")
/// ```
public enum ReferenceIdentity: Sendable, Hashable {
    /// A DNS name in ASCII and lower case, without a dot at the end. Internationalized labels are A-labels (`xn--…`).
    case dnsName(String)
    /// An IP address.
    case ipAddress(IPAddress)
    /// An electronic mail address, for certificates of people.
    case rfc822Name(String)

    /// Reads a host as the user typed it: an IP address or a DNS name.
    ///
    /// One dot at the end is dropped, as Apple does. Other text is an error here.
    /// ``ServerIdentity/init(host:publicSuffixes:)`` cannot throw and turns it into an identity that matches no
    /// certificate.
    ///
    /// - Parameter host: `example.com`, `192.0.2.1`, `2001:db8::1` or `[2001:db8::1]`, without scheme and port.
    /// - Throws: ``InvalidReferenceIdentity`` with the correction.
    public init(host: String) throws(InvalidReferenceIdentity) {
        var name = Array(host.utf8)
        if let address = IPAddress(octetsOfText: name) {
            self = .ipAddress(address)
            return
        }
        if IPAddress.hasZoneIdentifier(octetsOfText: name) {
            throw InvalidReferenceIdentity(.zoneIdentifier, host: host)
        }
        if name.last == UInt8(ascii: ".") { name.removeLast() }
        let shape = DomainName(ByteRange(0, name.count), in: name.span)
        if let reason = Self.problem(with: name, of: shape) { throw InvalidReferenceIdentity(reason, host: host) }
        for index in name.indices { name[index] = name[index].foldedASCII }
        self = .dnsName(String(decoding: name, as: UTF8.self))
    }

    /// Returns the error in a name without its final dot, or `nil` if the name is a valid reference.
    ///
    /// - Parameters:
    ///   - name: The octets of the name.
    ///   - shape: Their structure as a DNS name, or `nil` if they are not one.
    static func problem(with name: [UInt8], of shape: DomainName?) -> InvalidReferenceIdentity.Reason? {
        if name.isEmpty { return .empty }
        // First of all, because the caller chooses the length.
        if name.count > DomainName.maximumLength { return .tooLong }
        // A valid name needs no further check, unless its last label begins with a digit and may be a number.
        if let shape, shape.isExact, !name[shape.lastLabelStart].isASCIIDigit { return nil }
        if name.first == UInt8(ascii: ".") { return .leadingDot }
        if let reason = self.characterProblem(in: name) { return reason }
        let labels = name.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        for label in labels {
            if let reason = self.problem(withLabel: label) { return reason }
        }
        if let last = labels.last, self.isNumeric(last) { return .notAnIPAddress }
        return DomainName.isExact(ByteRange(0, name.count), in: name.span) ? nil : .numericLastLabel
    }

    private static func characterProblem(in name: [UInt8]) -> InvalidReferenceIdentity.Reason? {
        for octet in name {
            switch octet {
            case UInt8(ascii: "*"): return .wildcard
            case UInt8(ascii: "."), UInt8(ascii: "-"), UInt8(ascii: "_"): continue
            case 0x80...: return .notASCII
            default: if !octet.isASCIILetter, !octet.isASCIIDigit { return .forbiddenCharacter(octet) }
            }
        }
        return nil
    }

    private static func problem(withLabel label: ArraySlice<UInt8>) -> InvalidReferenceIdentity.Reason? {
        if label.isEmpty { return .emptyLabel }
        if label.count > DomainName.maximumLabelLength { return .labelTooLong }
        let hyphen = UInt8(ascii: "-")
        return label.first == hyphen || label.last == hyphen ? .hyphenAtLabelEnd : nil
    }

    /// Returns `true` if a resolver may take a name with this last label for an IPv4 address: digits, or `0x` and
    /// hexadecimal digits (https://url.spec.whatwg.org/#ends-in-a-number-checker).
    private static func isNumeric(_ label: ArraySlice<UInt8>) -> Bool {
        if label.allSatisfy(\.isASCIIDigit) { return true }
        let prefix = label.prefix(2).map(\.foldedASCII)
        return prefix == Array("0x".utf8) && label.dropFirst(2).allSatisfy { $0.hexadecimalValue != nil }
    }
}

extension ReferenceIdentity: CustomStringConvertible {
    /// The name or address in printable form.
    public var description: String {
        switch self {
        case .dnsName(let name), .rfc822Name(let name): PrintableText.text(of: name)
        case .ipAddress(let address): address.description
        }
    }
}
