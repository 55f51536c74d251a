//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// A reader of a server's answer that verifies the server's possession of its certificate's key.
///
/// In TLS 1.3 the CertificateVerify proves the key (RFC 8446 §4.4.3), and the Finished authenticates all messages. In TLS 1.2 the
/// signature over the ephemeral key proves it (RFC 8422 §5.4). Older versions, and suites without an ephemeral key, prove nothing
/// before the client sends more.
///
/// The client sends only its hello, and a second one if the server requests it. It never sends a Finished or application data. The
/// result does not depend on how the octets are split.
public struct HandshakeReader: Sendable {
    /// The facts known so far. They are authenticated only if ``HandshakeResult/isKeyProven`` is `true`.
    public private(set) var result = HandshakeResult()
    /// The number of octets received so far.
    public private(set) var receivedBytes = 0

    private let verifier: any HandshakeSignatureVerifier
    private let limit: Int
    /// The hello that the server answers. After a HelloRetryRequest it is the second one.
    private var hello: ClientHello
    private var keys: [HandshakeKey]
    private var clear: ServerFlightReader
    private var encrypted: EncryptedFlightReader?
    private var retry: Retry?
    private var ending: Result<Progress, HandshakeError>?

    /// A HelloRetryRequest that the client has answered.
    private struct Retry {
        let suite: CipherSuite
        let group: NamedGroup?
        /// The transcript of the first hello as its digest, the HelloRetryRequest and the second hello (RFC 8446 §4.4.1).
        let transcript: [UInt8]
    }

    /// The progress of reading an answer.
    public enum Progress: Sendable, Hashable {
        /// More octets are needed.
        case unfinished
        /// The caller must send these octets and then read on.
        case answer([UInt8])
        /// The server's flight is complete.
        case finished
    }

    /// Creates a reader.
    ///
    /// - Parameters:
    ///   - hello: The hello that was sent.
    ///   - keys: The keys of its key shares.
    ///   - verifier: The verifier of signatures.
    ///   - limit: The maximum number of octets of the answer.
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
    /// - Parameter bytes: Received octets.
    /// - Returns: The progress. After the end of the flight it stays the same.
    /// - Throws: ``HandshakeError`` if the server can no longer prove its key. Earlier facts stay in ``result``.
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

    /// Answers a HelloRetryRequest, which must change the hello (RFC 8446 §4.1.4).
    private mutating func answerRetry(_ answer: ServerHello) throws(HandshakeError) -> Progress {
        guard self.retry == nil else { throw .malformed(.unexpected("a second HelloRetryRequest")) }
        guard let suite = answer.cipherSuite.handshakeProtection else { throw .unoffered("\(answer.cipherSuite)") }
        try HandshakeTerms(self.hello).check(answer)
        let cookie = answer.extensions.first { $0.type == .cookie }
        let key = try self.requestedKey(answer.selectedGroup)
        guard key != nil || cookie != nil else { throw .illegalValue("a HelloRetryRequest that changes nothing") }
        let remainder = self.clear.remainder
        // RFC 8446 §D.4: only this may precede the second hello.
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

    /// Creates a key of the group that a HelloRetryRequest selects, which must have been offered without a key.
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
    /// Evaluates the proof of a complete flight. Without a verifiable signature it proves nothing, which is not a failure.
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

    /// Verifies the signature over the ephemeral key (RFC 5246 §7.4.3, RFC 8422 §5.4).
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
