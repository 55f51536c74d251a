//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import Foundation
import TestSupport
import Testing

/// A JSON object of a command's output.
typealias JSONObject = [String: Any]

extension Door {
    /// Asks about every server of a scene.
    ///
    /// - Returns: For each server, the traces of the answer to each question of the door.
    func ask(_ scene: DoorScene) async throws -> [[DoorQuestion: DoorEvidence]] {
        switch self {
        case .evaluate: try await scene.each { try await scene.evaluated($0) }
        case .check, .checkATS, .checkPins, .suggest, .diagnose, .confirm, .pin: try await self.documented(scene)
        case .profile: try await self.profiled(scene)
        case .scan: try await self.scanned(scene)
        case .get, .getATS: try await self.got(scene)
        case .proxy: try await scene.proxied()
        case .gate: try await scene.each { [.trust: .library(await scene.gated($0))] }
        case .callback: try await scene.each { [.trust: .library(await scene.calledBack($0))] }
        case .stream: try await scene.each { [.trust: .library(await scene.streamed($0))] }
        case .session: try await scene.each { [.trust: .library(await scene.loaded($0))] }
        case .trust: try await scene.each { [.trust: .library(await scene.judged($0))] }
        case .bootstrap: try await scene.each { [.trust: .library(await scene.bootstrapped($0))] }
        }
    }

    /// A command that writes a document about all servers.
    ///
    /// One that refuses its arguments writes none. Then each server is asked about alone.
    private func documented(_ scene: DoorScene) async throws -> [[DoorQuestion: DoorEvidence]] {
        let finished = try await scene.run(
            self.command + scene.targets.map(\.argument)
                + ["--connect-to", "127.0.0.1", "--format", "json", "--timeout", "60"] + scene.options(of: self))
        let servers = DoorDocument.entries(of: finished.output)
        guard servers.count == scene.targets.count else {
            guard scene.targets.count == 1 else {
                return try await scene.each { try await self.documented(scene.with(only: $0))[0] }
            }
            let evidence = DoorEvidence.command(
                exit: finished.status, code: nil, text: finished.output + finished.errors)
            return [self.evidence(evidence)]
        }
        let verdicts = servers.map { DoorDocument.exit($0["verdict"] ?? $0["outcome"]) }
        #expect(finished.status == verdicts.max(), "\(self): \(finished.output)\(finished.errors)")
        return servers.map { DoorDocument(door: self, object: $0).evidence }
    }

    /// A profile that names every server as a page.
    private func profiled(_ scene: DoorScene) async throws -> [[DoorQuestion: DoorEvidence]] {
        let payloads = scene.targets.map { target in
            TestProfile.payload("com.apple.webClip.managed", TestProfile.string("URL", TestProfile.escaped(target.url)))
        }
        let file = try scene.folder.file("servers.mobileconfig", contents: TestProfile.xml(payloads))
        let finished = try await scene.run(
            self.command + [file, "--connect-to", "127.0.0.1", "--format", "json", "--timeout", "60"]
                + scene.options(of: self))
        let servers = DoorDocument.entries(of: finished.output)
        guard servers.count == scene.targets.count else {
            guard scene.targets.count == 1 else {
                return try await scene.each { try await self.profiled(scene.with(only: $0))[0] }
            }
            return [self.evidence(.command(exit: finished.status, code: nil, text: finished.output + finished.errors))]
        }
        return servers.map { DoorDocument(door: self, object: $0).evidence }
    }

    /// The lines of a scan, in the order of the servers.
    private func scanned(_ scene: DoorScene) async throws -> [[DoorQuestion: DoorEvidence]] {
        let lines = scene.targets.map { target in
            #"{"host":"\#(target.host)","port":\#(target.port),"connectTo":"127.0.0.1"}"#
        }
        let list = try scene.folder.file("list", lines.joined(separator: "\n"))
        let finished = try await scene.run(
            self.command + [list, "--plan", "ats", "--format", "ndjson", "--quiet", "--timeout", "60"]
                + scene.options(of: self))
        let records = finished.output.split(separator: "\n").compactMap { DoorDocument.object(String($0)) }
        return scene.targets.indices.map { index in
            let record = records.first { $0["line"] as? Int == index + 1 }
            guard let record else {
                let evidence = DoorEvidence.command(exit: finished.status, code: nil, text: finished.errors)
                return self.evidence(evidence)
            }
            return DoorDocument(door: self, object: record).evidence
        }
    }

    /// A command that loads from every server, one after another, and tells each event by a line.
    private func got(_ scene: DoorScene) async throws -> [[DoorQuestion: DoorEvidence]] {
        let outputs = scene.targets.flatMap { _ in ["-o", "/dev/null"] }
        let finished = try await scene.run(
            self.command + scene.targets.map(\.url)
                + ["--connect-to", "::127.0.0.1:", "--max-time", "60", "-g", "-v", "--format", "json"] + outputs
                + scene.options(of: self))
        let ends = TransferEnd.all(in: finished.errors)
        guard ends.count == scene.targets.count else {
            guard scene.targets.count == 1 else {
                return try await scene.each { try await self.got(scene.with(only: $0))[0] }
            }
            return [self.evidence(.command(exit: finished.status, code: nil, text: finished.errors))]
        }
        #expect(finished.status == ends.map(\.exit).max(), "\(self): \(finished.errors)")
        return ends.map { self.evidence(.command(exit: $0.exit, code: $0.code, text: $0.text)) }
    }

    /// The same answer to every question of the door.
    private func evidence(_ evidence: DoorEvidence) -> [DoorQuestion: DoorEvidence] {
        Dictionary(uniqueKeysWithValues: self.questions.map { ($0, evidence) })
    }
}

/// The end of a transfer, by the events that tell it.
private struct TransferEnd {
    let exit: Int32
    /// The code of the reason of a failure.
    var code: String?
    let text: String

    /// The ends in a text of events: failures, and responses that nothing follows in the same transfer.
    static func all(in text: String) -> [TransferEnd] {
        let lines = text.split(separator: "\n").map(String.init)
        let events = lines.map { DoorDocument.object($0) ?? [:] }
        let names = events.map { $0["event"] as? String } + [nil]
        var start = 0
        return events.indices.compactMap { index in
            let text = lines[start...index].joined(separator: "\n")
            switch names[index] {
            case "failed":
                start = index + 1
                return TransferEnd(
                    exit: events[index]["isRefusal"] as? Bool == true ? 1 : 2, code: events[index]["rule"] as? String,
                    text: text)
            case "response" where !["redirected", "failed", "challenged"].contains(names[index + 1]):
                start = index + 1
                return TransferEnd(exit: 0, text: text)
            default: return nil
            }
        }
    }
}

extension DoorScene {
    /// Asks about each server, one after another.
    func each(
        _ ask: (DoorTarget) async throws -> [DoorQuestion: DoorEvidence]
    ) async throws -> [[DoorQuestion: DoorEvidence]] {
        var answers: [[DoorQuestion: DoorEvidence]] = []
        for target in self.targets { answers.append(try await ask(target)) }
        return answers
    }

    fileprivate func evaluated(_ target: DoorTarget) async throws -> [DoorQuestion: DoorEvidence] {
        let file = try self.folder.file("chain.pem", target.pem)
        let finished = try await self.run(
            ["evaluate", "--chain", file, "--host", target.name, "--format", "json"] + self.options(of: .evaluate))
        let document = DoorDocument.object(finished.output) ?? [:]
        let code = DoorDocument.firstCode(document["evaluation"], "reasons")
        return [.trust: .command(exit: finished.status, code: code, text: finished.output + finished.errors)]
    }
}
