//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// Reads a server's answer as it comes: records in any pieces, messages over any number of records, and never more than a
/// limit of either.
public struct ServerFlightReader: Sendable {
    /// What has been said so far.
    public private(set) var flight = ServerFlight()
    /// How much has come.
    public private(set) var receivedBytes = 0

    private let limit: Int
    private let end: End
    private var records: [UInt8] = []
    private var messages: [UInt8] = []
    private var recordCount = 0
    /// Whether a HelloRetryRequest came before, for the sake of which more may be sent first (RFC 8446 §D.4).
    private let followsRetryRequest: Bool
    /// The last ServerHello or HelloRetryRequest as it came, as a handshake message.
    package private(set) var helloMessage: [UInt8] = []
    /// How it ended, which nothing that follows changes.
    private var outcome: Result<Progress, FlightError>?

    /// More than any server's flight in the clear.
    public static let defaultLimit = 256 * 1024
    private static let maximumWarnings = 8

    /// A reader.
    ///
    /// - Parameters:
    ///   - limit: How many octets are read of one answer.
    ///   - end: Where the answer ends.
    public init(limit: Int = Self.defaultLimit, endingWith end: End = .flight) {
        self.init(limit: limit, endingWith: end, followsRetryRequest: false)
    }

    /// A reader of what answers a second hello.
    package init(limit: Int, endingWith end: End = .flight, followsRetryRequest: Bool) {
        self.limit = limit
        self.end = end
        self.followsRetryRequest = followsRetryRequest
    }

    /// What has come after the record that the flight ended with.
    package var remainder: [UInt8] { self.records }
    /// Whether that record holds more than the flight.
    package var hasExcessOctets: Bool { !self.messages.isEmpty }

    /// Where an answer ends, unless an alert ends it before.
    public enum End: Sendable, Hashable {
        /// With all that is said in the clear in answer to one hello. A HelloRetryRequest ends it, too.
        case flight
        /// With the ServerHello that settles the version and the cipher suite. A HelloRetryRequest before it settles
        /// neither (RFC 8446 §4.1.4).
        case serverHello
    }

    /// What reading some bytes has come to.
    public enum Progress: Sendable, Hashable {
        /// More is to come.
        case unfinished
        /// All that is in the clear is there, or an alert that ends it.
        case finished
        /// The bytes are not TLS: how they begin, in printable characters.
        case notTLS(beginning: String)
    }

    /// Reads the next bytes. However they are cut into pieces, what is read of them is the same.
    ///
    /// - Parameter bytes: Bytes as they came.
    /// - Returns: How far it got; when it came to an end before, that again.
    /// - Throws: ``FlightError`` when they break TLS's rules, or the limits. What was read before stays in ``flight``.
    public mutating func read(_ bytes: some Collection<UInt8>) throws(FlightError) -> Progress {
        try self.read(octets: Array(bytes))
    }

    /// The same with the octets in an array of their own, which is kept and not copied.
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
        // Octets may come one by one: what is kept is copied only when something was taken from it.
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
        // RFC 8446 §5.1, and RFC 5246 §6.2.1 for all but application data.
        guard !content.isEmpty else { throw .emptyRecord }
        switch TLSContentType(rawValue: type) {
        case .handshake:
            self.messages.append(contentsOf: content)
            try self.readMessages()
        case .alert: try self.readAlert(content)
        // Sent for the sake of middleboxes after a HelloRetryRequest (RFC 8446 §D.4).
        case .changeCipherSpec where self.flight.hello != nil || self.followsRetryRequest: break
        default: throw .unexpected("a record of type \(type)")
        }
    }

    private mutating func readAlert(_ content: ArraySlice<UInt8>) throws(FlightError) {
        var reader = OctetReader(content)
        let level = try reader.readUInt8()
        let alert = TLSAlertDescription(rawValue: try reader.readUInt8())
        // RFC 8446 §6: from there on everything is fatal but the two that close. Old servers warn of unknown names.
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
            // All that follows is encrypted, or waits for another hello.
            case .flight: hello.version >= .tls13
            case .serverHello: !hello.isRetryRequest
            }
    }
}

/// What a server says in the clear in answer to a hello.
public struct ServerFlight: Sendable, Hashable {
    /// The hello, also one that asks for another try.
    public var hello: ServerHello?
    /// The certificates in DER, in the order they were sent; `nil` when there was no such message.
    public var certificates: [[UInt8]]?
    /// The stapled OCSP response, in DER, unread.
    public var ocspResponse: [UInt8]?
    /// The ephemeral key.
    public var keyExchange: ServerKeyExchange?
    /// What is wanted of a client certificate.
    public var certificateRequest: ClientCertificateRequest?
    /// The fatal alert that ended it.
    public var alert: TLSAlertDescription?
    /// The alerts that did not end it.
    public var warnings: [TLSAlertDescription] = []
    /// Whether all that is said in the clear is there.
    public var isComplete = false

    /// The list of signed certificate timestamps of TLS 1.2 and older (RFC 6962 §3.3.1), unread; `nil` without one.
    public var timestamps: [UInt8]? {
        self.hello?.extensions.first { $0.type == .certificateTimestamps }?.content
    }

    /// Nothing has been said yet.
    public init() {}
}
