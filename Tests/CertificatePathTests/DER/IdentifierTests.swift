//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import Testing

@testable import CertificatePath

@Suite("Object identifiers and extensions that are read several octets at once")
struct IdentifierTests {
    /// X.690 §8.19.2, octet by octet.
    private func isValid(_ octets: [UInt8]) -> Bool {
        var startsComponent = true
        for octet in octets {
            if startsComponent, octet == 0x80 { return false }
            startsComponent = octet < 0x80
        }
        return !octets.isEmpty && startsComponent
    }

    private func read(_ octets: [UInt8], followedBy count: Int) -> PackedOID? {
        let bytes = [0x06, UInt8(octets.count)] + octets + [UInt8](repeating: 0xFF, count: count)
        var reader = DERReader(ByteRange(0, octets.count + 2), in: bytes.span)
        return try? reader.packedIdentifier(in: bytes.span)
    }

    @Test("padding and a last component without an end are refused, wherever they are", arguments: 0..<20)
    func malformed(length: Int) {
        #expect(self.read([UInt8](repeating: 0x80, count: length), followedBy: 8) == nil)
        for place in 0..<length {
            for octet in [0x80, 0x81, 0xFF] as [UInt8] {
                var octets = [UInt8](repeating: 0x2A, count: length)
                octets[place] = octet
                #expect((self.read(octets, followedBy: 8) != nil) == self.isValid(octets))
                guard place > 0 else { continue }
                octets[place - 1] = 0x82
                #expect((self.read(octets, followedBy: 8) != nil) == self.isValid(octets))
            }
        }
    }

    @Test("an identifier is packed alike wherever it stands", arguments: 1..<20)
    func packing(length: Int) {
        for _ in 0..<200 {
            let octets = (0..<length).map { _ in UInt8.random(in: 0...255) }
            let packed = self.read(octets, followedBy: 0)
            #expect((packed != nil) == self.isValid(octets))
            for count in 1..<10 { #expect(self.read(octets, followedBy: count) == packed) }
            guard let packed else { continue }
            let value = octets.reduce(UInt128(length)) { $0 << 8 | UInt128($1) }
            let mark = UInt128(length) << UInt128(8 * length)
            #expect(packed.value == (length > 15 ? .max : UInt128(length) << 120 | (value - mark)))
        }
    }

    /// An extension read at once, and the same one with each octet changed, as it is read part by part.
    @Test("an extension of the usual form is read as any other", arguments: [false, true])
    func extensions(isCritical: Bool) throws {
        let critical: [UInt8] = isCritical ? [0x01, 0x01, 0xFF] : []
        let body: [UInt8] = [0x06, 0x03, 0x55, 0x1D, 0x0F] + critical + [0x04, 0x04, 0x03, 0x02, 0x05, 0xA0]
        let usual: [UInt8] = [0x30, UInt8(body.count)] + body
        let item = try Self.item(usual)
        #expect(item.kind == .keyUsage && item.isCritical == isCritical)
        #expect(Self.slices(usual, item) == [[0x55, 0x1D, 0x0F], [0x03, 0x02, 0x05, 0xA0]])
        for place in usual.indices {
            for octet in UInt8.min...UInt8.max {
                var changed = usual
                changed[place] = octet
                let known = Self.naive(changed)
                let read = (try? Self.item(changed)).map { Self.slices(changed, $0) + [[$0.isCritical ? 1 : 0]] }
                #expect(read == known, "octet \(place) is \(octet)")
            }
        }
        #expect(throws: DERError.self) { try Self.item(usual.dropLast()) }
    }

    private static func item(_ octets: [UInt8]) throws(DERError) -> ExtensionItem {
        let bytes = octets + [UInt8](repeating: 0, count: 16)
        var reader = DERReader(ByteRange(0, octets.count), in: bytes.span)
        let item = try ExtensionItem(&reader, in: bytes.span)
        try reader.finish()
        return item
    }

    private static func slices(_ octets: [UInt8], _ item: ExtensionItem) -> [[UInt8]] {
        [octets[item.identifier], octets[item.value]]
    }

    /// The same with the reader's general operations alone.
    private static func naive(_ octets: [UInt8]) -> [[UInt8]]? {
        do {
            var content = try DERReader.sole(.sequence, of: ByteRange(0, octets.count), in: octets.span)
            let identifier = try content.objectIdentifier(in: octets.span)
            let isCritical = try content.booleanDefaultFalse(in: octets.span)
            let value = try content.next(.octetString, in: octets.span).content
            try content.finish()
            return [octets[identifier], octets[value], [isCritical ? 1 : 0]]
        } catch {
            return nil
        }
    }
}
