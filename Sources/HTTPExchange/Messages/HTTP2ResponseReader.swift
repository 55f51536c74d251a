//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

package import HTTPTypes
import NIOCore

/// A reader of the response on one stream of HTTP/2 (RFC 9113 §8.1).
package struct HTTP2ResponseReader: Sendable {
    private var message: HTTP2MessageReader
    private var method = HTTPRequest.Method.get
    private(set) package var hasBegun = false
    /// The fields after the content, once they have arrived.
    private(set) package var trailers = HTTPFields()

    /// Creates a reader.
    ///
    /// - Parameter limits: The limits on a response.
    package init(limits: MessageLimits) { self.message = HTTP2MessageReader(.response, limits: limits) }

    /// Begins the response to a request.
    ///
    /// - Parameter method: The method of the request on the stream, which is CONNECT for another protocol (RFC 8441 §4).
    package mutating func begin(method: HTTPRequest.Method) { self.method = method }

    /// Takes the fields of a HEADERS frame.
    ///
    /// - Parameters:
    ///   - lines: The names and values in their order.
    ///   - isLast: `true` if the frame ends the stream.
    /// - Returns: The head, or `nil` for trailers.
    package mutating func receive(
        _ lines: some Sequence<(name: String, value: String)>, isLast: Bool
    ) throws(HTTP2MessageFault) -> ResponsePart? {
        self.hasBegun = true
        switch try self.message.receive(lines, isLast: isLast) {
        case .head(let pseudo, let fields):
            guard let status = pseudo[":status"].flatMap(Self.status) else { throw .status }
            return try self.head(status, fields, isLast: isLast)
        case .trailers(let fields):
            self.trailers = fields
            return nil
        }
    }

    /// Takes the content of a DATA frame.
    ///
    /// - Parameters:
    ///   - count: The number of octets.
    ///   - isLast: `true` if the frame ends the stream.
    package mutating func receive(_ count: Int, isLast: Bool) throws(HTTP2MessageFault) {
        try self.message.receive(count, isLast: isLast)
    }

    private mutating func head(
        _ status: Int, _ fields: HTTPFields, isLast: Bool
    ) throws(HTTP2MessageFault) -> ResponsePart {
        let head = ResponseHead(
            majorVersion: 2, minorVersion: 0, status: status, fields: fields, octets: Self.octets(status, fields))
        guard !head.isInformational else {
            guard status != 101 else { throw .switchingProtocols }
            guard !isLast else { throw .endsInformational }
            return .informational(head)
        }
        let framing: MessageFraming
        do { framing = try head.framing(method: self.method, upgrades: false) } catch { throw .message(error) }
        // The fields of a successful CONNECT do not frame the tunnel's octets (RFC 9110 §9.3.6).
        let opensTunnel = self.method == .connect && (200..<300).contains(status)
        try self.message.expect(opensTunnel ? .untilClose : framing, isLast: isLast)
        return .head(head)
    }

    /// Returns the number of a status of three digits (§8.3.2), or `nil` if it is invalid.
    private static func status(_ text: String) -> Int? {
        guard text.utf8.count == 3, text.utf8.allSatisfy({ (0x30...0x39).contains($0) }), let status = Int(text),
            status >= 100
        else { return nil }
        return status
    }

    /// Returns the head in curl's form, for display.
    private static func octets(_ status: Int, _ fields: HTTPFields) -> ByteBuffer {
        var octets = ByteBuffer(string: "HTTP/2 \(status) \r\n")
        for field in fields {
            octets.writeString("\(field.name.rawName): \(field.value)\r\n")
        }
        octets.writeStaticString("\r\n")
        return octets
    }
}
