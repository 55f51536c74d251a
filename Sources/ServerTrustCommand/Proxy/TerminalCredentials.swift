//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import ServerReports
import ServerTrust

/// Asks at a terminal for the users and passwords that servers want, one after the other, and remembers them as long as it lives.
actor TerminalCredentials: ChallengeHandler {
    /// What was typed.
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

    private let ask: @Sendable (String) async -> Answer?
    private let clock: any Clock<Duration>
    private var known: [Space: Credential] = [:]
    /// How often the question about a space was answered, one way or the other.
    private var answers: [Space: Int] = [:]
    /// The servers that are not asked about for a while.
    private var declined: Set<Server> = []
    private var isAsking = false
    private var waiters: [CheckedContinuation<Void, Never>] = []

    private static let mostSpaces = 256
    private static let mostFailures = 3
    /// The characters of a realm that are shown.
    private static let realmLength = 80
    /// How long a server is not asked about again: a page may have many parts.
    private static let pause = Duration.seconds(60)

    /// - Parameters:
    ///   - clock: Measures how long a server is not asked about.
    ///   - ask: Shows a text and reads a user and a password; `nil` where there is no answer.
    init(clock: any Clock<Duration> = ContinuousClock(), ask: @escaping @Sendable (String) async -> Answer?) {
        (self.clock, self.ask) = (clock, ask)
    }

    func respond(to challenge: AuthenticationChallenge) async -> AuthenticationDisposition {
        let space = Self.space(challenge.protectionSpace)
        guard [.httpBasic, .httpDigest].contains(space.method), challenge.previousFailureCount < Self.mostFailures
        else {
            return .rejectProtectionSpace
        }
        if challenge.previousFailureCount <= 0, let credential = self.known[space] { return .useCredential(credential) }
        let answered = self.answers[space, default: 0]
        await self.waitForTurn()
        defer { self.giveTurn() }
        guard !Task.isCancelled, !self.declined.contains(space.server) else { return .rejectProtectionSpace }
        // Another request has asked meanwhile.
        if self.answers[space, default: 0] != answered, let credential = self.known[space] {
            return .useCredential(credential)
        }
        return await self.question(space, Self.text(of: challenge))
    }

    private func question(_ space: Space, _ text: String) async -> AuthenticationDisposition {
        let answer = await self.ask(text)
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

    private func waitForTurn() async {
        guard self.isAsking else {
            self.isAsking = true
            return
        }
        await withCheckedContinuation { self.waiters.append($0) }
    }

    private func giveTurn() {
        if self.waiters.isEmpty { self.isAsking = false } else { self.waiters.removeFirst().resume() }
    }

    // MARK: Words

    private static func space(_ space: ProtectionSpace) -> Space {
        let server = Server(host: space.host, port: space.port, protocol: space.protocol?.rawValue)
        return Space(server: server, realm: space.realm, method: space.authenticationMethod)
    }

    /// What is asked. The server chooses the realm, which must not pass for something else on the terminal.
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
