//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

package import TLSWire

/// What servers say, written field by field: the other side of what the prober reads.
package enum ScriptedServer {
    package static func number(_ value: UInt16) -> [UInt8] { [UInt8(value >> 8), UInt8(value & 0xFF)] }
    package static func vector8(_ bytes: [UInt8]) -> [UInt8] { [UInt8(bytes.count)] + bytes }
    package static func vector16(_ bytes: [UInt8]) -> [UInt8] { number(UInt16(bytes.count)) + bytes }
    package static func vector24(_ bytes: [UInt8]) -> [UInt8] {
        [UInt8(bytes.count >> 16), UInt8(bytes.count >> 8 & 0xFF), UInt8(bytes.count & 0xFF)] + bytes
    }

    /// A record (RFC 5246 §6.2.1), of handshake messages where nothing else is said.
    package static func record(_ content: [UInt8], type: UInt8 = 22, version: UInt16 = 0x0303) -> [UInt8] {
        [type] + number(version) + vector16(content)
    }

    /// A handshake message (RFC 5246 §7.4).
    package static func message(_ type: UInt8, _ body: [UInt8]) -> [UInt8] { [type] + vector24(body) }

    package static func alert(_ description: UInt8, level: UInt8 = 2) -> [UInt8] {
        record([level, description], type: 21)
    }

    package static func serverExtension(_ type: UInt16, _ content: [UInt8] = []) -> [UInt8] {
        number(type) + vector16(content)
    }
}

// MARK: - Messages

extension ScriptedServer {
    package static let random = [UInt8](0..<32)

    /// A ServerHello; without extensions it ends before them.
    package static func hello(
        _ version: TLSProtocolVersion, _ suite: CipherSuite, extensions: [[UInt8]] = [], random: [UInt8] = random,
        session: [UInt8] = [], compression: UInt8 = 0
    ) -> [UInt8] {
        var body = number(version.rawValue) + random + vector8(session) + number(suite.rawValue) + [compression]
        if !extensions.isEmpty { body += vector16(Array(extensions.joined())) }
        return message(2, body)
    }

    /// A ServerHello of TLS 1.3 with a key for a group.
    package static func hello13(_ suite: CipherSuite, _ group: NamedGroup) -> [UInt8] {
        let key = number(group.rawValue) + vector16([UInt8](repeating: 1, count: 32))
        return hello(.tls12, suite, extensions: [serverExtension(43, [3, 4]), serverExtension(51, key)])
    }

    /// A HelloRetryRequest (RFC 8446 §4.1.4).
    package static func retryRequest(_ suite: CipherSuite, _ group: NamedGroup?) -> [UInt8] {
        let share = group.map { [serverExtension(51, number($0.rawValue))] } ?? []
        return hello(.tls12, suite, extensions: [serverExtension(43, [3, 4])] + share, random: retryRandom)
    }

    /// SHA-256 of "HelloRetryRequest" (RFC 8446 §4.1.3).
    package static let retryRandom: [UInt8] = [
        0xCF, 0x21, 0xAD, 0x74, 0xE5, 0x9A, 0x61, 0x11, 0xBE, 0x1D, 0x8C, 0x02, 0x1E, 0x65, 0xB8, 0x91,
        0xC2, 0xA2, 0x11, 0x16, 0x7A, 0xBB, 0x8C, 0x5E, 0x07, 0x9E, 0x09, 0xE2, 0xC8, 0xA8, 0x33, 0x9C,
    ]

    package static func certificate(_ chain: [[UInt8]]) -> [UInt8] {
        message(11, vector24(Array(chain.map { vector24($0) }.joined())))
    }

    package static func status(_ response: [UInt8], type: UInt8 = 1) -> [UInt8] {
        message(22, [type] + vector24(response))
    }

    /// An ephemeral key on a curve (RFC 8422 §5.4).
    package static func keyExchange(_ group: NamedGroup, signedWith scheme: SignatureScheme?) -> [UInt8] {
        message(12, [3] + number(group.rawValue) + vector8([UInt8](repeating: 4, count: 65)) + signature(scheme))
    }

    /// An ephemeral Diffie-Hellman key (RFC 5246 §7.4.3).
    package static func keyExchange(prime: [UInt8], signedWith scheme: SignatureScheme?) -> [UInt8] {
        message(12, vector16(prime) + vector16([2]) + vector16([5, 5]) + signature(scheme))
    }

    private static func signature(_ scheme: SignatureScheme?) -> [UInt8] {
        (scheme.map { number($0.rawValue) } ?? []) + vector16([UInt8](repeating: 9, count: 64))
    }

    /// A CertificateRequest; TLS 1.2 put signature algorithms into it (RFC 5246 §7.4.4).
    package static func certificateRequest(_ names: [[UInt8]], hasSchemes: Bool = true) -> [UInt8] {
        let schemes: [UInt8] = hasSchemes ? vector16([4, 1, 4, 3]) : []
        return message(13, vector8([1, 64]) + schemes + vector16(Array(names.map { vector16($0) }.joined())))
    }

    package static let done = message(14, [])
}

// MARK: - Reading

extension ServerFlightReader {
    /// What comes of bytes that are cut into pieces.
    package static func outcome(of pieces: [[UInt8]], endingWith end: End = .flight) -> FlightOutcome {
        var reader = ServerFlightReader(endingWith: end)
        var outcome = FlightOutcome()
        do {
            for piece in pieces {
                outcome.progress = try reader.read(piece)
                if outcome.progress != .unfinished { break }
            }
        } catch {
            outcome.error = error
        }
        outcome.flight = reader.flight
        return outcome
    }

    package static func outcome(of bytes: [UInt8]) -> FlightOutcome { self.outcome(of: [bytes]) }
}

/// What came of reading.
package struct FlightOutcome: Equatable {
    package var progress = ServerFlightReader.Progress.unfinished
    package var error: FlightError?
    package var flight = ServerFlight()

    package init() {}

    /// The same without how far bytes that are not TLS are quoted, which is as far as they had come.
    package var withoutQuote: FlightOutcome {
        var outcome = self
        if case .notTLS = self.progress { outcome.progress = .notTLS(beginning: "") }
        return outcome
    }
}
