//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import Foundation

/// The part of a command's document that is about one server.
struct DoorDocument {
    let door: Door
    let object: JSONObject

    /// The traces of the answer to each question of the door.
    var evidence: [DoorQuestion: DoorEvidence] {
        var evidence: [DoorQuestion: DoorEvidence] = [:]
        for question in self.door.questions {
            evidence[question] = .command(
                exit: self.exit(for: question), code: self.code(for: question), text: self.text)
        }
        return evidence
    }

    private func exit(for question: DoorQuestion) -> Int32 {
        switch self.door {
        case .diagnose, .confirm:
            let verdicts = self.object["verdicts"] as? JSONObject
            guard let verdict = verdicts?[Self.name(question)] as? JSONObject else { return 2 }
            return Self.exit(verdict["outcome"])
        case .scan:
            let outcomes = self.object["outcome"] as? JSONObject
            guard question == .trust, let pins = outcomes?["pins"] else {
                return Self.exit(outcomes?[Self.name(question)])
            }
            // Pins are a question of their own there, which is passed where the chain is trusted, too.
            return max(Self.exit(outcomes?["trust"]), Self.exit(pins))
        // A value that names no server could not be judged.
        case .profile where self.code(for: question) == "unreadable-server": return 2
        default: return Self.exit(self.object["verdict"] ?? self.object["outcome"])
        }
    }

    private static func name(_ question: DoorQuestion) -> String { question == .trust ? "trust" : "ats" }

    /// The code of the first reason: that of the chain before those of the connection.
    private func code(for question: DoorQuestion) -> String? {
        switch self.door {
        case .diagnose, .confirm:
            let trust = (self.object["trust"] as? [JSONObject])?.first
            let verdicts = self.object["verdicts"] as? JSONObject
            return Self.firstCode(trust, "reasons") ?? Self.firstCode(verdicts?[Self.name(question)], "violations")
                ?? Self.code(self.object["error"])
        case .scan:
            let findings = self.object["findings"] as? [JSONObject] ?? []
            let own = findings.first { ($0["questions"] as? [String])?.contains(Self.name(question)) == true }
            return Self.code(own) ?? (self.object["reasons"] as? [String])?.first ?? Self.code(self.object["error"])
        case .pin, .profile:
            let reasons = self.object["reasons"] as? [JSONObject]
            return (reasons?.first?["codes"] as? String)?.split(separator: ",").first.map(String.init)
        default:
            return Self.firstCode(self.object["evaluation"], "reasons")
                ?? Self.firstCode(self.object["transportSecurity"], "violations")
                ?? Self.firstCode(self.object, "problems") ?? Self.code(self.object["error"])
        }
    }

    private var text: String {
        let data = try? JSONSerialization.data(withJSONObject: self.object, options: .withoutEscapingSlashes)
        return String(decoding: data ?? Data(), as: UTF8.self)
    }
}

extension DoorDocument {
    /// The exit code that a verdict in a document stands for.
    static func exit(_ verdict: Any?) -> Int32 {
        switch verdict as? String {
        case "trusted", "nothing", "passed": 0
        case "not-trusted", "exception", "exception-and-delegate", "impossible", "not-let-through", "failed": 1
        default: 2
        }
    }

    /// The servers of a document; none where the text is no document.
    static func entries(of text: String) -> [JSONObject] {
        let document = Self.object(text)
        return document?["servers"] as? [JSONObject] ?? document?["targets"] as? [JSONObject] ?? []
    }

    static func object(_ text: String) -> JSONObject? {
        (try? JSONSerialization.jsonObject(with: Data(text.utf8))) as? JSONObject
    }

    static func firstCode(_ object: Any?, _ list: String) -> String? {
        let first = ((object as? JSONObject)?[list] as? [JSONObject])?.first
        // App Transport Security's violation is that the chain is not trusted, and its rule is the reason.
        return first.flatMap { $0["rule"] as? String ?? Self.code($0) }
    }

    private static func code(_ object: Any?) -> String? { (object as? JSONObject)?["code"] as? String }
}
