//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import Foundation
package import ServerTrustTesting
import Testing

/// `openssl s_server` on 127.0.0.1, for what BoringSSL does not serve.
package enum OpenSSLServer {
    package static let path = CommandLineTool.installed("openssl")

    /// Runs a server, and ends it after the body.
    ///
    /// - Parameters:
    ///   - options: Options of `openssl s_server`.
    ///   - settings: Lines of OpenSSL's configuration, which has some that there are no options for.
    ///   - served: The folder whose files it serves with `-WWW`.
    package static func with<R>(
        _ options: [String], settings: String = "", serving served: String? = nil, _ chain: [TestCertificate],
        _ body: (Int) async throws -> R
    ) async throws -> R {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("ats-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        var program = try Self.program(options, settings, chain, in: folder)
        program.folder = served
        let process = try TestProcess(program)
        let outcome: Result<R, any Error>
        do {
            outcome = .success(try await body(try await Self.port(folder.appendingPathComponent("log"), process)))
        } catch {
            outcome = .failure(error)
        }
        await process.end()
        return try outcome.get()
    }

    private static func program(
        _ options: [String], _ settings: String, _ chain: [TestCertificate], in folder: URL
    ) throws -> TestProcess.Settings {
        func file(_ name: String, _ text: String) throws -> String {
            let url = folder.appendingPathComponent(name)
            try Data(text.utf8).write(to: url)
            return url.path
        }
        let arguments = [
            "s_server", "-accept", "127.0.0.1:0", "-cert", try file("leaf.pem", chain[0].pem),
            "-key", try file("key.pem", chain[0].privateKey.pem),
            "-cert_chain", try file("chain.pem", chain.dropFirst().map(\.pem).joined()),
        ]
        var program = TestProcess.Settings(try #require(Self.path), arguments + options)
        let configuration =
            "openssl_conf = all\n[all]\nssl_conf = ssl\n[ssl]\nsystem_default = tls\n[tls]\n\(settings)\n"
        program.environment = ["OPENSSL_CONF": try file("openssl.cnf", configuration)]
        program.output = try file("log", "")
        // It ends with its input.
        program.hasInput = true
        return program
    }

    private static func port(_ log: URL, _ process: TestProcess) async throws -> Int {
        while process.isRunning {
            let text = try String(contentsOf: log, encoding: .utf8)
            if let line = text.firstMatch(of: /ACCEPT 127\.0\.0\.1:(\d+)\n/), let port = Int(line.1) { return port }
            try await Task.sleep(for: .milliseconds(20))
        }
        throw EndedError()
    }

    /// A server that ended before it served.
    private struct EndedError: Error {}
}
