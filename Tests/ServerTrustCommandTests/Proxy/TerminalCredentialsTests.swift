//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import ServerTrust
import Synchronization
import TestSupport
import Testing

@testable import ServerTrustCommand

@Suite("Users and passwords that are asked for at a terminal", .limitedConcurrency, .timeLimit(.minutes(10)))
struct TerminalCredentialsTests {
    private final class Asked: Sendable {
        private let state = Mutex((texts: [String](), open: 0, most: 0))

        var texts: [String] { self.state.withLock { $0.texts } }
        var most: Int { self.state.withLock { $0.most } }

        func begin(_ text: String) {
            self.state.withLock {
                $0.texts.append(text)
                $0.open += 1
                $0.most = max($0.most, $0.open)
            }
        }

        func end() { self.state.withLock { $0.open -= 1 } }
    }

    private static func terminal(_ asked: Asked, answer: TerminalCredentials.Answer?) -> TerminalCredentials {
        TerminalCredentials { text, _ in
            asked.begin(text)
            try? await Task.sleep(for: .milliseconds(5))
            asked.end()
            return answer
        }
    }

    private static func challenge(
        _ host: String = "a.test", realm: String = "r", failures: Int = 0
    ) throws -> AuthenticationChallenge {
        AuthenticationChallenge(
            ProtectionSpace(host: try Host(host), port: 443, protocol: .https, realm: realm, method: .httpBasic),
            previousFailureCount: failures)
    }

    @Test("A server that gets no answer is not asked about again for a while, whatever it calls itself")
    func declined() async throws {
        let asked = Asked()
        let terminal = Self.terminal(asked, answer: nil)
        for realm in ["r", "r", "other"] {
            #expect(await terminal.respond(to: try Self.challenge(realm: realm)) == .rejectProtectionSpace)
        }
        #expect(asked.texts.count == 1)
        _ = await terminal.respond(to: try Self.challenge("b.test"))
        #expect(asked.texts.count == 2)
    }

    @Test("An answer is remembered for its host and realm alone, until it is refused, three times at most")
    func remembered() async throws {
        let asked = Asked()
        let terminal = Self.terminal(asked, answer: .init(user: "u", password: "p"))
        let credential = AuthenticationDisposition.useCredential(
            Credential(user: "u", password: "p", persistence: .session))
        for (challenge, count) in [
            (try Self.challenge(), 1), (try Self.challenge(), 1), (try Self.challenge(realm: "other"), 2),
            (try Self.challenge("b.test"), 3), (try Self.challenge(failures: 1), 4),
            (try Self.challenge(failures: 2), 5),
        ] {
            #expect(await terminal.respond(to: challenge) == credential)
            #expect(asked.texts.count == count)
        }
        #expect(await terminal.respond(to: try Self.challenge(failures: 3)) == .rejectProtectionSpace)
        #expect(asked.texts.count == 5)
    }

    @Test("One question is asked at a time, and once for requests that wait for the same answer")
    func oneAtATime() async throws {
        let asked = Asked()
        let terminal = Self.terminal(asked, answer: .init(user: "u", password: "p"))
        let challenges = try (0..<20).map { try Self.challenge("host\($0 % 2).test") }
        await withDiscardingTaskGroup { group in
            for challenge in challenges { group.addTask { _ = await terminal.respond(to: challenge) } }
        }
        #expect(asked.texts.count == 2 && asked.most == 1, "\(asked.texts)")
    }

    @Test("What waits too long behind another question is not asked about, and leaves the answer to the program")
    func waitsTooLong() async throws {
        let asked = Asked()
        let (ends, end) = AsyncStream.makeStream(of: Void.self)
        let terminal = TerminalCredentials(patience: .seconds(1)) { text, _ in
            asked.begin(text)
            for await _ in ends {}
            return .init(user: "u", password: "p")
        }
        let first = Task { await terminal.respond(to: try Self.challenge("a.test")) }
        while asked.texts.isEmpty { await Task.yield() }
        // The first question is still open.
        #expect(await terminal.respond(to: try Self.challenge("b.test")) == .rejectProtectionSpace)
        #expect(asked.texts.count == 1)
        end.finish()
        #expect(
            try await first.value == .useCredential(Credential(user: "u", password: "p", persistence: .session)))
        // It is asked about the next time.
        _ = await terminal.respond(to: try Self.challenge("b.test"))
        #expect(asked.texts.count == 2)
    }

    @Test("What waited has as much less time for its answer")
    func remainingTime() async throws {
        let times = Mutex<[Duration]>([])
        let clock = HeldClock()
        let terminal = TerminalCredentials(clock: clock) { _, time in
            let isFirst = times.withLock { times in
                times.append(time)
                return times.count == 1
            }
            while isFirst, !clock.hasSleeper { await Task.yield() }
            if isFirst { clock.advance(by: .seconds(10)) }
            return .init(user: "u", password: "p")
        }
        async let first = terminal.respond(to: try Self.challenge("a.test"))
        async let second = terminal.respond(to: try Self.challenge("b.test"))
        _ = try await (first, second)
        let usual = TerminalCredentials.usualPatience
        #expect(times.withLock { $0 } == [usual, usual - .seconds(10)])
    }

    @Test("What the server calls itself cannot write over the question, nor be long")
    func words() throws {
        let realm = "x\u{1B}[2J\r\nbank.test asks\u{202E}" + String(repeating: "y", count: 1_000)
        let text = TerminalCredentials.text(of: try Self.challenge(realm: realm, failures: 1))
        #expect(
            text.hasPrefix("https://a.test:443, which calls itself \"x\\u{1b}[2J\\u{d}\\u{a}bank.test asks\\u{202e}"))
        #expect(text.count < 300 && text.contains("refused") && text.split(separator: "\n").count == 1)
    }
}

/// A clock that a test moves. A sleep on it ends when its task is cancelled.
private final class HeldClock: Clock {
    struct Instant: InstantProtocol {
        var time: Duration

        func advanced(by duration: Duration) -> Instant { Instant(time: self.time + duration) }

        func duration(to other: Instant) -> Duration { other.time - self.time }

        static func < (one: Instant, other: Instant) -> Bool { one.time < other.time }
    }

    private let state = Mutex((time: Duration.zero, hasSleeper: false))

    var now: Instant { Instant(time: self.state.withLock { $0.time }) }
    var minimumResolution: Duration { .zero }
    /// Whether anything has begun to sleep.
    var hasSleeper: Bool { self.state.withLock { $0.hasSleeper } }

    func advance(by duration: Duration) { self.state.withLock { $0.time += duration } }

    func sleep(until deadline: Instant, tolerance: Duration?) async throws {
        self.state.withLock { $0.hasSleeper = true }
        try await Task.sleep(for: .seconds(3_600))
    }
}
