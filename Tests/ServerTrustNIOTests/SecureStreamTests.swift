//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import Foundation
import NIOCore
import ServerTrust
import ServerTrustTesting
import Synchronization
import TestSupport
import Testing

@testable import ServerTrustNIO

@Suite("Streams over TLS", .limitedConcurrency, .timeLimit(.minutes(10)))
struct SecureStreamTests {
    @Test("A stream that is cut after any octet never ends well, and connecting or reading says so")
    func cut() async throws {
        try await StreamTestServer.with(try ATSFixture.ecdsa.get(), script: Self.hello) { port in
            let gate = try StreamFixture.gate()
            var total = 0
            try await TruncatingRelay.with(port) { relay in
                #expect(await Self.outcome(relay.port, gate) == "hello.")
                total = relay.octets
            }
            #expect(total > 500)
            // Signatures have one of several lengths.
            for limit in 0..<(total + 4) {
                try await TruncatingRelay.with(port, after: limit) { relay in
                    let outcome = await Self.outcome(relay.port, gate)
                    let expected: Set<String> = relay.hasCut ? ["refused", "truncated", "hello truncated"] : ["hello."]
                    #expect(expected.contains(outcome), "after \(limit) of \(total) octets: \(outcome)")
                }
            }
        }
    }

    @Test("OpenSSL's server answers, and a stream that is closed is closed", arguments: ["-tls1_2", "-tls1_3"])
    func openssl(version: String) async throws {
        try await OpenSSLServer.with(["-rev", version], try ATSFixture.rsa.get()) { port in
            let stream = try await StreamFixture.stream(port)
            try await stream.write(ByteBuffer(string: "olleh\n"))
            #expect(try await stream.read().map { String(buffer: $0) } == "hello\n")
            await stream.close()
            await #expect { try await stream.read() } throws: { ($0 as? SecureStreamError)?.code == .closed }
            await #expect {
                try await stream.write(ByteBuffer(string: "x"))
            } throws: { ($0 as? SecureStreamError)?.code == .closed }
        }
    }

    @Test("OpenSSL's server that is killed leaves a stream that is truncated", arguments: ["-tls1_2", "-tls1_3"])
    func killed(version: String) async throws {
        let stream = try await OpenSSLServer.with(["-rev", version], try ATSFixture.rsa.get()) { port in
            let stream = try await StreamFixture.stream(port)
            try await stream.write(ByteBuffer(string: "olleh\n"))
            #expect(try await stream.read().map { String(buffer: $0) } == "hello\n")
            return stream
        }
        await #expect { try await stream.read() } throws: { ($0 as? SecureStreamError)?.code == .truncated }
    }

    @Test("The client ends its half first, and reads on")
    func clientFinishesFirst() async throws {
        try await StreamTestServer.with(try ATSFixture.ecdsa.get()) { client in
            var text = ""
            for try await octets in client.inbound { text += String(buffer: octets) }
            try await client.write("heard \(text)")
            client.outbound.finish()
            try await client.channel.closeFuture.get()
        } _: { port in
            let stream = try await StreamFixture.stream(port)
            try await stream.write(ByteBuffer(string: "everything"))
            try await stream.finishWriting()
            await #expect {
                try await stream.write(ByteBuffer(string: "more"))
            } throws: { ($0 as? SecureStreamError)?.code == .closed }
            let (text, error) = await StreamFixture.rest(of: stream)
            #expect(text == "heard everything")
            #expect(error == nil, "\(String(describing: error))")
            await stream.close()
        }
    }

    @Test("The server ends its half first, and hears on")
    func serverFinishesFirst() async throws {
        let heard = Mutex("")
        let (ends, end) = AsyncStream.makeStream(of: Void.self)
        try await StreamTestServer.with(try ATSFixture.ecdsa.get()) { client in
            try await client.write("bye")
            client.outbound.finish()
            for try await octets in client.inbound { heard.withLock { $0 += String(buffer: octets) } }
            end.finish()
        } _: { port in
            let stream = try await StreamFixture.stream(port)
            let (text, error) = await StreamFixture.rest(of: stream)
            #expect(text == "bye" && error == nil)
            try await stream.write(ByteBuffer(string: "still "))
            try await stream.write(ByteBuffer(string: "here"))
            try await stream.finishWriting()
            for await _ in ends {}
            #expect(heard.withLock { $0 } == "still here")
            await stream.close()
        }
    }

    @Test("A slow reader holds up the sender, and keeps no more than the system's buffers")
    func backPressure() async throws {
        let megabytes =
            ProcessInfo.processInfo.environment["STREAM_TEST_MEGABYTES"].flatMap { Int($0) } ?? 100
        let (total, bound) = (megabytes << 20, try Self.systemBuffers() + 4 << 20)
        // On each connection.
        let sent = Mutex<[Int]>([])
        try await StreamTestServer.with(try ATSFixture.ecdsa.get()) { client in
            let chunk = ByteBuffer(repeating: 7, count: 1 << 16)
            let number = sent.withLock { sent in
                sent.append(0)
                return sent.count - 1
            }
            for _ in 0..<(total / chunk.readableBytes) {
                try await client.channel.writeAndFlush(chunk).get()
                sent.withLock { $0[number] += chunk.readableBytes }
            }
            try await client.finish()
        } _: { port in
            let stream = try await StreamFixture.stream(port)
            while sent.withLock({ $0.isEmpty }) { try await Task.sleep(for: .milliseconds(5)) }
            // Nothing is read for as long as all of it would take.
            let other = try await StreamFixture.stream(port)
            let size = try await other.octets.reduce(into: 0) { $0 += $1.readableBytes }
            #expect(size == total)
            await other.close()
            var (received, largest, widest) = (0, 0, 0)
            for try await octets in stream.octets {
                widest = max(widest, sent.withLock { $0[0] } - received)
                received += octets.readableBytes
                largest = max(largest, octets.readableBytes)
                if received % 97 == 0 { try await Task.sleep(for: .milliseconds(1)) }
            }
            #expect(received == total)
            #expect(widest < bound, "\(widest) octets were under way")
            // SwiftNIO reads all that the system holds as soon as the peer has finished.
            #expect(largest < bound, "\(largest) octets were held")
            await stream.close()
        }
    }

    /// The octets that the system may keep of one connection on its way: tcp(7), `tcp_rmem` and `tcp_wmem`.
    private static func systemBuffers() throws -> Int {
        try ["rmem", "wmem"].reduce(0) { sum, name in
            let limits = try String(contentsOfFile: "/proc/sys/net/ipv4/tcp_\(name)", encoding: .utf8)
            return sum + (try #require(limits.split(whereSeparator: \.isWhitespace).last.flatMap { Int($0) }))
        }
    }

    @Test("A read that is cancelled loses nothing, and a second reader is told so")
    func cancelledRead() async throws {
        let (waits, go) = AsyncStream.makeStream(of: Void.self)
        try await StreamTestServer.with(try ATSFixture.ecdsa.get()) { client in
            for await _ in waits {}
            try await client.write("late")
            try await client.finish()
        } _: { port in
            let stream = try await StreamFixture.stream(port)
            let (errors, ended) = AsyncStream.makeStream(of: (any Error)?.self)
            // Which of them is the first is left to chance.
            let readers = (0..<2).map { _ in
                Task {
                    do {
                        _ = try await stream.read()
                        ended.yield(nil)
                    } catch {
                        ended.yield(error)
                    }
                }
            }
            var iterator = errors.makeAsyncIterator()
            let second = try #require(await iterator.next())
            #expect((second as? SecureStreamError)?.code == .alreadyReading)
            for reader in readers { reader.cancel() }
            let first = try #require(await iterator.next())
            #expect(first is CancellationError)
            go.finish()
            let (text, error) = await StreamFixture.rest(of: stream)
            #expect(text == "late" && error == nil)
            await stream.close()
        }
    }

    @Test("A write that is cancelled ends although the peer reads nothing")
    func cancelledWrite() async throws {
        let (beginnings, began) = AsyncStream.makeStream(of: Void.self)
        let (waits, go) = AsyncStream.makeStream(of: Void.self)
        try await StreamTestServer.with(try ATSFixture.ecdsa.get()) { client in
            var inbound = client.inbound.makeAsyncIterator()
            _ = try await inbound.next()
            began.finish()
            for await _ in waits {}
        } _: { port in
            let stream = try await StreamFixture.stream(port)
            let writing = Task { try await stream.write(ByteBuffer(repeating: 1, count: 64 << 20)) }
            for await _ in beginnings {}
            writing.cancel()
            await #expect(throws: CancellationError.self) { try await writing.value }
            await #expect { try await stream.read() } throws: { ($0 as? SecureStreamError)?.code == .closed }
            go.finish()
        }
    }

    /// Greets, and ends its half.
    static let hello: StreamTestServer.Script = { client in
        try await client.write("hello")
        try await client.finish()
    }

    /// What comes of a stream: its text with a period where it ended well.
    private static func outcome(_ port: Int, _ gate: ServerTrustGate) async -> String {
        do {
            let stream = try await StreamFixture.stream(port, gate: gate)
            let (text, error) = await StreamFixture.rest(of: stream)
            guard let error else { return text + "." }
            return ([text] + [error.code.rawValue]).filter { !$0.isEmpty }.joined(separator: " ")
        } catch is ServerTrustGateError {
            return "refused"
        } catch {
            return "\(error)"
        }
    }
}
