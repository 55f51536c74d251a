//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import ServerReports
import ServerTrust

/// A challenge handler that asks at a terminal for users and passwords, one question at a time, and remembers the answers in
/// memory.
actor TerminalCredentials: ChallengeHandler {
    struct Answer: Sendable, Equatable {
        let user: String
        let password: String
    }

    private struct Server: Hashable {
        let host: Host
        let port: Int?
        let `protocol`: String?
    }

    private struct Space: Hashable {
        let server: Server
        let realm: String?
        let method: AuthenticationMethod
    }

    private struct Waiter {
        let number: Int
        let turn: CheckedContinuation<Bool, Never>
    }

    private let ask: @Sendable (String, Duration) async -> Answer?
    private let clock: any Clock<Duration>
    private let patience: Duration
    private var known: [Space: Credential] = [:]
    /// The number of answers to the question about a protection space, positive or negative.
    private var answers: [Space: Int] = [:]
    /// The servers with a declined question, which are not asked about for a while.
    private var declined: Set<Server> = []
    private var isAsking = false
    private var waiters: [Waiter] = []
    private var lastWaiter = 0

    /// The time limit of a request. It is shorter than that of a session, so that the program still receives the server's answer.
    static let usualPatience = Duration.seconds(50)
    private static let mostSpaces = 256
    private static let mostFailures = 3
    /// The most characters of a realm that are shown.
    private static let realmLength = 80
    /// The time during which a declined server is not asked about again, because a page may have many parts.
    private static let pause = Duration.seconds(60)

    /// Creates a handler.
    ///
    /// - Parameters:
    ///   - clock: Measures the waiting time of requests and the pause after a declined question.
    ///   - patience: The time limit of a request for its turn and the answer together.
    ///   - ask: Shows a text and reads a user and a password within a time limit. Returns `nil` if there is no answer.
    init(
        clock: any Clock<Duration> = ContinuousClock(), patience: Duration = TerminalCredentials.usualPatience,
        ask: @escaping @Sendable (String, Duration) async -> Answer?
    ) {
        self.clock = clock
        self.patience = patience
        self.ask = ask
    }

    func respond(to challenge: AuthenticationChallenge) async -> AuthenticationDisposition {
        let space = Self.space(challenge.protectionSpace)
        guard [.httpBasic, .httpDigest].contains(space.method), challenge.previousFailureCount < Self.mostFailures
        else {
            return .rejectProtectionSpace
        }
        if challenge.previousFailureCount <= 0, let credential = self.known[space] { return .useCredential(credential) }
        let answered = self.answers[space, default: 0]
        var hasTurn = false
        let waited = await self.clock.measure { hasTurn = await self.waitForTurn() }
        guard hasTurn else { return .rejectProtectionSpace }
        defer { self.giveTurn() }
        guard !Task.isCancelled, !self.declined.contains(space.server) else { return .rejectProtectionSpace }
        // Another request has asked in the meantime.
        if self.answers[space, default: 0] != answered, let credential = self.known[space] {
            return .useCredential(credential)
        }
        // The remaining time must suffice for typing.
        guard waited <= self.patience / 5 * 4 else { return .rejectProtectionSpace }
        return await self.question(space, Self.text(of: challenge), within: self.patience - waited)
    }

    private func question(_ space: Space, _ text: String, within time: Duration) async -> AuthenticationDisposition {
        let answer = await self.ask(text, time)
        if self.answers.count >= Self.mostSpaces { (self.answers, self.known) = ([:], [:]) }
        self.answers[space, default: 0] += 1
        guard let answer else {
            self.known[space] = nil
            if !Task.isCancelled { self.decline(space.server) }
            return .rejectProtectionSpace
        }
        let credential = Credential(user: answer.user, password: answer.password, persistence: .session)
        self.known[space] = credential
        return .useCredential(credential)
    }

    private func decline(_ server: Server) {
        self.declined.insert(server)
        let clock = self.clock
        Task {
            try? await clock.sleep(for: Self.pause)
            self.declined.remove(server)
        }
    }

    // MARK: One at a time

    /// Waits until no other question is open.
    ///
    /// - Returns: `true` if the turn came before the time limit.
    private func waitForTurn() async -> Bool {
        guard self.isAsking else {
            self.isAsking = true
            return true
        }
        self.lastWaiter += 1
        let (number, clock, patience) = (self.lastWaiter, self.clock, self.patience)
        let timer = Task {
            guard (try? await clock.sleep(for: patience)) != nil else { return }
            self.giveUp(number)
        }
        defer { timer.cancel() }
        return await withCheckedContinuation { self.waiters.append(Waiter(number: number, turn: $0)) }
    }

    private func giveUp(_ number: Int) {
        guard let index = self.waiters.firstIndex(where: { $0.number == number }) else { return }
        self.waiters.remove(at: index).turn.resume(returning: false)
    }

    private func giveTurn() {
        if self.waiters.isEmpty {
            self.isAsking = false
        } else {
            self.waiters.removeFirst().turn.resume(returning: true)
        }
    }

    // MARK: Words

    private static func space(_ space: ProtectionSpace) -> Space {
        let server = Server(host: space.host, port: space.port, protocol: space.protocol?.rawValue)
        return Space(server: server, realm: space.realm, method: space.authenticationMethod)
    }

    /// Returns the text of the question. The server chooses the realm, which must not imitate other output on the terminal.
    static func text(of challenge: AuthenticationChallenge) -> String {
        let space = challenge.protectionSpace
        let place =
            "\(space.protocol?.rawValue ?? "https")://\(space.host.textInURL)\(space.port.map { ":\($0)" } ?? "")"
        let realm =
            space.realm.map { ", which calls itself \"\(DisplayText.text(String($0.prefix(Self.realmLength))))\"," }
            ?? ""
        let again = challenge.previousFailureCount > 0 ? "It refused those before. " : ""
        let warning =
            space.receivesCredentialSecurely ? "" : "Everyone on the way to it can read or try the password. "
        return "\(DisplayText.text(place))\(realm) asks for a user and a password. \(again)\(warning)\n"
    }
}
