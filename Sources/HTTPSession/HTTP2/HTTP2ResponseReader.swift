//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import HTTPExchange
import HTTPTypes
import NIOCore
import NIOHPACK

/// Reads the response on one stream (RFC 9113 §8.1), and says what is malformed about it.
struct HTTP2ResponseReader: Sendable {
    private enum State: Sendable {
        case head
        /// How many octets may still come: `nil` for any number.
        case content(left: Int?)
        case trailers(HTTPFields)
    }

    private let limits: ResponseReader.Limits
    private var state = State.head
    private var method = HTTPRequest.Method.get
    /// The octets of all heads, as SETTINGS_MAX_HEADER_LIST_SIZE counts them (§6.5.2).
    private var headSize = 0
    private(set) var hasBegun = false

    init(limits: ResponseReader.Limits) { self.limits = limits }

    /// Begins with the response to a request.
    mutating func begin(_ request: ExchangeRequest) {
        self.method = request.asksForUpgrade ? .connect : request.head.method
    }

    /// Takes fields.
    ///
    /// - Parameter isLast: Whether the stream ends with them.
    /// - Returns: A head; `nil` for trailers, which ``finish()`` returns.
    mutating func receive(_ headers: HPACKHeaders, isLast: Bool) throws(HTTP2Fault) -> ResponsePart? {
        self.hasBegun = true
        switch self.state {
        case .head: return try self.head(headers, isLast: isLast)
        case .content(let left):
            guard isLast else { throw .fields(.unendedTrailers) }
            guard left == nil || left == 0 else { throw .contentLength }
            self.state = .trailers(try self.fields(headers[...], isTrailer: true))
            return nil
        case .trailers: throw .fields(.unendedTrailers)
        }
    }

    /// Takes content.
    mutating func receive(_ octets: ByteBuffer) throws(HTTP2Fault) {
        guard case .content(let left) = self.state else { throw .unexpectedContent }
        guard let left else { return }
        guard octets.readableBytes <= left else { throw self.hasContent ? .contentLength : .unexpectedContent }
        self.state = .content(left: left - octets.readableBytes)
    }

    /// Ends the response.
    ///
    /// - Returns: The trailers.
    mutating func finish() throws(HTTP2Fault) -> HTTPFields {
        switch self.state {
        case .head: throw .fields(.endsInformational)
        case .content(let left):
            guard left == nil || left == 0 else { throw .contentLength }
            return [:]
        case .trailers(let fields): return fields
        }
    }

    private var hasContent = true

    // MARK: Heads

    private mutating func head(_ headers: HPACKHeaders, isLast: Bool) throws(HTTP2Fault) -> ResponsePart {
        guard let first = headers.first, first.name == ":status", let status = Self.status(first.value) else {
            let isOther = headers.first.map { $0.name.first == ":" && $0.name != ":status" } ?? false
            throw .fields(isOther ? .pseudoField : .status)
        }
        let fields = try self.fields(headers.dropFirst(), isTrailer: false)
        let head = ResponseHead(
            majorVersion: 2, minorVersion: 0, status: status, fields: fields,
            octets: Self.octets(status, fields))
        guard !head.isInformational else {
            guard status != 101 else { throw .fields(.switchingProtocols) }
            guard !isLast else { throw .fields(.endsInformational) }
            return .informational(head)
        }
        let length: Int?
        do { length = try head.contentLength() } catch { throw .contentLength }
        let opensTunnel = self.method == .connect && (200..<300).contains(status)
        self.hasContent = self.method != .head && ![204, 304].contains(status)
        self.state = .content(left: self.hasContent ? (opensTunnel ? nil : length) : 0)
        return .head(head)
    }

    /// A status of three digits (§8.3.2).
    private static func status(_ text: String) -> Int? {
        guard text.utf8.count == 3, text.utf8.allSatisfy({ (0x30...0x39).contains($0) }), let status = Int(text),
            status >= 100
        else { return nil }
        return status
    }

    private mutating func fields(
        _ headers: some Sequence<HPACKHeaders.Element>, isTrailer: Bool
    ) throws(HTTP2Fault) -> HTTPFields {
        var fields = HTTPFields()
        // Informational responses without fields cost something, too.
        try self.count(64)
        for (name, value, _) in headers {
            guard name.utf8.first != UInt8(ascii: ":") else {
                throw .fields(name == ":status" && !isTrailer ? .status : .pseudoField)
            }
            try self.count(name.utf8.count + value.utf8.count + 32)
            guard fields.count < self.limits.fieldCount else { throw .tooManyFields(limit: self.limits.fieldCount) }
            fields.append(try Self.field(name, value))
        }
        return fields
    }

    private mutating func count(_ octets: Int) throws(HTTP2Fault) {
        self.headSize += octets
        guard self.headSize <= self.limits.headSize else { throw .headTooLarge(limit: self.limits.headSize) }
    }

    private static func field(_ name: String, _ value: String) throws(HTTP2Fault) -> HTTPField {
        do {
            return try HTTPField(http2: name, value: value)
        } catch {
            switch error {
            case .name: throw .fields(.name)
            case .value: throw .fields(.value)
            case .connection: throw .fields(.connection)
            }
        }
    }

    /// The head as curl writes it, for people to see.
    private static func octets(_ status: Int, _ fields: HTTPFields) -> ByteBuffer {
        var octets = ByteBuffer(string: "HTTP/2 \(status) \r\n")
        for field in fields {
            octets.writeString("\(field.name.rawName): \(field.value)\r\n")
        }
        octets.writeStaticString("\r\n")
        return octets
    }
}
