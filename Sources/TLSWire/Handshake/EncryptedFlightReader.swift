//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// A reader of the encrypted part of a server's flight in TLS 1.3. The flight ends with a Finished, which it verifies (RFC 8446
/// §2).
struct EncryptedFlightReader: Sendable {
    private(set) var flight = EncryptedFlight()

    private let hello: ClientHello
    private let verifier: any HandshakeSignatureVerifier
    private let schedule: KeySchedule
    private let secret: [UInt8]
    private let limit: Int
    private var protection: RecordProtection
    private var transcript: [UInt8]
    private var records: [UInt8] = []
    private var messages: [UInt8] = []
    private var recordCount = 0
    private var step = Step.extensions

    /// The next message. Only the request for a certificate may be missing.
    private enum Step {
        case extensions
        case requestOrCertificate
        case certificate
        case signature
        case finished
        case end
    }

    /// - Parameters:
    ///   - hello: The client's hello.
    ///   - suite: The chosen suite.
    ///   - sharedSecret: The result of the key agreement.
    ///   - transcript: The messages up to the ServerHello, inclusive.
    ///   - verifier: The verifier of the signature.
    ///   - limit: The maximum length of a message in octets.
    init(
        _ hello: ClientHello, _ suite: (cipher: RecordProtection.Cipher, digest: KeySchedule.Digest),
        sharedSecret: [UInt8], transcript: [UInt8], verifier: any HandshakeSignatureVerifier, limit: Int
    ) {
        self.hello = hello
        self.verifier = verifier
        self.limit = limit
        self.transcript = transcript
        self.schedule = KeySchedule(suite.digest)
        self.secret = self.schedule.serverHandshakeSecret(sharedSecret, transcript: transcript)
        self.protection = RecordProtection(suite.cipher, self.schedule, secret: self.secret)
    }

    /// Reads the next octets and returns `true` at the end of the flight.
    mutating func read(_ bytes: some Collection<UInt8>) throws(HandshakeError) -> Bool {
        self.records.append(contentsOf: bytes)
        var rest = self.records[...]
        defer { if rest.startIndex > 0 { self.records = Array(rest) } }
        while self.step != .end {
            guard let record = try Self.next(&rest) else { return false }
            try self.read(record)
        }
        // RFC 8446 §5.1: the keys change after the Finished.
        guard self.messages.isEmpty else { throw .malformed(.unexpected("octets behind the Finished")) }
        return true
    }

    private static func next(_ rest: inout ArraySlice<UInt8>) throws(HandshakeError) -> TLSRecord? {
        do throws(FlightError) { return try TLSRecord.next(&rest) } catch { throw .malformed(error) }
    }

    private mutating func read(_ record: TLSRecord) throws(HandshakeError) {
        self.recordCount += 1
        guard self.recordCount <= TLSRecord.maximumCount else { throw .malformed(.tooManyRecords) }
        switch TLSContentType(rawValue: record.type) {
        // RFC 8446 §D.4: a ChangeCipherSpec is sent for the sake of middleboxes, always with this value.
        case .changeCipherSpec where record.content.elementsEqual([1]): return
        case .applicationData: break
        // A server without keys sends its alerts in the clear.
        case .alert: throw Self.alert(record.content)
        default: throw .malformed(.unexpected("a record of type \(record.type) that is not protected"))
        }
        let (type, content) = try self.protection.open(record)
        switch TLSContentType(rawValue: type) {
        case .handshake where !content.isEmpty:
            self.messages.append(contentsOf: content)
            try self.readMessages()
        case .alert: throw Self.alert(content)
        default: throw .malformed(.unexpected("a protected record of type \(type)"))
        }
    }

    /// Reads an alert, which is always fatal here, whatever its level (RFC 8446 §6).
    private static func alert(_ content: ArraySlice<UInt8>) -> HandshakeError {
        guard content.count == 2, let description = content.last else {
            return .malformed(.undecodable("an alert of \(content.count) octets"))
        }
        return .alert(TLSAlertDescription(rawValue: description))
    }
}

// MARK: - Messages

extension EncryptedFlightReader {
    private mutating func readMessages() throws(HandshakeError) {
        var rest = self.messages[...]
        defer { if rest.startIndex > 0 { self.messages = Array(rest) } }
        while self.step != .end, rest.count >= 4 {
            let start = rest.startIndex
            let length = Int(rest[start + 1]) << 16 | Int(rest[start + 2]) << 8 | Int(rest[start + 3])
            guard length <= self.limit else {
                throw .malformed(.messageTooLong(type: rest[start], length: length))
            }
            guard rest.count >= 4 + length else { return }
            let message = rest.prefix(4 + length)
            try self.read(message[start], message.dropFirst(4))
            self.transcript += message
            rest = rest.dropFirst(4 + length)
        }
    }

    private mutating func read(_ type: UInt8, _ body: ArraySlice<UInt8>) throws(HandshakeError) {
        do throws(FlightError) {
            switch (HandshakeType(rawValue: type), self.step) {
            case (.encryptedExtensions, .extensions): try self.readExtensions(body)
            case (.certificateRequest, .requestOrCertificate):
                self.flight.certificateRequest = try EncryptedMessages.request(body)
                self.step = .certificate
            case (.certificate, .requestOrCertificate), (.certificate, .certificate): try self.readCertificates(body)
            case (.compressedCertificate, .requestOrCertificate), (.compressedCertificate, .certificate):
                guard self.hello.offers(.compressCertificate) else {
                    throw .unexpected("a handshake message of type \(type)")
                }
                try self.readCertificates(try CompressedCertificate.content(body, limit: self.limit)[...])
            case (.certificateVerify, .signature):
                (self.flight.signatureScheme, self.flight.signature) = try EncryptedMessages.signature(body)
            case (.finished, .finished): self.flight.finished = Array(body)
            default: throw .unexpected("a handshake message of type \(type)")
            }
        } catch {
            throw .malformed(error)
        }
        try self.check()
    }

    private mutating func readExtensions(_ body: ArraySlice<UInt8>) throws(FlightError) {
        self.flight.extensions = try EncryptedMessages.extensions(body)
        self.flight.applicationProtocol = try EncryptedMessages.applicationProtocol(self.flight.extensions)
        // Clients must not act on it before the end of the handshake (RFC 8446 §4.2.7) and ignore it, so its faults are ignored,
        // too.
        self.flight.supportedGroups = (try? EncryptedMessages.supportedGroups(self.flight.extensions)) ?? []
    }

    private mutating func readCertificates(_ body: ArraySlice<UInt8>) throws(FlightError) {
        let entries = try EncryptedMessages.certificates(body)
        guard let leaf = entries.first else { throw .undecodable("no certificate") }
        self.flight.certificates = entries.map(\.certificate)
        self.flight.ocspResponse = try leaf.ocspResponse()
        self.flight.timestamps = leaf.timestamps
        self.flight.certificateExtensions = entries.flatMap(\.extensions)
    }

    /// Checks the message just read against the offer and against the messages before it.
    private mutating func check() throws(HandshakeError) {
        switch self.step {
        case .extensions:
            try self.checkExtensions()
            self.step = .requestOrCertificate
        case .requestOrCertificate, .certificate:
            guard self.flight.certificates != nil else { return }
            for element in self.flight.certificateExtensions { try self.check(element, isOfCertificate: true) }
            self.step = .signature
        case .signature:
            try self.checkSignature()
            self.step = .finished
        case .finished:
            let expected = self.schedule.finished(of: self.secret, transcript: self.transcript)
            guard self.flight.finished == expected else { throw .badFinished }
            self.step = .end
        case .end: break
        }
    }

    private func checkExtensions() throws(HandshakeError) {
        for element in self.flight.extensions { try self.check(element, isOfCertificate: false) }
        guard let name = self.flight.applicationProtocol else { return }
        guard self.hello.applicationProtocols.contains(Array(name.utf8)) else {
            throw .unoffered("the protocol \(name)")
        }
    }

    /// Checks that the extension was offered and is allowed in this message (RFC 8446 §4.2).
    private func check(_ element: HelloExtension, isOfCertificate: Bool) throws(HandshakeError) {
        let isAllowed =
            isOfCertificate
            ? [.statusRequest, .certificateTimestamps].contains(element.type)
            : !Self.foreign.contains(element.type)
        guard self.hello.offers(element.type), isAllowed else {
            throw .unoffered("the extension \(element.type.rawValue) in TLS 1.3")
        }
    }

    /// The extensions that are not allowed in EncryptedExtensions.
    private static let foreign: Set<HelloExtension.ExtensionType> = [
        .statusRequest, .signatureAlgorithms, .certificateTimestamps, .padding, .preSharedKey, .supportedVersions,
        .compressCertificate, .cookie, .pskExchangeModes, .certificateAuthorities, .keyShare, .encryptThenMAC,
        .extendedMasterSecret,
        .sessionTicket, .renegotiationInfo, .pointFormats,
    ]

    private func checkSignature() throws(HandshakeError) {
        guard let scheme = self.flight.signatureScheme, let leaf = self.flight.certificates?.first else {
            throw .badSignature
        }
        guard scheme.isUsableInTLS13, self.hello.offers(scheme) else { throw .unoffered("\(scheme)") }
        // RFC 8446 §4.4.3.
        let content =
            [UInt8](repeating: 0x20, count: 64) + Array("TLS 1.3, server CertificateVerify".utf8) + [0]
            + self.schedule.hash(self.transcript)
        guard
            self.verifier.verifies(self.flight.signature, over: content, by: scheme, in: .tls13, keyOf: leaf)
        else { throw .badSignature }
    }
}

/// The encrypted messages of a server's flight.
struct EncryptedFlight: Sendable {
    var extensions: [HelloExtension] = []
    var applicationProtocol: String?
    var supportedGroups: [NamedGroup] = []
    var certificateRequest: ClientCertificateRequest?
    var certificates: [[UInt8]]?
    var certificateExtensions: [HelloExtension] = []
    var ocspResponse: [UInt8]?
    var timestamps: [UInt8]?
    var signatureScheme: SignatureScheme?
    var signature: [UInt8] = []
    var finished: [UInt8]?
}
