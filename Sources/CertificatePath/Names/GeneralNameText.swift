//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// The text of names in messages and reports.
enum GeneralNameText {
    static func text(of name: GeneralName, in bytes: Span<UInt8>) -> String {
        switch name.form {
        case .dNSName, .rfc822Name, .uniformResourceIdentifier: PrintableText.text(name.content, in: bytes)
        case .iPAddress: IPAddress(name.content, in: bytes)?.description ?? Self.hexadecimal(name.content, in: bytes)
        case .directoryName: DistinguishedName.text(name.content, in: bytes)
        case .otherName, .x400Address, .ediPartyName, .registeredID: "\(name.form)"
        }
    }

    /// Returns the text of a name constraint. An IP address in a constraint has a mask.
    static func text(ofSubtree subtree: GeneralName, in bytes: Span<UInt8>) -> String {
        guard subtree.form == .iPAddress else { return Self.text(of: subtree, in: bytes) }
        guard let (address, mask) = IPAddress.split(subtree.content, in: bytes) else {
            return Self.hexadecimal(subtree.content, in: bytes)
        }
        let prefix = mask.value.nonzeroBitCount
        let width = mask.isIPv6 ? 128 : 32
        let isPrefix = prefix + mask.value.trailingZeroBitCount == width || mask.value == 0
        return isPrefix ? "\(address)/\(prefix)" : "\(address)/\(mask)"
    }

    private static func hexadecimal(_ range: ByteRange, in bytes: Span<UInt8>) -> String {
        let shown = range.lowerBound..<min(range.upperBound, range.lowerBound + 32)
        return shown.map { (bytes[$0] < 0x10 ? "0" : "") + String(bytes[$0], radix: 16) }.joined(separator: ":")
    }
}

extension DistinguishedName {
    /// Returns a name in the order of its encoding, cut after a few attributes: `C=DE, O=Example, CN=Root`.
    ///
    /// The text is for display only. Two different names may have the same text. ``areEqual(_:in:_:in:)`` compares names.
    static func text(_ name: ByteRange, in bytes: Span<UInt8>) -> String {
        var parts: [String] = []
        do {
            var names = DERReader(name, in: bytes)
            while !names.isAtEnd {
                var attributes = try names.nested(.set, in: bytes)
                while !attributes.isAtEnd {
                    let attribute = try Attribute(from: &attributes, in: bytes)
                    guard parts.count < self.maximumShown else { return parts.joined(separator: ", ") + ", …" }
                    let label = self.label(attribute.type, in: bytes)
                    parts.append("\(label)=\(self.valueText(attribute, in: bytes))")
                }
            }
        } catch {
            parts.append("…")
        }
        return parts.joined(separator: ", ")
    }

    private static let maximumShown = 16

    private static func label(_ type: ByteRange, in bytes: Span<UInt8>) -> String {
        let packed = PackedOID(type, in: bytes)
        if let known = self.labels.first(where: { $0.0 == packed }) { return known.1 }
        let octets = (type.lowerBound..<min(type.upperBound, type.lowerBound + 64)).map { bytes[$0] }
        return OID(contents: octets).description
    }

    /// Returns the text of an attribute's value. BMPString is the only encoding in use that puts other octets between ASCII ones.
    static func valueText(_ attribute: Attribute, in bytes: Span<UInt8>) -> String {
        guard attribute.tag == .bmpString, attribute.value.count % 2 == 0, !attribute.value.isEmpty,
            stride(from: attribute.value.lowerBound, to: attribute.value.upperBound, by: 2)
                .allSatisfy({ bytes[$0] == 0 })
        else { return PrintableText.text(attribute.value, in: bytes) }
        let range = attribute.value.lowerBound + 1..<attribute.value.upperBound
        let octets = stride(from: range.lowerBound, to: range.upperBound, by: 2).map { bytes[$0] }
        return PrintableText.text(ByteRange(0, octets.count), in: octets.span)
    }

    private static let labels: [(PackedOID, String)] = [
        (PackedOID([0x55, 0x04, 0x03]), "CN"),
        (PackedOID([0x55, 0x04, 0x05]), "serialNumber"),
        (PackedOID([0x55, 0x04, 0x06]), "C"),
        (PackedOID([0x55, 0x04, 0x07]), "L"),
        (PackedOID([0x55, 0x04, 0x08]), "ST"),
        (PackedOID([0x55, 0x04, 0x0A]), "O"),
        (PackedOID([0x55, 0x04, 0x0B]), "OU"),
        (PackedOID([0x09, 0x92, 0x26, 0x89, 0x93, 0xF2, 0x2C, 0x64, 0x01, 0x19]), "DC"),
        (PackedOID([0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D, 0x01, 0x09, 0x01]), "emailAddress"),
    ]
}
