//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import HTTPSession
import HTTPTypes
import TestSupport
import Testing

@Suite("The table of fields that a server of HTTP/2 asks for", .limitedConcurrency, .timeLimit(.minutes(10)))
struct HTTP2FieldTableTests {
    @Test(
        "A table without bounds is not filled, and one of a usual size is",
        arguments: [(4_096, true), (65_536, true), (65_537, false), (UInt32.max, false)] as [(UInt32, Bool)])
    func size(size: UInt32, isFilled: Bool) async throws {
        let settings = TestFrame.settings([(1, size)])
        try await HTTP2FrameServer.with {
            $0.isRequest ? .frames([settings] + .response(on: $0.stream)) : .nothing
        } _: { server in
            let session = try HTTP2SessionTests.session(server)
            #expect(try await session.text("https://server.test/") == "hello")
            var request = try HTTPSessionRequest("https://server.test/")
            request.fields[try #require(HTTPField.Name("x-new"))] = String(repeating: "new", count: 100)
            for _ in 0..<3 { #expect(try await session.text(request) == "hello") }
            let sizes = server.seen.frames.filter(\.isRequest).map(\.frame.payload.count)
            #expect(sizes.count == 4 && (sizes[2] < 100) == isFilled)
            #expect(sizes.last == sizes[2])
        }
    }

    @Test("Targets, which seldom come again, push nothing out of the table")
    func target() async throws {
        try await HTTP2FrameServer.with {
            $0.isRequest ? .frames(.response(on: $0.stream)) : .nothing
        } _: { server in
            let session = try HTTP2SessionTests.session(server)
            var request = try HTTPSessionRequest("https://server.test/")
            request.fields[try #require(HTTPField.Name("x-new"))] = String(repeating: "new", count: 100)
            #expect(try await session.text(request) == "hello")
            for number in 0..<9 {
                let target = String(repeating: "a", count: 1_000) + "\(number)"
                #expect(try await session.text("https://server.test/\(target)") == "hello")
            }
            #expect(try await session.text(request) == "hello")
            let sizes = server.seen.frames.filter(\.isRequest).map(\.frame.payload.count)
            #expect(sizes.count == 11 && sizes[10] < 100)
        }
    }
}
