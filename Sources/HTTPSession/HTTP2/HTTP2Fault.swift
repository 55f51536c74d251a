//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

package import HTTPExchange
package import NIOCore
package import NIOHTTP2

/// A violation of RFC 9113 by the peer, an excess of allowed frames, or the peer's own end of a request or connection.
package enum HTTP2Fault: Error, Sendable, Equatable {
    /// A message is malformed or too large.
    case message(HTTP2MessageFault)
    /// Too many frames of one kind carry no part of a message.
    case flood(of: String)
    /// The server did not answer a PING within this time.
    case silent(TimeAmount)
    /// The server reset the stream (RST_STREAM).
    case reset(HTTP2ErrorCode)
    /// The server ended the connection (GOAWAY).
    case goAway(HTTP2ErrorCode)
    /// A frame or the order of frames violates a rule, which the text describes with its section.
    case frames(String)

    package init(_ error: any Error) {
        switch error {
        case is NIOHTTP2Errors.ExcessivelyLargeHeaderBlock: self = .flood(of: "octets in a head")
        case is NIOHTTP2Errors.ExcessiveContinuationFrames: self = .flood(of: "CONTINUATION frames")
        case is NIOHTTP2Errors.ExcessiveEmptyDataFrames: self = .flood(of: "empty DATA frames")
        case is NIOHTTP2Errors.ExcessiveRSTFrames: self = .flood(of: "RST_STREAM frames")
        case is NIOHTTP2Errors.ExcessiveControlFrames: self = .flood(of: "PING, SETTINGS or PRIORITY frames")
        case is NIOHTTP2Errors.ExcessiveOutboundFrameBuffering: self = .flood(of: "frames that want an answer")
        case is NIOHTTP2Errors.ExcessiveStreamErrors, is NIOHTTP2Errors.ExcessiveNumberOfGlitches:
            self = .flood(of: "frames that are errors of streams")
        case let fault as HTTP2Fault: self = fault
        default: self = .frames(Self.rule(against: error))
        }
    }

    /// Returns the rule of RFC 9113 for an error of the HTTP/2 library.
    private static func rule(against error: any Error) -> String {
        switch error {
        case is NIOHTTP2Errors.UnableToParseFrame: "it sent a frame that cannot be read (RFC 9113, sections 4 and 6)"
        case is NIOHTTP2Errors.MissingPreface, is NIOHTTP2Errors.BadClientMagic:
            "it did not begin with SETTINGS (RFC 9113, section 3.4)"
        case is NIOHTTP2Errors.InvalidSetting, is NIOHTTP2Errors.ReceivedBadSettings:
            "it sent SETTINGS that are not allowed (RFC 9113, section 6.5)"
        case is NIOHTTP2Errors.NoSuchStream, is NIOHTTP2Errors.StreamIDTooSmall,
            is NIOHTTP2Errors.InvalidStreamIDForPeer:
            "it sent a frame of a stream that was never opened (RFC 9113, section 5.1.1)"
        case is NIOHTTP2Errors.MaxStreamsViolation:
            "it opened more streams at once than it was allowed (RFC 9113, section 5.1.2)"
        case is NIOHTTP2Errors.BadStreamStateTransition, is NIOHTTP2Errors.StreamClosed:
            "it sent a frame that the state of its stream does not allow (RFC 9113, section 5.1)"
        case is NIOHTTP2Errors.TrailersWithoutEndStream:
            "it sent fields behind the content that did not end the message (RFC 9113, section 8.1)"
        case is NIOHTTP2Errors.FlowControlViolation, is NIOHTTP2Errors.InvalidFlowControlWindowSize,
            is NIOHTTP2Errors.InvalidWindowIncrementSize:
            "it broke the rules of flow control (RFC 9113, sections 5.2 and 6.9)"
        case is NIOHTTP2Errors.PushInViolationOfSetting:
            "it pushed a response, which was turned off (RFC 9113, section 6.6)"
        case is NIOHTTP2Errors.RaisedGoawayLastStreamID:
            "its second GOAWAY takes more streams than its first (RFC 9113, section 6.8)"
        case is NIOHTTP2Errors.PriorityCycle: "it made a stream depend on itself (RFC 7540, section 5.3.1)"
        default: "its frames break the rules of HTTP/2 (RFC 9113)"
        }
    }
}

extension HTTP2Fault: CustomStringConvertible {
    /// The problem as a clause of a sentence about the server.
    package var description: String {
        switch self {
        case .message(let fault): fault.text(about: "its response")
        case .flood(let kind): "it sent too many \(kind) (RFC 9113, section 10.5)"
        case .silent(let time): "it did not answer a PING frame within \(time.nanoseconds / 1_000_000) ms"
        case .reset(let code): "it ended the request with \(code.name) (RFC 9113, section 7)"
        case .goAway(let code): "it ended the connection with \(code.name) (RFC 9113, section 7)"
        case .frames(let rule): rule
        }
    }
}

extension HTTP2ErrorCode {
    /// The name in RFC 9113 §7.
    var name: String {
        switch self {
        case .noError: "NO_ERROR"
        case .protocolError: "PROTOCOL_ERROR"
        case .internalError: "INTERNAL_ERROR"
        case .flowControlError: "FLOW_CONTROL_ERROR"
        case .settingsTimeout: "SETTINGS_TIMEOUT"
        case .streamClosed: "STREAM_CLOSED"
        case .frameSizeError: "FRAME_SIZE_ERROR"
        case .refusedStream: "REFUSED_STREAM"
        case .cancel: "CANCEL"
        case .compressionError: "COMPRESSION_ERROR"
        case .connectError: "CONNECT_ERROR"
        case .enhanceYourCalm: "ENHANCE_YOUR_CALM"
        case .inadequateSecurity: "INADEQUATE_SECURITY"
        case .http11Required: "HTTP_1_1_REQUIRED"
        default: "error code \(self.networkCode)"
        }
    }
}
