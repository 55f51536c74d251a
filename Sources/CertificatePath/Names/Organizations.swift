//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

extension DistinguishedName {
    /// The type organizationName, 2.5.4.10.
    private static let organization = PackedOID([0x55, 0x04, 0x0A])

    /// Returns the values of organizationName in a well-formed name, in their order. Values of the string types that
    /// hold UTF-8 are equal if their octets are. Values of other types carry their tag.
    static func organizations(in name: ByteRange, of bytes: [UInt8]) -> [[UInt8]] {
        var values: [[UInt8]] = []
        var sets = DERReader(name, in: bytes.span)
        while !sets.isAtEnd {
            guard let set = try? sets.next(.set, in: bytes.span) else { return values }
            var attributes = DERReader(set.content, in: bytes.span)
            while !attributes.isAtEnd {
                guard let attribute = try? Attribute(from: &attributes, in: bytes.span) else { return values }
                guard PackedOID(attribute.type, in: bytes.span) == self.organization else { continue }
                let isUTF8 = [DERTag.utf8String, .printableString, .ia5String].contains(attribute.tag)
                values.append((isUTF8 ? [] : [attribute.tag.octet]) + bytes[attribute.value])
            }
        }
        return values
    }
}
