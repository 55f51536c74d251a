//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import AppTransportSecurity
import Foundation
import HTTPSession
import ServerTrust
import ServerTrustNIO
import ServerTrustTesting
import TestSupport
import Testing

@testable import InterceptingProxy

@Suite("An Info.plist with ten exceptions, and a browser", .limitedConcurrency, .timeLimit(.minutes(10)))
struct BrowserMatrixTests {
    private static let chromium = CommandLineTool.installed("chromium")

    @Test(
        "What Chromium asks for is let through and refused as it is explained", .enabled(if: chromium != nil),
        arguments: TransportSecurityMatrixTests.Server.allCases)
    func matrix(server: TransportSecurityMatrixTests.Server) async throws {
        let policy = try TransportSecurityMatrixTests.policy()
        let trust = ServerTrustSettings(
            trust: TrustConfiguration(anchors: try ProxyScene.authority.get().anchors),
            transportSecurity: .appTransportSecurity(policy))
        try await TransportSecurityMatrixTests.with(server) { port in
            try await ProxyScene.with(server: port) {
                $0.trust = trust
            } _: { scene in
                let hosts = TransportSecurityMatrixTests.hosts
                try await Self.load(hosts.map { "\(server.scheme.rawValue)://\($0.name)/" }, scene.proxy.port)
                for host in hosts {
                    let url = "\(server.scheme.rawValue)://\(host.name)/"
                    let requests = scene.log.requests.filter {
                        $0.server?.host.text == host.name && $0.server?.scheme == server.scheme.rawValue
                    }
                    let explained = policy.explanation(for: try ATSDestination(url: url)).requirements
                    let isAllowed = host.allowed.contains(server)
                    #expect(server.isAllowed(explained) == isAllowed)
                    #expect(!requests.isEmpty, "\(url) was not asked for")
                    for request in requests {
                        #expect(
                            (request.verdict == .trusted) == isAllowed && request.exception == host.exception, "\(url)")
                        // The browser ends once it has all heads, and not before the log has a status for each.
                        #expect(request.status == (isAllowed ? 200 : 403), "\(url)")
                    }
                }
            }
        }
    }

    /// Has Chromium load URLs through a proxy.
    private static func load(_ urls: [String], _ port: Int) async throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("browser-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let list = String(decoding: try JSONEncoder().encode(urls), as: UTF8.self)
        let page = """
            <!DOCTYPE html><title>loading</title><p id="count"></p><script>
            Promise.allSettled(\(list).map(url => fetch(url, {mode: 'no-cors'}))).then(all => {
                document.getElementById('count').textContent = 'answered ' + all.filter(one => one.status == 'fulfilled').length
            })
            </script>
            """
        let file = folder.appendingPathComponent("page.html")
        try Data(page.utf8).write(to: file)
        let key = try Certificate.certificates(in: try ProxyScene.root.get().pem.utf8)[0].publicKey.sha256
        var program = TestProcess.Settings(
            try #require(Self.chromium),
            [
                "--headless", "--no-sandbox", "--disable-gpu", "--disable-background-networking", "--no-first-run",
                "--user-data-dir=\(folder.path)/profile", "--proxy-server=http://127.0.0.1:\(port)",
                "--ignore-certificate-errors-spki-list=\(Data(key).base64EncodedString())",
                "--virtual-time-budget=30000", "--dump-dom", file.absoluteString,
            ])
        let output = folder.appendingPathComponent("out")
        try Data().write(to: output)
        program.output = output.path
        let process = try TestProcess(program)
        _ = await process.ending()
        // Refusals are answers, too: Chromium gets one for each URL.
        let text = try String(contentsOf: output, encoding: .utf8)
        #expect(text.contains("answered \(urls.count)"), "\(text)")
    }
}
