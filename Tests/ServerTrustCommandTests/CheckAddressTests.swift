//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import CertificatePath
import Foundation
import NIOCore
import NIOSSL
import ServerDiagnosis
import ServerTrust
import ServerTrustNIO
import ServerTrustTesting
import TLSWire
import TestSupport
import Testing
import X509

@testable import ServerReports
@testable import ServerTrustCommand

@Suite("What check sees of a server", .limitedConcurrency, .timeLimit(.minutes(10)))
struct CheckAddressTests {
    @Test("check asks every address of a name, and the worst decides", arguments: [0, 1])
    func addresses(position: Int) async throws {
        let (authority, stranger) = (try TestAuthority(), try TestAuthority())
        let good = try authority.issue(.leaf(dnsNames: ["many.test"]))
        let bad = try stranger.issue(.leaf(dnsNames: ["many.test"]))
        let leaves = position == 0 ? [bad, good] : [good, bad]
        let first = try await TestTLSServer.start(TestTLSServer.Configuration(leaves[0]))
        var configuration = TestTLSServer.Configuration(leaves[1])
        (configuration.address, configuration.port) = ("127.0.0.2", first.port)
        let second = try await TestTLSServer.start(configuration)
        var check = ServerCheck(settings: CommandTrust([try TrustStore([authority.root.trustCertificate])]))
        let found = try ["127.0.0.1", "127.0.0.2", "127.0.0.3"].map { try SocketAddress(ipAddress: $0, port: 0) }
        check.connections.resolver = NameResolver(threads: 1) { _ in .found(found) }
        check.connections.timeout = .seconds(5)
        let report = try await check.report(on: TLSEndpoint(host: "many.test", port: first.port))
        #expect(report.verdict == .notTrusted && report.addresses.count == 3)
        #expect(Set(report.addressContradictions.map(\.kind)) == [.verdict, .certificate, .connection])
        let text = ReportText(TextStyle(isEnabled: false)).text(of: report)
        for address in found.compactMap(\.ipAddress) { #expect(text.contains("\(address):\(first.port)"), "\(text)") }
        check.maximumAddresses = 1
        let one = try await check.report(on: TLSEndpoint(host: "many.test", port: first.port))
        #expect(one.addresses.isEmpty && one.verdict == (position == 0 ? .notTrusted : .trusted))
        try await first.shutdown()
        try await second.shutdown()
    }

    @Test(
        "A stapled response that revokes the certificate refuses the server, unless revocation is off",
        arguments: [true, false])
    func staple(isRevoked: Bool) async throws {
        let leaf = try testRoot.leaf { $0.serialNumber = DER.number(4_711) }
        var response = TestOCSPResponse()
        if isRevoked { response.status = DER.element(0xA1, DER.generalizedTime("20260530000000Z")) }
        let delivered = DeliveredEvidence(ocspResponse: try response.view().bytes)
        let chain = PresentedChain(
            certificates: [leaf.bytes], handshake: .completed, protocolVersion: .tls13, cipherSuite: nil)
        var settings = CommandTrust(
            [try TrustStore([Certificate(testRoot.authority())])], date: Date(timeIntervalSince1970: 1_780_272_000))
        for isOff in [false, true] {
            if isOff { settings.trust.revocation = RevocationPolicy(.off) }
            let outcome = try await ServerCheck(settings: settings).judge(
                chain, of: TLSEndpoint(host: "www.example.com"), delivered: delivered)
            guard case .judged(let server) = outcome else {
                Issue.record("the chain was not judged")
                return
            }
            #expect(server.verdict == (isRevoked && !isOff ? .notTrusted : .trusted), "\(server.findings)")
        }
    }

    @Test(
        "evaluate notes a key usage that no handshake allows, and trusts the chain as SecTrust does",
        arguments: [true, false])
    func keyUsage(maySign: Bool) async throws {
        let authority = try TestAuthority()
        var description = CertificateDescription.leaf(dnsNames: ["a.test"])
        description.keyUsage = KeyUsage(digitalSignature: maySign, keyEncipherment: true)
        let leaf = try authority.issue(description)
        try await withTemporaryFolder { folder in
            let finished = try await CommandLineTool.servertrust([
                "evaluate", "--chain", try folder.file("leaf.pem", leaf.pem), "--host", "a.test", "--roots",
                try folder.file("root.pem", authority.root.pem), "--anchors-only",
            ])
            #expect(finished.status == 0)
            #expect(finished.output.contains("without digitalSignature") != maySign)
        }
    }

    @Test("A server that refuses the handshake of Apple's systems is trusted by no command")
    func refusesApple() async throws {
        let authority = try TestAuthority()
        var description = CertificateDescription.leaf(dnsNames: ["a.test"])
        description.keyKind = .p521
        let chain = [try authority.issue(description), authority.root]
        try await withTemporaryFolder { folder in
            let root = try folder.file("root.pem", authority.root.pem)
            try await OpenSSLServer.with([], chain) { port in
                let server = ["a.test:\(port)", "--connect-to", "127.0.0.1", "--roots", root, "--anchors-only"]
                for command in ["check", "pin", "diagnose"] {
                    let finished = try await CommandLineTool.servertrust([command] + server)
                    #expect(finished.status == 1, "\(command): \(finished.output)\(finished.errors)")
                    #expect((finished.output + finished.errors).contains("P-521"), "\(command): \(finished.output)")
                }
            }
        }
    }
}
