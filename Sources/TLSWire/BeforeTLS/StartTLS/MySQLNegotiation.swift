//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// The SSLRequest of MySQL and MariaDB, which answers the server's greeting (MySQL Internals, "Protocol::Handshake").
struct MySQLNegotiation: Negotiation {
    mutating func opening() -> [UInt8] { [] }

    mutating func next(_ input: inout NegotiationInput) throws(NegotiationError) -> NegotiationStep {
        guard let packet = try Self.packet(&input) else { return .incomplete }
        switch packet.first {
        case 10: break
        // An error instead of a greeting: a code of two bytes, and text.
        case 0xFF: throw .rejected(String(printable: packet.dropFirst(3)))
        default: throw .unexpected(String(printable: packet))
        }
        guard let capabilities = Self.capabilities(packet) else { throw .unexpected(String(printable: packet)) }
        guard capabilities & Self.clientSSL != 0 else { throw .notOffered }
        return .sendLast(Self.request)
    }

    /// Reads the payload of the greeting. A packet begins with its length in three bytes, little-endian, and its number, 0.
    private static func packet(_ input: inout NegotiationInput) throws(NegotiationError) -> [UInt8]? {
        let rest = Array(input.rest.prefix(4 + NegotiationInput.pieceLimit))
        guard rest.count >= 4 else { return nil }
        let length = Int(rest[0]) | Int(rest[1]) << 8 | Int(rest[2]) << 16
        // Another protocol is detected in the first four bytes, without waiting for the length that they seem to announce.
        guard rest[3] == 0, length <= NegotiationInput.pieceLimit else {
            throw .unexpected(String(printable: rest[..<4]))
        }
        guard rest.count >= 4 + length else { return nil }
        input.drop(4 + length)
        return Array(rest[4..<(4 + length)])
    }

    /// Returns the lower half of the server's capabilities, which follow its version, a number, a salt and a zero.
    private static func capabilities(_ packet: [UInt8]) -> UInt16? {
        guard let end = packet.dropFirst().firstIndex(of: 0), packet.count >= end + 16 else { return nil }
        return UInt16(packet[end + 14]) | UInt16(packet[end + 15]) << 8
    }

    private static let clientSSL: UInt16 = 0x0800

    /// The request for TLS: protocol 4.1, TLS and its passwords, packets of 16 MiB, UTF-8, and 23 zeros.
    private static let request: [UInt8] =
        [32, 0, 0, 1, 0x00, 0x8A, 0, 0, 0, 0, 0, 1, 45] + [UInt8](repeating: 0, count: 23)
}
