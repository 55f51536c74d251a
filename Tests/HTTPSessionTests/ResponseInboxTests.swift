//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import HTTPExchange
import HTTPTypes
import NIOCore
import Testing

@testable import HTTPSession

@Suite("What lies between an event loop and a task", .timeLimit(.minutes(20)))
struct ResponseInboxTests {
    private struct Fault: Error {}

    private static func parts(_ parts: ResponsePart...) -> Result<ResponseParts, any Error> {
        .success(ResponseParts(parts: parts, isReusable: false))
    }

    private static func content(_ count: Int) -> ResponsePart { .content(ByteBuffer(repeating: 1, count: count)) }

    private static func size(_ parts: ResponseParts) -> Int {
        parts.parts.reduce(0) { sum, part in
            if case .content(let octets) = part { sum + octets.readableBytes } else { sum }
        }
    }

    @Test("Content in single octets lies there as one piece, and stops the event loop at the limit")
    func singleOctets() async throws {
        let inbox = ResponseBuffer()
        var count = 0
        repeat { count += 1 } while inbox.put(Self.parts(Self.content(1))) && count < 1 << 20
        #expect(count == 128 << 10)
        var fills = 0
        let came = try await inbox.next { fills += 1 }
        #expect(came.parts.count == 1 && Self.size(came) == count && fills == 1)
    }

    @Test("A failure comes behind what came before it, and again")
    func failure() async throws {
        let inbox = ResponseBuffer()
        #expect(inbox.put(Self.parts(Self.content(3))))
        #expect(!inbox.put(.failure(Fault())))
        #expect(Self.size(try await inbox.next { Issue.record("nothing more can come") }) == 3)
        for _ in 0..<2 { await #expect(throws: Fault.self) { try await inbox.next {} } }
    }

    @Test("The end of a response stops the event loop, which is not asked for more")
    func end() async throws {
        let inbox = ResponseBuffer()
        #expect(!inbox.put(Self.parts(Self.content(1 << 20), .end([:]))))
        let came = try await inbox.next { Issue.record("nothing more can come") }
        #expect(came.parts.count == 2 && inbox.waitsSince == nil)
    }

    @Test("A task that waits is woken by what comes, and by a failure", arguments: [true, false])
    func waiting(isFailure: Bool) async throws {
        let inbox = ResponseBuffer()
        let task = Task { try await inbox.next {} }
        while inbox.waitsSince == nil { await Task.yield() }
        #expect(inbox.put(isFailure ? .failure(Fault()) : Self.parts(Self.content(1 << 20))) != isFailure)
        let result = await task.result
        #expect((try? result.get().parts.count) == (isFailure ? nil : 1))
        #expect(inbox.waitsSince == nil)
    }
}
