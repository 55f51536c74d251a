//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// The ephemeral key of TLS 1.2 and older (RFC 5246 §7.4.3, RFC 8422 §5.4).
///
/// It shows the group and the signature scheme that the server uses. The key itself is not kept separately.
public struct ServerKeyExchange: Sendable, Hashable {
    /// The group of the key.
    public var group: Group
    /// The signature scheme. It is `nil` for anonymous servers and before TLS 1.2, as older messages have no scheme.
    public var signatureScheme: SignatureScheme?
    /// The signed octets, to which the random values of both sides are prepended (RFC 8422 §5.4).
    package var signedParameters: [UInt8] = []
    package var signature: [UInt8] = []

    /// The group of an ephemeral key.
    public enum Group: Sendable, Hashable {
        /// A curve in IANA's registry.
        case named(NamedGroup)
        /// A curve that the server describes itself, which RFC 8422 forbids.
        case explicitCurve
        /// A prime for Diffie-Hellman, with its size in bits and, for the primes of RFC 7919, its number in the registry.
        case prime(bits: Int, NamedGroup?)
        /// A short RSA key of the export suites, with its size in bits.
        case exportRSA(bits: Int)
    }

    /// Reads the body of the message, or returns `nil` if the suite has another key exchange.
    init?(_ body: ArraySlice<UInt8>, suite: CipherSuite, version: TLSProtocolVersion) throws(FlightError) {
        var reader = OctetReader(body)
        switch suite.keyExchange {
        case .ecdhe: self.group = try Self.curve(&reader)
        case .dhe: self.group = try Self.prime(&reader)
        case .rsa:
            self.group = .exportRSA(bits: Self.bits(of: try reader.readVector16()))
            _ = try reader.readVector16()
        default: return nil
        }
        // The rest of an explicit curve is not read.
        guard self.group != .explicitCurve, !reader.isAtEnd else { return }
        self.signedParameters = Array(body.prefix(body.count - reader.count))
        guard version >= .tls12 else { return }
        self.signatureScheme = SignatureScheme(rawValue: try reader.readUInt16())
        self.signature = Array(reader.readRest())
    }

    private static func curve(_ reader: inout OctetReader) throws(FlightError) -> Group {
        guard try reader.readUInt8() == 3 else { return .explicitCurve }
        let group = NamedGroup(rawValue: try reader.readUInt16())
        _ = try reader.readVector8()
        return .named(group)
    }

    private static func prime(_ reader: inout OctetReader) throws(FlightError) -> Group {
        let prime = try reader.readVector16()
        _ = (try reader.readVector16(), try reader.readVector16())
        let bits = Self.bits(of: prime)
        return .prime(bits: bits, Self.namedGroup(of: prime, bits: bits))
    }

    private static func bits(of number: ArraySlice<UInt8>) -> Int {
        let significant = number.drop { $0 == 0 }
        return significant.count * 8 - (significant.first?.leadingZeroBitCount ?? 0)
    }

    /// Finds the group of a prime. The primes of RFC 7919 §A differ from one another in length. After their first 64 bits they have
    /// the digits of e, which no other primes have.
    private static func namedGroup(of prime: ArraySlice<UInt8>, bits: Int) -> NamedGroup? {
        let beginning: [UInt8] = [
            0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xAD, 0xF8, 0x54, 0x58, 0xA2, 0xBB, 0x4A, 0x9A,
        ]
        guard prime.starts(with: beginning) else { return nil }
        let sizes: [Int: UInt16] = [2048: 0x0100, 3072: 0x0101, 4096: 0x0102, 6144: 0x0103, 8192: 0x0104]
        return sizes[bits].map(NamedGroup.init)
    }
}
