//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import AppTransportSecurity
import HTTPSession
import NIOCore
import ServerTrust
import ServerTrustNIO
import TLSWire

/// Reads the hellos of a program and its server in passing, and lets octets go on once they are checked.
///
/// With TLS 1.2 and older the certificate of the server is in the clear, and must be the one that was judged. With TLS 1.3 it is
/// encrypted (RFC 8446 §4.4): there the name, the version and the cipher suite are checked, and the certificate is the program's to
/// check.
struct TunnelHandshake {
    /// Whose octets come next.
    enum Side: Sendable, Hashable {
        case client, server
    }

    /// Whose octets are read next; `nil` once everything may pass, or the handshake has ended.
    private(set) var awaited: Side? = .client
    /// By which alert the server has ended the handshake; `nil` where it has not. The alert passes, and nothing behind it.
    private(set) var alert: TLSAlertDescription?
    /// What the client sent behind its hello. It goes on once everything may pass.
    private(set) var ofClient = ByteBuffer()

    private let host: Host
    private let judged: JudgedServer
    private var ofServer = ByteBuffer()
    private var answer = ServerFlightReader()
    private var hasRetried = false
    private var offersTLS13 = false

    /// - Parameters:
    ///   - host: The host of the tunnel.
    ///   - judged: The server as the gate let it through.
    init(to host: Host, _ judged: JudgedServer) { (self.host, self.judged) = (host, judged) }

    /// Reads what came from the awaited side.
    ///
    /// - Returns: What may go on to the other side; `nil` while more has to come.
    /// - Throws: ``TunnelFault``
    mutating func receive(_ octets: ByteBuffer) throws(TunnelFault) -> ByteBuffer? {
        guard self.awaited == .client else { return try self.readAnswer(octets) }
        self.ofClient.writeImmutableBuffer(octets)
        return try self.readHello()
    }

    // MARK: The client

    private mutating func readHello() throws(TunnelFault) -> ByteBuffer? {
        let progress: ReceivedClientHello.Progress
        do {
            progress = try ReceivedClientHello.read(
                Array(self.ofClient.readableBytesView), followsRetryRequest: self.hasRetried)
        } catch {
            throw .malformedHello(error)
        }
        switch progress {
        case .unfinished: return nil
        case .notTLS: throw .notTLS
        case .finished(let hello):
            try self.check(hello)
            self.offersTLS13 = hello.supportedVersions.contains(.tls13)
            self.awaited = .server
            return self.ofClient.readSlice(length: hello.size)
        }
    }

    private func check(_ hello: ReceivedClientHello) throws(TunnelFault) {
        guard !hello.mayHideName else { throw .hiddenName }
        let expected = self.host.serverNameIndication
        // Names are compared without regard to case; an address is no name (RFC 6066 §3).
        guard hello.serverName?.lowercased() == expected?.lowercased() else {
            throw .serverName(hello.serverName, expected: expected)
        }
    }

    // MARK: The server

    private mutating func readAnswer(_ octets: ByteBuffer) throws(TunnelFault) -> ByteBuffer? {
        self.ofServer.writeImmutableBuffer(octets)
        let progress: ServerFlightReader.Progress
        do {
            progress = try self.answer.read(octets: Array(buffer: octets))
        } catch {
            throw self.isResumed ? .resumedSession : .malformedAnswer(error)
        }
        guard !self.isResumed else { throw .resumedSession }
        switch progress {
        case .unfinished: return nil
        case .notTLS: throw .serverNotTLS
        case .finished: return try self.pass()
        }
    }

    /// Whether the server encrypts without having shown a certificate (RFC 5246 §7.3).
    private var isResumed: Bool {
        guard let hello = self.answer.flight.hello, hello.version < .tls13 else { return false }
        return self.answer.hasChangedCipherSpec && self.answer.flight.certificates == nil
    }

    private mutating func pass() throws(TunnelFault) -> ByteBuffer? {
        guard self.answer.flight.alert == nil, let hello = self.answer.flight.hello else {
            (self.awaited, self.alert) = (nil, self.answer.flight.alert ?? .internalError)
            return self.takeAnswer()
        }
        try self.checkVersion(hello)
        if hello.isRetryRequest { return try self.passRetryRequest() }
        try self.check(hello)
        self.awaited = nil
        return self.ofServer.readSlice(length: self.ofServer.readableBytes)
    }

    /// Only with TLS 1.3, which the program must have offered, may the certificate be out of sight.
    private func checkVersion(_ hello: ServerHello) throws(TunnelFault) {
        guard hello.version >= .tls13 else {
            guard !hello.isRetryRequest else {
                throw .malformedAnswer(.unexpected("a HelloRetryRequest of an older version"))
            }
            return
        }
        // TLS 1.3 is agreed on by an extension alone (RFC 8446 §4.1.3).
        guard hello.version == .tls13, hello.legacyVersion == .tls12, self.offersTLS13 else {
            throw .malformedAnswer(.unexpected("a version that was not offered"))
        }
        // RFC 8446 §5.1: what follows a hello is protected, and in another record.
        guard !self.answer.hasExcessOctets else { throw .malformedAnswer(.unexpected("more in the same record")) }
    }

    private func check(_ hello: ServerHello) throws(TunnelFault) {
        let connection = ATSConnection(
            version: hello.version, cipherSuite: hello.cipherSuite,
            usesExtendedMasterSecret: hello.usesExtendedMasterSecret, trust: nil)
        let requirements = self.judged.gated.verdict.requirements
        if let violation = requirements.violations(ofTransport: connection).first { throw .transport(violation) }
        guard hello.version < .tls13 else { return }
        guard let leaf = self.answer.flight.certificates?.first else { throw .noCertificate }
        guard leaf == self.judged.leaf.derRepresentation else { throw .anotherCertificate }
    }

    /// RFC 8446 §4.1.4: the client sends its hello again, which is checked as the first one was.
    private mutating func passRetryRequest() throws(TunnelFault) -> ByteBuffer? {
        guard !self.hasRetried else { throw .malformedAnswer(.unexpected("a second HelloRetryRequest")) }
        let (checked, early) = (self.takeAnswer(), self.answer.remainder)
        self.answer = ServerFlightReader(limit: ServerFlightReader.defaultLimit, followsRetryRequest: true)
        (self.hasRetried, self.awaited) = (true, .client)
        do throws(FlightError) {
            // A record for the sake of middleboxes may be there already, and nothing else.
            guard try self.answer.read(early) == .unfinished else { throw FlightError.unexpected("an early answer") }
        } catch {
            throw .malformedAnswer(error)
        }
        return checked
    }

    /// What came, up to the end of what was read.
    private mutating func takeAnswer() -> ByteBuffer? {
        self.ofServer.readSlice(length: max(0, self.ofServer.readableBytes - self.answer.remainder.count))
    }
}
