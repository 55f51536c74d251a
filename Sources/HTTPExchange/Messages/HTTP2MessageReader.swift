//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import HTTPTypes

/// A reader of the fields of one message on a stream of HTTP/2, which also counts its content (RFC 9113 §8.1).
struct HTTP2MessageReader: Sendable {
    /// The kind of message that the peer sends.
    enum Role: Sendable {
        case request
        case response
    }

    /// A block of fields.
    enum Block {
        /// The first block, with the values of its pseudo-header fields by name.
        case head(pseudo: [String: String], HTTPFields)
        /// The last block, after the content.
        case trailers(HTTPFields)
    }

    private enum State: Sendable {
        case head
        /// The number of octets that may still come, or `nil` for any number.
        case content(left: Int?)
        case ended
    }

    private let role: Role
    private let limits: MessageLimits
    private var state = State.head
    private var framing = MessageFraming.none
    /// The octets of all blocks, counted as for SETTINGS_MAX_HEADER_LIST_SIZE (§6.5.2).
    private var size = 0
    private var fieldCount = 0

    init(_ role: Role, limits: MessageLimits) { (self.role, self.limits) = (role, limits) }

    var isAtEnd: Bool { if case .ended = self.state { true } else { false } }

    /// Takes the fields of a HEADERS frame. After the head of a final message, the caller must call ``expect(_:isLast:)``.
    mutating func receive(
        _ lines: some Sequence<(name: String, value: String)>, isLast: Bool
    ) throws(HTTP2MessageFault) -> Block {
        switch self.state {
        case .head:
            let (pseudo, fields) = try self.block(lines, isTrailer: false)
            return .head(pseudo: pseudo, fields)
        case .content(let left):
            // Fields after content end the message (§8.1).
            guard isLast else { throw .unendedTrailers }
            guard left ?? 0 == 0 else { throw .contentLength }
            let (_, fields) = try self.block(lines, isTrailer: true)
            // Only now, because a malformed message must not look complete to the next reader (§8.1.1).
            self.state = .ended
            return .trailers(fields)
        case .ended: throw .unendedTrailers
        }
    }

    /// Takes the framing that the head declares. HTTP/2 ends content with the stream, whatever the fields say (§8.1.1).
    mutating func expect(_ framing: MessageFraming, isLast: Bool) throws(HTTP2MessageFault) {
        let left: Int? =
            switch framing {
            case .none: 0
            case .length(let length): length
            case .chunked, .untilClose: nil
            }
        guard !isLast || left ?? 0 == 0 else { throw .contentLength }
        self.framing = framing
        self.state = isLast ? .ended : .content(left: left)
    }

    /// Takes the number of octets in a DATA frame.
    mutating func receive(_ count: Int, isLast: Bool) throws(HTTP2MessageFault) {
        if case .head = self.state { throw .unexpectedContent }
        guard case .content(var left) = self.state else { throw .contentLength }
        if let most = left {
            guard count <= most else { throw self.framing == .none ? .unexpectedContent : .contentLength }
            left = most - count
        }
        guard !isLast || left ?? 0 == 0 else { throw .contentLength }
        self.state = isLast ? .ended : .content(left: left)
    }

    // MARK: Blocks

    private mutating func block(
        _ lines: some Sequence<(name: String, value: String)>, isTrailer: Bool
    ) throws(HTTP2MessageFault) -> (pseudo: [String: String], HTTPFields) {
        var (pseudo, fields) = ([String: String](), HTTPFields())
        var hasCookie = false
        // A block without fields has a cost as well.
        try self.count(Self.blockSize)
        for (name, value) in lines {
            try self.count(name.utf8.count + value.utf8.count)
            guard name.utf8.first != UInt8(ascii: ":") else {
                try self.count(Self.fieldSize)
                guard !isTrailer, self.role.pseudoFields.contains(name) else { throw .pseudoField }
                guard fields.isEmpty, pseudo[name] == nil else { throw self.role.misplaced }
                guard !HTTPField.hasBlankEnds(value) else { throw .value }
                pseudo[name] = value
                continue
            }
            // The cookies of a request may arrive one by one, but are one field elsewhere (§8.2.3).
            if name != "cookie" || !hasCookie || self.role != .request { try self.countField() }
            hasCookie = hasCookie || name == "cookie"
            fields.append(try HTTPField(http2: name, value: value, self.role.strictness))
        }
        return (pseudo, fields)
    }

    private mutating func countField() throws(HTTP2MessageFault) {
        try self.count(Self.fieldSize)
        self.fieldCount += 1
        guard self.fieldCount <= self.limits.fieldCount else {
            throw .message(.tooManyFields(limit: self.limits.fieldCount))
        }
    }

    private mutating func count(_ octets: Int) throws(HTTP2MessageFault) {
        self.size += octets
        guard self.size <= self.limits.headSize else { throw .message(.headTooLarge(limit: self.limits.headSize)) }
    }

    /// The octets that a field counts in addition to its name and value (§6.5.2).
    private static let fieldSize = 32
    private static let blockSize = 64
}

extension HTTP2MessageReader.Role {
    private static let ofRequests: Set<String> = [":method", ":scheme", ":authority", ":path", ":protocol"]
    private static let ofResponses: Set<String> = [":status"]

    /// The names of the allowed pseudo-header fields (§8.3.1, §8.3.2, RFC 8441 §4).
    fileprivate var pseudoFields: Set<String> { self == .request ? Self.ofRequests : Self.ofResponses }

    /// The fault for a pseudo-header field that occurs twice or comes after other fields.
    fileprivate var misplaced: HTTP2MessageFault { self == .request ? .pseudoField : .status }

    fileprivate var strictness: MessageReader.Strictness { self == .request ? .proxy : .userAgent }
}
