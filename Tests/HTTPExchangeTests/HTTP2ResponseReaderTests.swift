//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import HTTPTypes
import Testing

@testable import HTTPExchange

@Suite("Responses of HTTP/2")
struct HTTP2ResponseReaderTests {
    private typealias Lines = [(name: String, value: String)]

    /// What a response of a head, content and trailers is read as, in one text.
    private static func outcome(
        _ head: Lines, content: Int = 0, trailers: Lines? = nil, method: HTTPRequest.Method = .get,
        limits: MessageLimits = MessageLimits()
    ) -> String {
        var reader = HTTP2ResponseReader(limits: limits)
        reader.begin(method: method)
        do {
            guard case .head(let read) = try reader.receive(head, isLast: false) else { return "no head" }
            try reader.receive(content, isLast: trailers == nil)
            if let trailers { _ = try reader.receive(trailers, isLast: true) }
            return "\(read.status) \(reader.trailers.map { "\($0.name)=\($0.value)" }.joined(separator: ","))"
        } catch {
            return "!\(error.text(about: "it"))"
        }
    }

    private static func malformed(_ fault: HTTP2MessageFault) -> String { "!\(fault.text(about: "it"))" }

    @Test(
        "Each malformed pseudo-header field has its own cause",
        arguments: [
            ([("a", "b")], .status), ([(":status", "200"), (":status", "200")], .status),
            ([("a", "b"), (":status", "200")], .status), ([(":status", "20")], .status),
            ([(":status", "099")], .status), ([(":status", " 200")], .value), ([(":path", "/")], .pseudoField),
            ([(":status", "200"), (":path", "/")], .pseudoField), ([(":status", "200"), (":x", "")], .pseudoField),
            ([(":", "200")], .pseudoField),
        ] as [([(name: String, value: String)], HTTP2MessageFault)])
    func pseudoFields(head: [(name: String, value: String)], fault: HTTP2MessageFault) {
        #expect(Self.outcome(head) == Self.malformed(fault))
    }

    @Test("A pseudo-header field of a response in trailers is one that does not belong there")
    func trailers() {
        let head: Lines = [(":status", "200")]
        #expect(Self.outcome(head, content: 3, trailers: [("a", "b")]) == "200 a=b")
        #expect(Self.outcome(head, trailers: [(":status", "200")]) == Self.malformed(.pseudoField))
    }

    @Test("Content has the length that the head says, and is nowhere else")
    func content() {
        let head: Lines = [(":status", "200"), ("content-length", "3")]
        #expect(Self.outcome(head, content: 3) == "200 ")
        for count in [0, 2, 4] { #expect(Self.outcome(head, content: count) == Self.malformed(.contentLength)) }
        #expect(Self.outcome(head, content: 2, trailers: []) == Self.malformed(.contentLength))
        #expect(Self.outcome(head, method: .head) == "200 ")
        #expect(Self.outcome(head, content: 3, method: .head) == Self.malformed(.unexpectedContent))
        #expect(Self.outcome([(":status", "204")], content: 1) == Self.malformed(.unexpectedContent))
        #expect(Self.outcome([(":status", "200")], content: 9, method: .connect) == "200 ")
        let two: Lines = [(":status", "200"), ("content-length", "3"), ("content-length", "4")]
        #expect(Self.outcome(two, content: 3) == Self.malformed(.message(.contentLength)))
        var reader = HTTP2ResponseReader(limits: MessageLimits())
        #expect(throws: HTTP2MessageFault.unexpectedContent) { try reader.receive(1, isLast: false) }
    }

    @Test("Fields named cookie count in a response as every other field does")
    func cookies() throws {
        var limits = MessageLimits()
        limits.fieldCount = 10
        let lines: Lines = [(":status", "200")] + Array(repeating: ("cookie", ""), count: 11)
        var reader = HTTP2ResponseReader(limits: limits)
        reader.begin(method: .get)
        #expect(throws: HTTP2MessageFault.message(.tooManyFields(limit: 10))) {
            _ = try reader.receive(lines, isLast: true)
        }
    }

    @Test("Heads before the response count with it, and do not end it")
    func informational() throws {
        var limits = MessageLimits()
        limits.headSize = 1_000
        var reader = HTTP2ResponseReader(limits: limits)
        #expect(throws: HTTP2MessageFault.message(.headTooLarge(limit: 1_000))) {
            for _ in 0..<50 { _ = try reader.receive([(":status", "103")], isLast: false) }
        }
        for (status, fault) in [("101", HTTP2MessageFault.switchingProtocols), ("103", .endsInformational)] {
            var reader = HTTP2ResponseReader(limits: limits)
            #expect(throws: fault) { _ = try reader.receive([(":status", status)], isLast: true) }
        }
    }
}
