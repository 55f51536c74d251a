//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import ServerTrust

/// A server or a chain, and the answers that every door gives about it.
struct DoorRow: Sendable {
    /// What a door has to say in a row, other than the answer.
    enum Cell: Sendable, Equatable {
        /// The door has no such input, by its nature.
        case notAsked(String)
        /// The door has the input and cannot see the fault. It answers otherwise, and says so where it refuses.
        case cannotSee(DoorAnswer, saying: String?)
        /// The door needs more than a server that is trusted, such as a certificate of the client.
        case needs(String, DoorAnswer)
    }

    let name: String
    let target: DoorTarget
    /// The answer of all doors: may this peer be trusted?
    let trust: DoorAnswer
    /// The answer of those that know App Transport Security: would an Apple system connect?
    var connect: DoorAnswer
    /// Words that tell the first reason in every text.
    var words: String?
    /// The doors that do not give the answer.
    var cells: [Door: Cell] = [:]
    /// The codes of doors that name another part of the fault.
    private var codes: [Door: [DoorQuestion: String]] = [:]

    init(_ name: String, _ target: DoorTarget, _ trust: DoorAnswer, connect: DoorAnswer? = nil, words: String? = nil) {
        self.name = name
        self.target = target
        self.trust = trust
        self.words = words
        self.connect = connect ?? trust
    }

    /// The same row, without the doors that have no such input.
    func notAsking(_ doors: [Door], _ reason: String) -> DoorRow {
        var row = self
        for door in doors { row.cells[door] = .notAsked(reason) }
        return row
    }

    /// The same row, where some doors need more than a server that is trusted.
    func needing(_ something: String, _ doors: [Door], _ answer: DoorAnswer) -> DoorRow {
        var row = self
        for door in doors { row.cells[door] = .needs(something, answer) }
        return row
    }

    /// The same row, where some doors name another part of the fault.
    ///
    /// - Parameters:
    ///   - code: Their code.
    ///   - doors: The doors.
    ///   - questions: The questions about which they do.
    ///   - reason: The reason that they cannot give the row's code.
    func naming(
        _ code: String, _ doors: [Door], for questions: Set<DoorQuestion> = [.trust, .connect], because reason: String
    ) -> DoorRow {
        var row = self
        for door in doors { for question in questions { row.codes[door, default: [:]][question] = code } }
        return row
    }

    /// The same row, where the callback for other clients cannot see the fault.
    func unseenByCallback(_ answer: DoorAnswer, saying words: String? = nil) -> DoorRow {
        var row = self
        row.cells[.callback] = .cannotSee(answer, saying: words)
        return row
    }

    /// The same row, without the door that reads a chain from a file.
    var ofHandshakes: DoorRow { self.notAsking([.evaluate, .trust], "a file has no handshake") }

    /// Whether a door says what its answer leaves out: a fault that it cannot see, or that no Apple system connects.
    func isSaid(by door: Door, _ evidence: DoorEvidence) -> Bool {
        let isDoubtful = self.trust == .trusted && self.connect.verdict == .refused
        if isDoubtful, [.check, .get, .proxy, .pin].contains(door) {
            return evidence.text.contains("App Transport Security")
        }
        guard case .cannotSee(_, let words?)? = self.cells[door] else { return true }
        return evidence.text.contains(words)
    }

    /// The answer to a question.
    func answer(to question: DoorQuestion) -> DoorAnswer { question == .trust ? self.trust : self.connect }

    /// The answer of a door; `nil` where it is not asked.
    func expected(of door: Door, _ question: DoorQuestion) -> DoorAnswer? {
        switch self.cells[door] {
        case .notAsked?: nil
        case .cannotSee(let answer, _)?, .needs(_, let answer)?: answer
        case nil: self.named(self.answer(to: question), by: door, question)
        }
    }

    private func named(_ answer: DoorAnswer, by door: Door, _ question: DoorQuestion) -> DoorAnswer {
        guard answer.verdict != .trusted, let code = self.codes[door]?[question] else { return answer }
        return DoorAnswer(verdict: answer.verdict, code: code)
    }
}
