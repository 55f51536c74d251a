//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// An incremental reader of a server's answer in the clear.
///
/// Records may arrive in any pieces, and messages may span any number of records. The reader never keeps more than a limit of
/// either. Pass received bytes to ``read(_:)`` until it returns an end or throws. ``flight`` has everything read so far.
public struct ServerFlightReader: Sendable {
    /// The messages read so far.
    public private(set) var flight = ServerFlight()
    /// The number of bytes received so far.
    public private(set) var receivedBytes = 0

    private let limit: Int
    private let end: End
    private var records: [UInt8] = []
    private var messages: [UInt8] = []
    private var recordCount = 0
    /// `true` after a HelloRetryRequest, when a server may send a ChangeCipherSpec first (RFC 8446 §D.4).
    private let followsRetryRequest: Bool
    /// The last ServerHello or HelloRetryRequest as received, as a handshake message.
    package private(set) var helloMessage: [UInt8] = []
    /// The final result, which later bytes do not change.
    private var outcome: Result<Progress, FlightError>?

    /// The default limit in octets, more than any server's flight in the clear.
    public static let defaultLimit = 256 * 1024
    private static let maximumWarnings = 8

    /// Creates a reader.
    ///
    /// - Parameters:
    ///   - limit: The maximum number of octets of the answer.
    ///   - end: The point at which the answer ends.
    public init(limit: Int = Self.defaultLimit, endingWith end: End = .flight) {
        self.init(limit: limit, endingWith: end, followsRetryRequest: false)
    }

    /// Creates a reader of the answer to a second hello.
    package init(limit: Int, endingWith end: End = .flight, followsRetryRequest: Bool) {
        self.limit = limit
        self.end = end
        self.followsRetryRequest = followsRetryRequest
    }

    package var remainder: [UInt8] { self.records }
    /// `true` if the last record of the flight has further octets.
    package var hasExcessOctets: Bool { !self.messages.isEmpty }

    /// The point at which an answer ends, unless an alert ends it earlier.
    public enum End: Sendable, Hashable {
        /// The end of all messages in the clear. A HelloRetryRequest ends the answer, too.
        case flight
        /// The ServerHello, which settles the version and the cipher suite. A HelloRetryRequest before it settles neither (RFC 8446
        /// §4.1.4).
        case serverHello
    }

    /// The progress of reading an answer.
    public enum Progress: Sendable, Hashable {
        /// More bytes are needed.
        case unfinished
        /// The answer is complete, or an alert ended it.
        case finished
        /// The bytes are not TLS. The text is their beginning in printable characters.
        case notTLS(beginning: String)
    }

    /// Reads the next bytes. The result does not depend on how they are split.
    ///
    /// - Parameter bytes: Received bytes.
    /// - Returns: The progress. After the end of the answer it stays the same.
    /// - Throws: ``FlightError`` if the bytes break the rules of TLS or exceed the limits. Earlier messages stay in ``flight``.
    public mutating func read(_ bytes: some Collection<UInt8>) throws(FlightError) -> Progress {
        try self.read(octets: Array(bytes))
    }

    /// Reads the next octets from an array, which is kept without a copy.
    package mutating func read(octets: [UInt8]) throws(FlightError) -> Progress {
        let room = max(0, self.limit - self.receivedBytes)
        self.receivedBytes += octets.count
        if let outcome { return try outcome.get() }
        do throws(FlightError) {
            let progress = try self.advance(octets.count > room ? Array(octets.prefix(room)) : octets)
            if progress != .unfinished { self.outcome = .success(progress) }
            return progress
        } catch {
            self.outcome = .failure(error)
            throw error
        }
    }

    private mutating func advance(_ octets: [UInt8]) throws(FlightError) -> Progress {
        if self.records.isEmpty { self.records = octets } else { self.records += octets }
        var rest = self.records[...]
        // Octets may arrive one at a time. The remaining ones are copied only after a record was taken.
        defer { if rest.startIndex > 0 { self.records = Array(rest) } }
        while !self.isFinished {
            guard TLSRecord.canBegin(rest) else { return .notTLS(beginning: PrintableASCII.text(rest, limit: 60)) }
            guard let record = try TLSRecord.next(&rest) else { break }
            try self.read(record.content, of: record.type)
        }
        if self.isFinished { return .finished }
        guard self.receivedBytes <= self.limit else { throw .tooMuch(limit: self.limit) }
        return .unfinished
    }

    private var isFinished: Bool { self.flight.isComplete || self.flight.alert != nil }
}

// MARK: - Records and messages

extension ServerFlightReader {
    private mutating func read(_ content: ArraySlice<UInt8>, of type: UInt8) throws(FlightError) {
        self.recordCount += 1
        guard self.recordCount <= TLSRecord.maximumCount else { throw .tooManyRecords }
        // RFC 8446 §5.1, and RFC 5246 §6.2.1 for all types but application data.
        guard !content.isEmpty else { throw .emptyRecord }
        switch TLSContentType(rawValue: type) {
        case .handshake:
            self.messages.append(contentsOf: content)
            try self.readMessages()
        case .alert: try self.readAlert(content)
        // A server sends it after a HelloRetryRequest for the sake of middleboxes (RFC 8446 §D.4).
        case .changeCipherSpec where self.flight.hello != nil || self.followsRetryRequest: break
        default: throw .unexpected("a record of type \(type)")
        }
    }

    private mutating func readAlert(_ content: ArraySlice<UInt8>) throws(FlightError) {
        var reader = OctetReader(content)
        let level = try reader.readUInt8()
        let alert = TLSAlertDescription(rawValue: try reader.readUInt8())
        // RFC 8446 §6: in TLS 1.3 all alerts are fatal but the two that close. Old servers send warnings about unknown names.
        guard level == 1, alert.rawValue != 0 else {
            self.flight.alert = alert
            return
        }
        guard self.flight.warnings.count < Self.maximumWarnings else { throw .tooManyRecords }
        self.flight.warnings.append(alert)
    }

    private mutating func readMessages() throws(FlightError) {
        var rest = self.messages[...]
        defer { if rest.startIndex > 0 { self.messages = Array(rest) } }
        while !self.isFinished, rest.count >= 4 {
            var header = OctetReader(rest)
            let type = try header.readUInt8()
            let length = try header.readUInt24()
            guard length <= self.limit else { throw .messageTooLong(type: type, length: length) }
            guard header.count >= length else { return }
            let body = try header.read(length)
            if type == HandshakeType.serverHello.rawValue { self.helloMessage = Array(rest.prefix(4 + length)) }
            rest = rest.dropFirst(4 + length)
            try self.readMessage(type, body)
        }
    }

    private mutating func readMessage(_ type: UInt8, _ body: ArraySlice<UInt8>) throws(FlightError) {
        guard let hello = self.flight.hello, self.end == .flight else {
            switch HandshakeType(rawValue: type) {
            case .helloRequest where body.isEmpty && self.flight.hello == nil: return
            case .serverHello: return try self.readHello(body)
            default: throw .unexpected("a handshake message of type \(type)")
            }
        }
        switch HandshakeType(rawValue: type) {
        case .certificate where self.flight.certificates == nil:
            self.flight.certificates = try CertificateMessages.certificates(body)
        case .certificateStatus where self.flight.ocspResponse == nil:
            self.flight.ocspResponse = try CertificateMessages.ocspResponse(body)
        case .serverKeyExchange where self.flight.keyExchange == nil:
            self.flight.keyExchange = try ServerKeyExchange(body, suite: hello.cipherSuite, version: hello.version)
        case .certificateRequest where self.flight.certificateRequest == nil:
            self.flight.certificateRequest = try CertificateMessages.request(body, version: hello.version)
        case .serverHelloDone where body.isEmpty: self.flight.isComplete = true
        case .supplementalData, .newSessionTicket: break
        default: throw .unexpected("a handshake message of type \(type)")
        }
    }

    private mutating func readHello(_ body: ArraySlice<UInt8>) throws(FlightError) {
        let hello = try ServerHello(body)
        // RFC 8446 §4.1.4: the client sends a second hello, and never a third.
        guard self.flight.hello == nil || !hello.isRetryRequest else { throw .unexpected("a second HelloRetryRequest") }
        self.flight.hello = hello
        self.flight.isComplete =
            switch self.end {
            // All further messages are encrypted, or wait for another hello.
            case .flight: hello.version >= .tls13
            case .serverHello: !hello.isRetryRequest
            }
    }
}

/// The messages in the clear of a server's answer to a hello.
///
/// ``ServerFlightReader`` fills it. In TLS 1.3 it ends with the ServerHello, and the certificates are encrypted.
public struct ServerFlight: Sendable, Hashable {
    /// The ServerHello or HelloRetryRequest.
    public var hello: ServerHello?
    /// The certificates in DER, in the order sent, or `nil` if there was no Certificate message.
    public var certificates: [[UInt8]]?
    /// The stapled OCSP response in DER, not parsed.
    public var ocspResponse: [UInt8]?
    /// The ephemeral key.
    public var keyExchange: ServerKeyExchange?
    /// The request for a client certificate.
    public var certificateRequest: ClientCertificateRequest?
    /// The fatal alert that ended the flight.
    public var alert: TLSAlertDescription?
    /// The alerts of warning level.
    public var warnings: [TLSAlertDescription] = []
    /// `true` if all messages in the clear were received.
    public var isComplete = false

    /// The list of signed certificate timestamps in TLS 1.2 and older (RFC 6962 §3.3.1), not parsed, or `nil` if there is none.
    public var timestamps: [UInt8]? {
        self.hello?.extensions.first { $0.type == .certificateTimestamps }?.content
    }

    /// Creates a flight without messages.
    public init() {}
}
