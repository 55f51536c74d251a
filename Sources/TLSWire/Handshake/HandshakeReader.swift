//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// Reads a server's answer to a hello whose keys are at hand, and decides whether the server holds the key of its certificate.
///
/// In TLS 1.3 that is shown by CertificateVerify (RFC 8446 §4.4.3), and all that was said is authenticated by Finished. In TLS
/// 1.2 the signature over the ephemeral key shows it (RFC 8422 §5.4). Older versions, and suites without an ephemeral key,
/// show nothing before the client has sent more.
///
/// Nothing is sent but the hello, and a second one where the server asks for it: no Finished, and nothing that an application
/// would read. However the octets are cut into pieces, what is read of them is the same.
public struct HandshakeReader: Sendable {
    /// What is known so far. Only with ``HandshakeResult/isKeyProven`` is it the word of the holder of the key.
    public private(set) var result = HandshakeResult()
    /// How many octets have come.
    public private(set) var receivedBytes = 0

    private let verifier: any HandshakeSignatureVerifier
    private let limit: Int
    /// The hello that is to be answered, the second one after a HelloRetryRequest.
    private var hello: ClientHello
    private var keys: [HandshakeKey]
    private var clear: ServerFlightReader
    /// What comes after the ServerHello of TLS 1.3.
    private var encrypted: EncryptedFlightReader?
    private var retry: Retry?
    private var ending: Result<Progress, HandshakeError>?

    /// A HelloRetryRequest that was answered.
    private struct Retry {
        let suite: CipherSuite
        let group: NamedGroup?
        /// The transcript of it, the first hello as its digest alone, and of the second hello (RFC 8446 §4.4.1).
        let transcript: [UInt8]
    }

    /// What reading has come to.
    public enum Progress: Sendable, Hashable {
        /// More is to come.
        case unfinished
        /// This has to be sent, and more is to come then.
        case answer([UInt8])
        /// The server's flight was read to its end.
        case finished
    }

    /// A reader.
    ///
    /// - Parameters:
    ///   - hello: The hello that was sent.
    ///   - keys: The keys of its key shares.
    ///   - verifier: Verifies signatures.
    ///   - limit: How many octets are read of one answer.
    public init(
        _ hello: ClientHello, keys: [HandshakeKey], verifiedBy verifier: any HandshakeSignatureVerifier,
        limit: Int = ServerFlightReader.defaultLimit
    ) {
        self.hello = hello
        self.keys = keys
        self.verifier = verifier
        self.limit = limit
        self.clear = ServerFlightReader(limit: limit)
    }

    /// Reads the next octets.
    ///
    /// - Parameter bytes: Octets as they came.
    /// - Returns: How far it got. After an end nothing is read any more.
    /// - Throws: ``HandshakeError`` when the server has proven nothing and will not; what was read before stays in ``result``.
    public mutating func read(_ bytes: some Collection<UInt8>) throws(HandshakeError) -> Progress {
        if let ending { return try ending.get() }
        let room = max(0, self.limit - self.receivedBytes)
        self.receivedBytes += bytes.count
        do throws(HandshakeError) {
            let progress = try self.advance(Array(bytes.prefix(room)))
            if progress == .finished { self.ending = .success(progress) }
            guard progress == .finished || self.receivedBytes <= self.limit else {
                throw .malformed(.tooMuch(limit: self.limit))
            }
            return progress
        } catch {
            self.result.failure = ConnectionFailure(error)
            self.result.isKeyProven = false
            self.ending = .failure(error)
            throw error
        }
    }

    private mutating func advance(_ bytes: [UInt8]) throws(HandshakeError) -> Progress {
        guard self.encrypted == nil else { return try self.advanceEncrypted(bytes) }
        defer { self.note(self.clear.flight) }
        switch try self.readClear(bytes) {
        case .unfinished: return .unfinished
        case .notTLS(let beginning): throw .notTLS(beginning: beginning)
        case .finished: break
        }
        if let alert = self.clear.flight.alert { throw .alert(alert) }
        // RFC 8446 §5.1: no record spans a change of keys, and nothing follows a flight.
        guard let answer = self.clear.flight.hello, !self.clear.hasExcessOctets else {
            throw .malformed(.unexpected("octets behind the end of the flight"))
        }
        if answer.isRetryRequest { return try self.answerRetry(answer) }
        try HandshakeTerms(self.hello).check(answer)
        return answer.version >= .tls13 ? try self.beginEncrypted(answer) : try self.settleOlder(answer)
    }

    private mutating func readClear(_ bytes: [UInt8]) throws(HandshakeError) -> ServerFlightReader.Progress {
        do throws(FlightError) { return try self.clear.read(bytes) } catch { throw .malformed(error) }
    }

    private mutating func advanceEncrypted(_ bytes: [UInt8]) throws(HandshakeError) -> Progress {
        defer { self.noteEncrypted() }
        guard try self.encrypted?.read(bytes) == true else { return .unfinished }
        self.result.isKeyProven = true
        return .finished
    }
}

// MARK: - TLS 1.3

extension HandshakeReader {
    private mutating func beginEncrypted(_ answer: ServerHello) throws(HandshakeError) -> Progress {
        guard let suite = answer.cipherSuite.handshakeProtection else { throw .unoffered("\(answer.cipherSuite)") }
        guard let group = answer.selectedGroup, let share = answer.keyShare else {
            throw .illegalValue("TLS 1.3 without a key")
        }
        guard let key = self.keys.first(where: { $0.group == group }) else { throw .unoffered("\(group)") }
        if let retry, retry.suite != answer.cipherSuite || retry.group.map({ $0 != group }) == true {
            throw .illegalValue("a choice that differs from that of the HelloRetryRequest")
        }
        let secret = try key.sharedSecret(with: share)
        self.encrypted = EncryptedFlightReader(
            self.hello, suite, sharedSecret: secret,
            transcript: (self.retry?.transcript ?? self.hello.message) + self.clear.helloMessage,
            verifier: self.verifier, limit: self.limit)
        return try self.advanceEncrypted(self.clear.remainder)
    }

    /// Answers the wish for another hello, which has to change something (RFC 8446 §4.1.4).
    private mutating func answerRetry(_ answer: ServerHello) throws(HandshakeError) -> Progress {
        guard self.retry == nil else { throw .malformed(.unexpected("a second HelloRetryRequest")) }
        guard let suite = answer.cipherSuite.handshakeProtection else { throw .unoffered("\(answer.cipherSuite)") }
        try HandshakeTerms(self.hello).check(answer)
        let cookie = answer.extensions.first { $0.type == .cookie }
        let key = try self.requestedKey(answer.selectedGroup)
        guard key != nil || cookie != nil else { throw .illegalValue("a HelloRetryRequest that changes nothing") }
        let remainder = self.clear.remainder
        // RFC 8446 §D.4: nothing but this may come before the second hello.
        guard Self.changeCipherSpec.starts(with: remainder) else {
            throw .malformed(.unexpected("octets behind a HelloRetryRequest"))
        }
        let second = self.hello.retried(with: key, cookie: cookie)
        let first = KeySchedule(suite.digest).hash(self.hello.message)
        var transcript = OctetWriter()
        transcript.write(HandshakeType.messageHash.rawValue)
        transcript.write([0, 0, UInt8(truncatingIfNeeded: first.count)] + first + self.clear.helloMessage)
        transcript.write(second.message)
        self.retry = Retry(suite: answer.cipherSuite, group: key?.group, transcript: transcript.bytes)
        if let key { self.keys = [key] }
        self.hello = second
        self.clear = ServerFlightReader(limit: self.limit, followsRetryRequest: true)
        _ = try self.readClear(remainder)
        return .answer(Self.changeCipherSpec + second.encoded())
    }

    private static let changeCipherSpec: [UInt8] = [TLSContentType.changeCipherSpec.rawValue, 3, 3, 0, 1, 1]

    /// A key of the group that a HelloRetryRequest wants: one that was offered without a key.
    private func requestedKey(_ group: NamedGroup?) throws(HandshakeError) -> HandshakeKey? {
        guard let group else { return nil }
        guard self.hello.offers(group), !self.keys.contains(where: { $0.group == group }) else {
            throw .unoffered("\(group), in a HelloRetryRequest")
        }
        guard let key = HandshakeKey(group) else { throw .unoffered("\(group)") }
        return key
    }

    private mutating func noteEncrypted() {
        guard let flight = self.encrypted?.flight, let certificates = flight.certificates else { return }
        self.result.note(self.clear.flight.hello, certificates)
        self.result.applicationProtocol = flight.applicationProtocol
        self.result.group = self.clear.flight.hello?.selectedGroup
        self.result.supportedGroups = flight.supportedGroups
        self.result.signatureScheme = flight.signatureScheme
        self.result.ocspResponse = flight.ocspResponse
        self.result.timestamps = flight.timestamps
        self.result.certificateRequest = flight.certificateRequest
    }
}

// MARK: - TLS 1.2 and older

extension HandshakeReader {
    /// Decides what a whole flight proves. Without a signature that can be checked it proves nothing, and is no failure.
    private mutating func settleOlder(_ answer: ServerHello) throws(HandshakeError) -> Progress {
        let flight = self.clear.flight
        guard self.retry == nil else { throw .illegalValue("\(answer.version) after a HelloRetryRequest") }
        guard let leaf = flight.certificates?.first else {
            throw .malformed(.unexpected("a flight without certificates"))
        }
        guard answer.cipherSuite.hasForwardSecrecy else { return .finished }
        guard let key = flight.keyExchange else {
            throw .malformed(.unexpected("a flight without an ephemeral key"))
        }
        if case .named(let group) = key.group, !self.hello.offers(group) { throw .unoffered("\(group)") }
        if case .explicitCurve = key.group { throw .unoffered("a curve that is described") }
        guard answer.version >= .tls12 else { return .finished }
        try self.checkSignature(key, leaf)
        self.result.isKeyProven = true
        return .finished
    }

    /// RFC 5246 §7.4.3, RFC 8422 §5.4.
    private func checkSignature(_ key: ServerKeyExchange, _ leaf: [UInt8]) throws(HandshakeError) {
        guard let scheme = key.signatureScheme, self.hello.offers(scheme) else {
            throw .unoffered(key.signatureScheme.map { "\($0)" } ?? "a key without a signature")
        }
        var reader = OctetReader(key.signature[...])
        let content = self.hello.random + (self.clear.flight.hello?.random ?? []) + key.signedParameters
        guard let signature = try? reader.readVector16(), reader.isAtEnd,
            self.verifier.verifies(Array(signature), over: content, by: scheme, in: .tls12, keyOf: leaf)
        else { throw .badSignature }
    }

    private mutating func note(_ flight: ServerFlight) {
        guard self.encrypted == nil, let certificates = flight.certificates, !certificates.isEmpty else { return }
        self.result.note(flight.hello, certificates)
        self.result.applicationProtocol = flight.hello?.applicationProtocol
        if case .named(let group) = flight.keyExchange?.group { self.result.group = group }
        if case .prime(_, let group) = flight.keyExchange?.group { self.result.group = group }
        self.result.signatureScheme = flight.keyExchange?.signatureScheme
        self.result.ocspResponse = flight.ocspResponse
        self.result.timestamps = flight.timestamps
        self.result.certificateRequest = flight.certificateRequest
    }
}

extension HandshakeResult {
    fileprivate mutating func note(_ hello: ServerHello?, _ certificates: [[UInt8]]) {
        self.version = hello?.version
        self.cipherSuite = hello?.cipherSuite
        self.usesExtendedMasterSecret = hello?.usesExtendedMasterSecret
        self.certificates = certificates
    }
}
