//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import Crypto
import Testing

@testable import TLSProbe
@testable import TLSWire

@Suite("The key schedule of TLS 1.3")
struct KeyScheduleTests {
    private let schedule = KeySchedule(.sha256)

    @Test("Secrets, keys and Finished are those of RFC 8448 §3")
    func vectors() throws {
        let hellos = RFC8448.clientHello + RFC8448.serverHello
        let shared = [UInt8](hex: "8bd4054fb55b9d63fdfbacf9f04b9f0d35e6d63f537563efd46272900f89492d")
        let secret = self.schedule.serverHandshakeSecret(shared, transcript: hellos)
        #expect(
            secret == [UInt8](hex: "b67b7d690cc16c4e75e54213cb2d37b4e9c912bcded9105d42befd59d391ad38"))
        let (key, vector) = self.schedule.trafficKey(of: secret, keyLength: 16)
        #expect(key == [UInt8](hex: "3fce516009c21727d0f2e4e86ee403bc"))
        #expect(vector == [UInt8](hex: "5d313eb2671276ee13000b30"))
        let beforeFinished = hellos + RFC8448.flight.dropLast(36)
        #expect(self.schedule.finished(of: secret, transcript: beforeFinished) == Array(RFC8448.flight.suffix(32)))
    }

    @Test("The key agreement is that of RFC 8448 §3")
    func agreement() throws {
        let key = try RFC8448.key
        #expect(key.share == [UInt8](hex: "99381de560e4bd43d23d8e435a7dbafeb3c06e51c13cae4d5413691e529aaf2c"))
        let share = [UInt8](hex: "c9828876112095fe66762bdbf7c672e156d6cc253b833df1dd69b1b04e751f0f")
        #expect(
            try key.sharedSecret(with: share)
                == [UInt8](hex: "8bd4054fb55b9d63fdfbacf9f04b9f0d35e6d63f537563efd46272900f89492d"))
    }

    @Test("Octets that are no key, and a key that makes the secret known to all, are refused")
    func badShares() throws {
        for group in [NamedGroup.x25519, .secp256r1, .secp384r1, .secp521r1, .x25519MLKEM768] {
            let key = try #require(HandshakeKey(group))
            for share in [
                [], [UInt8](repeating: 0, count: 32), [UInt8](repeating: 0, count: 1120), key.share.dropLast(),
            ] {
                #expect(throws: HandshakeError.badKeyShare, "\(group)") { try key.sharedSecret(with: Array(share)) }
            }
        }
    }

    @Test("A real key of X25519MLKEM768 agrees with who encapsulates for it")
    func hybrid() throws {
        let key = try #require(HandshakeKey(.x25519MLKEM768))
        #expect(key.share.count == 1184 + 32)
        let encapsulated = try MLKEM768.PublicKey(rawRepresentation: key.share.prefix(1184)).encapsulate()
        let other = Curve25519.KeyAgreement.PrivateKey()
        let point = try other.sharedSecretFromKeyAgreement(with: .init(rawRepresentation: key.share.suffix(32)))
        let expected = encapsulated.sharedSecret.withUnsafeBytes { Array($0) } + point.withUnsafeBytes { Array($0) }
        let share = Array(encapsulated.encapsulated) + Array(other.publicKey.rawRepresentation)
        #expect(try key.sharedSecret(with: share) == expected)
    }

    @Test("A flight of RFC 8448 §3 is read to its Finished, in pieces of any size", arguments: [1, 7, 100, 5000])
    func flight(size: Int) throws {
        var reader = try RFC8448.reader
        var progress = HandshakeReader.Progress.unfinished
        let bytes = RFC8448.records
        for start in stride(from: 0, to: bytes.count, by: size) {
            #expect(progress == .unfinished)
            progress = try reader.read(bytes[start..<min(start + size, bytes.count)])
        }
        #expect(progress == .finished && reader.result.isKeyProven && reader.result.failure == nil)
        #expect(reader.result.certificates.count == 1 && reader.result.group == .x25519)
        #expect(reader.result.signatureScheme == SignatureScheme(rawValue: 0x0804))
        #expect(reader.result.version == .tls13 && reader.result.cipherSuite == CipherSuite(rawValue: 0x1301))
    }

    @Test("No octet of the flight can be changed, and none left out")
    func damage() throws {
        let bytes = RFC8448.records
        for index in bytes.indices {
            var (damaged, reader) = (bytes, try RFC8448.reader)
            damaged[index] ^= 0x01
            // The version of a record's header is ignored where the record is not protected (RFC 8446 §5.1).
            if index == 2 { continue }
            #expect((try? reader.read(damaged)) != .finished, "\(index)")
            #expect(!reader.result.isKeyProven, "\(index)")
            reader = try RFC8448.reader
            #expect((try? reader.read(bytes.prefix(index))) == .unfinished && !reader.result.isKeyProven, "\(index)")
        }
    }
}
