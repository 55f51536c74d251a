//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import Foundation
import NIOSSL
import ServerTrust
import ServerTrustNIO
import ServerTrustTesting
import TLSWire
import TestSupport
import Testing

@testable import FleetScan
@testable import ServerReports
@testable import ServerTrustCommand

private struct Suggested: Decodable {
    let verdict: String
    let servers: [Server]

    struct Server: Decodable {
        let outcome: String
        let propertyList: String?
        let givesUp: [Sacrifice]
        let transportSecurity: TransportSecurity
    }

    struct Sacrifice: Decodable {
        let code: String
        let needsJustification: Bool
    }

    struct TransportSecurity: Decodable {
        let isAllowed: Bool
        let violations: [Violation]
    }

    struct Violation: Decodable {
        let code: String
        let urlError: Int
        let osStatus: Int?
    }
}

/// A server that offers some suites in some versions, what its default failure is, and what it needs on iOS 18.
private struct Peer: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let versions: ClosedRange<Int>
    var suites: [UInt16] = []
    let osStatus: Int?
    let sacrifices: [String]?
    var passes26 = false

    func configuration(_ leaf: TestCertificate, _ issuer: [[UInt8]]) -> TestTLSServer.Configuration {
        let versions: [TLSVersion] = [.tlsv1, .tlsv11, .tlsv12, .tlsv13]
        var configuration = TestTLSServer.Configuration(
            certificates: [leaf.der] + issuer, privateKey: leaf.privateKey)
        configuration.minimumTLSVersion = versions[self.versions.lowerBound]
        configuration.maximumTLSVersion = versions[self.versions.upperBound]
        if !self.suites.isEmpty { configuration.cipherSuites = self.suites.map(CipherSuite.init) }
        return configuration
    }
}

private let peers: [Peer] = [
    Peer(testDescription: "modern", versions: 2...3, osStatus: nil, sacrifices: [], passes26: true),
    Peer(testDescription: "1.3 only", versions: 3...3, osStatus: nil, sacrifices: [], passes26: true),
    Peer(
        testDescription: "1.2 and CBC only", versions: 2...2, suites: [0xC013],
        osStatus: nil,
        sacrifices: [], passes26: true),
    Peer(
        testDescription: "1.2 and static RSA only", versions: 2...2, suites: [0x009C],
        osStatus: -9824, sacrifices: ["forward-secrecy"], passes26: true),
    Peer(testDescription: "1.1 only", versions: 1...1, osStatus: -9836, sacrifices: ["tls-1.1"]),
    Peer(
        testDescription: "1.0 and static RSA only", versions: 0...0, suites: [0x002F],
        osStatus: -9836, sacrifices: ["tls-1.0", "forward-secrecy"]),
]

@Suite("Servers held against App Transport Security", .limitedConcurrency, .timeLimit(.minutes(10)))
struct ATSServerTests {
    private func run(_ peer: Peer, _ body: (_ server: String, _ options: [String]) async throws -> Void) async throws {
        var root = CertificateDescription.root()
        root.keyKind = .rsa2048
        let authority = try TestAuthority(root: root)
        var description = CertificateDescription.leaf(dnsNames: ["a.test"])
        description.keyKind = .rsa2048
        // Static RSA needs a key that may encipher.
        description.keyUsage = nil
        let leaf = try authority.issue(description)
        let server = try await TestTLSServer.start(peer.configuration(leaf, []))
        do {
            try await withTemporaryFolder { folder in
                let file = try folder.file("root.pem", authority.root.pem)
                try await body(
                    "a.test:\(server.port)", ["--connect-to", "127.0.0.1", "--roots", file, "--anchors-only"])
            }
        } catch {
            try await server.shutdown()
            throw error
        }
        try await server.shutdown()
    }

    @Test("suggest finds the smallest exception, and what it writes lets check --ats through", arguments: peers)
    private func suggestions(peer: Peer) async throws {
        try await self.run(peer) { server, options in
            let finished = try await CommandLineTool.servertrust(
                ["ats", "suggest", server, "--target-os", "ios18", "--format", "json"] + options)
            let answer = try JSONDecoder().decode(Suggested.self, from: Data(finished.output.utf8))
            let suggested = try #require(answer.servers.first)
            #expect(suggested.givesUp.map(\.code) == peer.sacrifices)
            #expect(suggested.transportSecurity.violations.first?.osStatus == peer.osStatus)
            #expect(finished.status == (peer.sacrifices == [] ? 0 : 1))
            guard let propertyList = suggested.propertyList else { return }
            try await withTemporaryFolder { folder in
                let file = try folder.file("Info.plist", propertyList)
                let check = ["check", server, "--minimum-tls", "1.0", "--ats"] + [file] + options
                let ios18 = try await CommandLineTool.servertrust(check + ["--target-os", "ios18"])
                #expect(ios18.status == 0, "\(ios18.output)")
                #expect(ios18.output.contains("App Transport Security lets it through: "))
                let ios26 = try await CommandLineTool.servertrust(check + ["--target-os", "ios26"])
                #expect(ios26.status == (peer.passes26 ? 0 : 1), "\(ios26.output)")
            }
        }
    }

    @Test(
        "The suggestion is added to an Info.plist, which keeps its order and comments and then lets the server through",
        arguments: peers)
    private func additions(peer: Peer) async throws {
        try await self.run(peer) { server, options in
            try await withTemporaryFolder { folder in
                let file = try folder.file(
                    "Info.plist",
                    """
                    <plist version="1.0"><dict>
                      <!-- the app -->
                      <key>NSAppTransportSecurity</key>
                      <dict>
                        <key>NSExceptionDomains</key>
                        <dict>
                          <key>localhost</key>
                          <dict>
                            <key>NSExceptionMinimumTLSVersion</key> <!-- since 2019 --> <string>TLSv1.3</string>
                          </dict>
                        </dict>
                      </dict>
                      <key>CFBundleName</key><string>App</string>
                    </dict></plist>
                    """)
                let added = try await CommandLineTool.servertrust(
                    [
                        "ats", "suggest", server, "--target-os", "ios18", "--plist", file, "--format", "plist", "-o",
                        file,
                    ] + options)
                #expect(added.output.isEmpty && added.status < 2, "\(added.errors)")
                let text = try String(contentsOfFile: file, encoding: .utf8)
                #expect(
                    text.contains("<!-- the app -->")
                        && text.hasSuffix("<key>CFBundleName</key><string>App</string>\n</dict></plist>"))
                guard peer.sacrifices != nil else { return }
                let check = try await CommandLineTool.servertrust(
                    ["check", server, "--minimum-tls", "1.0", "--target-os", "ios18", "--ats", file] + options)
                #expect(check.status == 0, "\(text)\n\(check.output)")
                let lint = try await CommandLineTool.servertrust(["ats", "lint", file, "--target-os", "ios18"])
                #expect(!lint.output.contains("error:"), "\(lint.output)")
            }
        }
    }

    @Test("check --ats default refuses what an app without exceptions cannot reach", arguments: peers)
    private func checks(peer: Peer) async throws {
        try await self.run(peer) { server, options in
            let finished = try await CommandLineTool.servertrust(
                ["check", server, "--minimum-tls", "1.0", "--ats", "default"] + options)
            #expect(finished.status == (peer.osStatus == nil ? 0 : 1), "\(finished.output)")
            let code = peer.osStatus.map { "(\($0))" } ?? "App Transport Security lets it through: default"
            #expect(finished.output.contains(code), "\(finished.output)")
        }
    }

    @Test("Device management refuses CBC, which apps may use")
    func management() async throws {
        try await self.run(peers[2]) { server, options in
            let finished = try await CommandLineTool.servertrust(
                ["check", server, "--ats", "default", "--client", "management"] + options)
            #expect(finished.status == 1 && finished.output.contains("device management on iOS 27"))
            let before = try await CommandLineTool.servertrust(
                ["check", server, "--ats", "default", "--client", "management", "--target-os", "ios26"] + options)
            #expect(before.status == 0)
        }
    }

    @Test("Pins of an Info.plist refuse a chain that has none of them")
    func pins() async throws {
        let plist = #"{"NSAppTransportSecurity": {"NSPinnedDomains": {"a.test": {"NSPinnedCAIdentities": []}}}}"#
        try await self.run(peers[0]) { server, options in
            try await withTemporaryFolder { folder in
                let file = try folder.file("Info.plist", plist)
                let finished = try await CommandLineTool.servertrust(
                    ["check", server, "--ats", file, "--format", "json"] + options)
                #expect(finished.status == 1)
                #expect(finished.output.contains(#""osStatus" : -9886"#))
                #expect(finished.output.contains(#""code" : "authority-not-pinned""#))
            }
        }
    }

    @Test(
        "An exception holds for the host as it is written",
        arguments: [["check", "--ats"], ["diagnose", "--no-redirects", "--plist"], ["ats", "suggest", "--plist"]])
    func spelling(command: [String]) async throws {
        let plist =
            #"{"NSAppTransportSecurity": {"NSExceptionDomains": {"a.test": {"NSExceptionRequiresForwardSecrecy": false}}}}"#
        try await self.run(peers[3]) { server, options in
            try await withTemporaryFolder { folder in
                let file = try folder.file("Info.plist", plist)
                let port = server.dropFirst("a.test".count)
                for (host, status) in [("a.test", 0), ("A.test", 1), ("a.test.", 1)] as [(String, Int32)] {
                    let finished = try await CommandLineTool.servertrust(command + [file, host + port] + options)
                    #expect(finished.status == status, "\(host): \(finished.output)\(finished.errors)")
                }
            }
        }
    }

    @Test(
        "What the documentation allows and no load of this program can offer is the same for every command",
        .enabled(if: OpenSSLServer.path != nil),
        arguments: [["check", "--ats"], ["diagnose", "--plist"], ["ats", "suggest", "--plist"]])
    func unofferedSuite(command: [String]) async throws {
        let authority = try TestAuthority()
        var description = CertificateDescription.leaf(dnsNames: ["a.test"])
        description.keyKind = .rsa2048
        let options = ["-tls1_2", "-cipher", "ECDHE-RSA-AES256-SHA384", "-www"]
        try await OpenSSLServer.with(options, [try authority.issue(description), authority.root]) { port in
            try await withTemporaryFolder { folder in
                let root = try folder.file("root.pem", authority.root.pem)
                let plist = try folder.file("Info.plist", #"{"NSAppTransportSecurity": {}}"#)
                let finished = try await CommandLineTool.servertrust(
                    command + [plist, "a.test:\(port)", "--strict", "documentation"]
                        + ["--connect-to", "127.0.0.1", "--roots", root, "--anchors-only"])
                #expect(finished.status == 0, "\(finished.output)\(finished.errors)")
            }
        }
    }

    @Test("A server that is described is not connected to")
    func described() async throws {
        let finished = try await CommandLineTool.servertrust([
            "ats", "suggest", "nowhere.invalid", "--speaks", "1.2:TLS_RSA_WITH_AES_128_GCM_SHA256",
        ])
        #expect(finished.status == 1 && finished.output.hasPrefix("NEEDS AN EXCEPTION  nowhere.invalid"))
        #expect(finished.output.contains("Its chain is taken for trusted"))
        let number = try await CommandLineTool.servertrust([
            "ats", "suggest", "nowhere.invalid", "--speaks", "TLSv1.2:0xC02B",
        ])
        #expect(number.status == 0)
    }

    @Test("The exception of the Info.plist is named where it lets a server through")
    func ownException() async throws {
        try await withTemporaryFolder { folder in
            let domain = #"{"NSExceptionRequiresForwardSecrecy": false}"#
            let plist = try folder.file(
                "Info.plist", #"{"NSAppTransportSecurity": {"NSExceptionDomains": {"a.example": \#(domain)}}}"#)
            let finished = try await CommandLineTool.servertrust([
                "ats", "suggest", "a.example", "--speaks", "1.2:TLS_RSA_WITH_AES_128_GCM_SHA256", "--plist", plist,
            ])
            #expect(finished.status == 0 && finished.output.hasPrefix("NEEDS NO OTHER EXCEPTION  a.example"))
            #expect(finished.output.contains("by its exception for a.example"), "\(finished.output)")
        }
    }

    @Test(
        "Descriptions that are none are refused",
        arguments: ["1.2", "1.4:0xC02B", "1.2:TLS_NOTHING", "1.2:0xZZZZ", "1.2:"])
    func badDescriptions(text: String) async throws {
        #expect(try await CommandLineTool.servertrust(["ats", "suggest", "a.test", "--speaks", text]).status == 2)
    }

    @Test("A least version is no question of connecting here, and refused with what to do")
    func minimumVersion() async throws {
        let finished = try await CommandLineTool.servertrust(["ats", "suggest", "a.test", "--minimum-tls", "1.0"])
        #expect(finished.status == 2 && finished.errors.contains("--target-os"))
    }

    @Test("No connection is no verdict")
    func noConnection() async throws {
        let finished = try await CommandLineTool.servertrust(["ats", "suggest", "localhost:1", "--timeout", "5"])
        #expect(finished.status == 2 && finished.output.hasPrefix("NOT EVALUATED") && !finished.errors.isEmpty)
    }
}
