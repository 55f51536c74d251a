//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import Foundation
import TestSupport
import Testing

extension DoorScene {
    /// Has curl load from every server through one proxy.
    ///
    /// - Parameter trust: The options about trust, by default those of the scene.
    func proxied(with trust: [String]? = nil) async throws -> [[DoorQuestion: DoorEvidence]] {
        let root = try await self.run(
            ["proxy", "root", "--root-folder", self.folder.path("proxy"), "--export", self.folder.path("proxy.pem")])
        try #require(root.status == 0, "\(root.errors)")
        let tool = try self.program
        let ports = self.targets.flatMap { ["--allow-port", "\($0.port)"] }
        let arguments =
            tool.dropFirst() + [
                "proxy", "--listen", "127.0.0.1:0", "--allow-local", "--connect-to", "::127.0.0.1:", "--root-folder",
                self.folder.path("proxy"), "--log", self.folder.path("proxy.ndjson"),
            ] + ports
        let options = if let trust { trust } else { try await self.options(of: .proxy) }
        let answers = try await Service.with(
            tool[0], Array(arguments) + options, in: self.folder,
            portAfter: "listens at http://127\\.0\\.0\\.1:"
        ) { port in
            try await self.each { try await self.curled($0, proxy: port) }
        }
        return zip(self.targets, answers).map { target, evidence in
            evidence.mapValues { self.adding(self.logged(target), to: $0) }
        }
    }

    /// The lines about a server in the log, which has what the program behind the proxy is not told.
    private func logged(_ target: DoorTarget) -> String {
        let log = (try? String(contentsOfFile: self.folder.path("proxy.ndjson"), encoding: .utf8)) ?? ""
        let lines = log.split(separator: "\n").filter { line in
            DoorDocument.object(String(line))?["port"] as? Int == target.port
        }
        return lines.joined(separator: "\n")
    }

    private func adding(_ log: String, to evidence: DoorEvidence) -> DoorEvidence {
        guard case .command(let exit, let code, let text) = evidence else { return evidence }
        return .command(exit: exit, code: code, text: text + log)
    }

    private func curled(_ target: DoorTarget, proxy: Int) async throws -> [DoorQuestion: DoorEvidence] {
        let curl = try #require(CommandLineTool.installed("curl"))
        let finished = try await CommandLineTool.run(
            curl,
            [
                "-q", "-sS", "-g", "-m", "60", "-x", "http://127.0.0.1:\(proxy)", "--cacert",
                self.folder.path("proxy.pem"), "-H", "Accept: application/json", target.url,
            ])
        let refusal = DoorDocument.object(finished.output)
        let exit: Int32 =
            switch refusal?["verdict"] as? String {
            case "refused": 1
            case nil where finished.status == 0: 0
            default: 2
            }
        return [
            .trust: .command(
                exit: exit, code: refusal?["code"] as? String, text: finished.output + finished.errors)
        ]
    }
}
