//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import Crypto
import TestSupport
import Testing

@testable import TLSProbe
@testable import TLSWire

private typealias Script = ForgedFlight.Script

private let empty = ScriptedServer.vector16([])
private let schemes = ScriptedServer.serverExtension(13, ScriptedServer.vector16([4, 3]))

/// What a server of TLS 1.3 does that it must not, and what comes of it.
private let brokenScripts: [(name: String, change: @Sendable (inout Script) -> Void, error: HandshakeError)] = [
    ("a signature of another key", { $0.signer = P256.Signing.PrivateKey() }, .badSignature),
    (
        "a stolen certificate", { $0.certificate = Array(P256.Signing.PrivateKey().publicKey.x963Representation) },
        .badSignature
    ),
    ("a signature made for something else", { $0.signedContext = "TLS 1.3, client CertificateVerify" }, .badSignature),
    ("a scheme that was not offered", { $0.scheme = 0x0503 }, .unoffered("ecdsa_secp384r1_sha384")),
    ("a scheme of TLS 1.2", { $0.scheme = 0x0401 }, .unoffered("rsa_pkcs1_sha256")),
    ("another Finished", { $0.finished = [UInt8](repeating: 7, count: 32) }, .badFinished),
    ("a short Finished", { $0.finished = [] }, .badFinished),
    ("no CertificateVerify", { $0.arrange = { [$0[0], $0[1], $0[3]] } }, unexpected(20)),
    ("no certificate", { $0.arrange = { [$0[0], $0[2], $0[3]] } }, unexpected(15)),
    ("no EncryptedExtensions", { $0.arrange = { Array($0.dropFirst()) } }, unexpected(11)),
    ("EncryptedExtensions twice", { $0.arrange = { [$0[0]] + $0 } }, unexpected(8)),
    ("a certificate twice", { $0.arrange = { [$0[0], $0[1]] + $0[1...] } }, unexpected(11)),
    ("a ticket before the end", { $0.arrange = { [ScriptedServer.message(4, [])] + $0 } }, unexpected(4)),
    ("a second ServerHello", { $0.arrange = { [ScriptedServer.message(2, [])] + $0 } }, unexpected(2)),
    ("a compressed certificate", { $0.arrange = { [$0[0], ScriptedServer.message(25, [])] } }, unexpected(25)),
    (
        "a request after the certificate",
        { $0.arrange = { [$0[0], $0[1], ScriptedServer.message(13, [0] + ScriptedServer.vector16(schemes))] } },
        unexpected(13)
    ),
    (
        "octets behind the Finished", { $0.arrange = { $0 + [ScriptedServer.message(4, [])] } },
        .malformed(.unexpected("octets behind the Finished"))
    ),
    ("an extension that was not offered", { $0.extensions = ScriptedServer.serverExtension(35) }, unoffered(35)),
    ("an extension of another message", { $0.extensions = ScriptedServer.serverExtension(5) }, unoffered(5)),
    (
        "an extension twice",
        { $0.extensions = ScriptedServer.serverExtension(0) + ScriptedServer.serverExtension(0) },
        .malformed(.undecodable("an extension is there twice"))
    ),
    (
        "a protocol that was not offered",
        { $0.extensions = ScriptedServer.serverExtension(16, ScriptedServer.vector16(ScriptedServer.vector8([0x78]))) },
        .unoffered("the protocol x")
    ),
    (
        "two protocols",
        {
            $0.extensions = ScriptedServer.serverExtension(16, ScriptedServer.vector16([2, 0x68, 0x32, 2, 0x68, 0x32]))
        },
        .malformed(.undecodable("bytes follow the last field"))
    ),
    (
        "an extension of a certificate that was not asked for",
        { $0.entryExtensions = ScriptedServer.serverExtension(0) }, unoffered(0)
    ),
    (
        "a request without schemes", { $0.request = [0] + empty },
        .malformed(.undecodable("a request for a certificate without signature algorithms"))
    ),
    (
        "a request with a context", { $0.request = [1, 7] + ScriptedServer.vector16(schemes) },
        .malformed(.undecodable("a context outside of a request after it"))
    ),
    ("another session", { $0.session = [1, 2, 3] }, .illegalValue("the session of TLS 1.3, or its version of old")),
    ("no session", { $0.session = [] }, .illegalValue("the session of TLS 1.3, or its version of old")),
    ("a version of old", { $0.legacyVersion = 0x0301 }, .illegalValue("the session of TLS 1.3, or its version of old")),
    ("compression", { $0.compression = 1 }, .illegalValue("compression")),
    ("a group without a key", { $0.group = .secp384r1 }, .unoffered("secp384r1")),
    ("a group that was not offered", { $0.group = .secp521r1 }, .unoffered("secp521r1")),
    ("a key of zeros", { $0.share = [UInt8](repeating: 0, count: 32) }, .badKeyShare),
    ("a short key", { $0.share = [9] }, .badKeyShare),
    (
        "a cookie in the ServerHello", { $0.helloExtensions = [ScriptedServer.serverExtension(44, [0, 1, 7])] },
        unoffered(44)
    ),
    ("a session to resume", { $0.helloExtensions = [ScriptedServer.serverExtension(41, [0, 0])] }, unoffered(41)),
    (
        "octets behind the ServerHello", { $0.excess = ScriptedServer.message(8, empty) },
        .malformed(.unexpected("octets behind the end of the flight"))
    ),
    (
        "a message in the clear", { $0.between = ScriptedServer.record(ScriptedServer.message(8, empty)) },
        .malformed(.unexpected("a record of type 22 that is not protected"))
    ),
    (
        "another change of ciphers", { $0.between = ScriptedServer.record([2], type: 20) },
        .malformed(.unexpected("a record of type 20 that is not protected"))
    ),
    ("an alert in the clear", { $0.between = ScriptedServer.alert(40) }, .alert(TLSAlertDescription(rawValue: 40))),
    ("an encrypted alert", { $0.records = { _ in [(21, [2, 116])] } }, .alert(TLSAlertDescription(rawValue: 116))),
    ("encrypted data", { $0.records = { _ in [(23, [1])] } }, .malformed(.unexpected("a protected record of type 23"))),
    ("nothing but padding", { $0.records = { _ in [(0, [])] } }, .malformed(.emptyRecord)),
    (
        "an empty message record", { $0.records = { _ in [(22, [])] } },
        .malformed(.unexpected("a protected record of type 22"))
    ),
    (
        "a message beyond the limit", { $0.arrange = { _ in [[8, 0xFF, 0xFF, 0xFF]] } },
        .malformed(.messageTooLong(type: 8, length: 0xFF_FFFF))
    ),
    (
        "records without end",
        {
            let count = TLSRecord.maximumCount + 1
            $0.between = Array([[UInt8]](repeating: ScriptedServer.record([1], type: 20), count: count).joined())
        },
        .malformed(.tooManyRecords)
    ),
]

private func unexpected(_ type: UInt8) -> HandshakeError {
    .malformed(.unexpected("a handshake message of type \(type)"))
}
private func unoffered(_ type: UInt16) -> HandshakeError { .unoffered("the extension \(type) in TLS 1.3") }

@Suite("Reading a handshake of TLS 1.3")
struct HandshakeReaderTests {
    private let server: ForgedFlight

    init() throws { self.server = try ForgedFlight() }

    @Test("What breaks the rules proves nothing, and is told apart", arguments: brokenScripts.indices)
    func broken(index: Int) throws {
        let (name, change, error) = brokenScripts[index]
        var reader = self.server.reader
        #expect(throws: error, "\(name)") { try reader.read(try self.server.octets(change)) }
        #expect(!reader.result.isKeyProven && reader.result.failure != nil, "\(name)")
        // The end is final, whatever follows.
        #expect(throws: error, "\(name)") { try reader.read(try self.server.octets()) }
        #expect(!reader.result.isKeyProven, "\(name)")
    }

    @Test("An honest flight proves the key, with each suite", arguments: [0x1301, 0x1302, 0x1303])
    func honest(suite: UInt16) throws {
        let key = Array(self.server.key.publicKey.x963Representation)
        let authorities = ScriptedServer.vector16(
            ScriptedServer.vector16([0x30, 0]) + ScriptedServer.vector16([0x30, 1, 0]))
        let octets = try self.server.octets { script in
            script.suite = suite
            script.extensions =
                ScriptedServer.serverExtension(0)
                + ScriptedServer.serverExtension(16, ScriptedServer.vector16(ScriptedServer.vector8(Array("h2".utf8))))
            script.request =
                [0] + ScriptedServer.vector16(schemes + ScriptedServer.serverExtension(47, authorities))
            script.entryExtensions =
                ScriptedServer.serverExtension(5, [1, 0, 0, 2, 0x30, 0])
                + ScriptedServer.serverExtension(18, [0, 1, 9])
            script.padding = 50
        }
        var reader = self.server.reader
        #expect(try reader.read(octets) == .finished)
        let result = reader.result
        #expect(result.isKeyProven && result.failure == nil && result.certificates == [key])
        #expect(result.version == .tls13 && result.cipherSuite == CipherSuite(rawValue: suite))
        #expect(result.group == .x25519 && result.signatureScheme == SignatureScheme(rawValue: 0x0403))
        #expect(result.applicationProtocol == "h2" && result.ocspResponse == [0x30, 0])
        #expect(result.timestamps == [0, 1, 9])
        #expect(result.certificateRequest?.authorities == [[0x30, 0], [0x30, 1, 0]])
    }

    @Test("Messages may lie over any number of records, and records come in any pieces")
    func pieces() throws {
        let octets = try self.server.octets { script in
            script.records = { messages in
                let all = Array(messages.joined())
                return stride(from: 0, to: all.count, by: 5).map { (22, Array(all[$0..<min($0 + 5, all.count)])) }
            }
        }
        var reader = self.server.reader
        for (place, octet) in octets.enumerated() {
            #expect(try reader.read([octet]) == (place == octets.count - 1 ? .finished : .unfinished))
        }
        #expect(reader.result.isKeyProven)
    }

    @Test("A flight for another hello proves nothing, though all of it is honest")
    func replay() throws {
        let other = try ForgedFlight()
        var reader = self.server.reader
        #expect(throws: HandshakeError.self) {
            try reader.read(try other.octets { $0.session = self.server.hello.sessionID })
        }
        #expect(!reader.result.isKeyProven && reader.result.certificates.isEmpty)
    }

    @Test("No octet can be changed, and a flight that is cut short proves nothing")
    func damage() throws {
        let octets = try self.server.octets()
        let second = 5 + Int(octets[3]) << 8 + Int(octets[4])
        for index in octets.indices {
            var (damaged, reader) = (octets, self.server.reader)
            damaged[index] ^= 0x20
            _ = try? reader.read(damaged)
            // The version of a record that is not protected is ignored (RFC 8446 §5.1).
            let isIgnored = [2, second + 1, second + 2].contains(index)
            #expect(reader.result.isKeyProven == isIgnored, "\(index)")
            reader = self.server.reader
            #expect(try reader.read(octets.prefix(index)) == .unfinished)
            #expect(!reader.result.isKeyProven)
        }
    }

    @Test("More than the limit is not read")
    func limit() throws {
        let octets = try self.server.octets()
        var reader = HandshakeReader(
            self.server.hello, keys: self.server.keys, verifiedBy: BareKeyVerifier(), limit: octets.count - 1)
        #expect(throws: HandshakeError.malformed(.tooMuch(limit: octets.count - 1))) { try reader.read(octets) }
        var wider = HandshakeReader(
            self.server.hello, keys: self.server.keys, verifiedBy: BareKeyVerifier(), limit: octets.count)
        #expect(try wider.read(octets + [0]) == .finished)
    }
}

// MARK: - HelloRetryRequest

extension HandshakeReaderTests {
    private func retry(_ extensions: [[UInt8]]) -> [UInt8] {
        ScriptedServer.record(
            ScriptedServer.hello(
                .tls12, CipherSuite(rawValue: 0x1301),
                extensions: [ScriptedServer.serverExtension(43, [3, 4])] + extensions,
                random: ScriptedServer.retryRandom, session: self.server.hello.sessionID))
    }

    private func wish(_ group: NamedGroup) -> [UInt8] {
        ScriptedServer.serverExtension(51, ScriptedServer.number(group.rawValue))
    }

    @Test("The wish for another key is granted, with the cookie and everything else as before")
    func granted() throws {
        var reader = self.server.reader
        let cookie = ScriptedServer.serverExtension(44, ScriptedServer.vector16([1, 2, 3]))
        let progress = try reader.read(self.retry([self.wish(.secp384r1), cookie]))
        guard case .answer(let bytes) = progress else {
            Issue.record("no second hello")
            return
        }
        #expect(bytes.starts(with: [20, 3, 3, 0, 1, 1, 22, 3, 3]))
        let second = try #require(SentHello(Array(bytes.dropFirst(6))))
        let first = try #require(SentHello(self.server.hello.encoded()))
        #expect(second.suites == first.suites && second.keyShares?.map { $0.group } == [.secp384r1])
        #expect(second.has(44) && !first.has(44))
    }

    @Test("A wish that may not be made is refused")
    func refused() throws {
        let wishes: [([[UInt8]], HandshakeError)] = [
            ([self.wish(.x25519)], .unoffered("x25519, in a HelloRetryRequest")),
            ([self.wish(.secp521r1)], .unoffered("secp521r1, in a HelloRetryRequest")),
            ([], .illegalValue("a HelloRetryRequest that changes nothing")),
            ([self.wish(.secp256r1), ScriptedServer.serverExtension(16, [0, 3, 2, 104, 50])], unoffered(16)),
        ]
        for (extensions, error) in wishes {
            var reader = self.server.reader
            #expect(throws: error) { try reader.read(self.retry(extensions)) }
        }
    }

    @Test("After a wish there is no second one, no other suite, no older version, and nothing before the hello")
    func afterwards() throws {
        let wish = self.retry([self.wish(.secp256r1)])
        let older = ScriptedServer.record(
            ScriptedServer.hello(.tls12, CipherSuite(rawValue: 0xC02B)) + ScriptedServer.certificate([[1]])
                + ScriptedServer.done)
        for next in [wish, try self.server.octets(), try self.server.octets { $0.suite = 0x1302 }, older] {
            var reader = self.server.reader
            _ = try reader.read(wish)
            #expect(throws: HandshakeError.self) { try reader.read(next) }
            #expect(!reader.result.isKeyProven)
            var early = self.server.reader
            #expect(throws: HandshakeError.malformed(.unexpected("octets behind a HelloRetryRequest"))) {
                try early.read(wish + next)
            }
        }
        var patient = self.server.reader
        _ = try patient.read(wish + [20, 3])
        #expect(try patient.read([3, 0, 1, 1]) == .unfinished)
    }
}
