//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import CertificatePath
import Foundation
import ServerTrust
import TestSupport
import Testing

/// A chain that is worth a note, and the change that the note's advice asks for.
struct NotedChain: Sendable, CustomTestStringConvertible {
    let kind: TrustNote.Kind
    /// A part of the sentence.
    let phrase: String
    /// The part of the advice that the change follows.
    let advice: String
    let scene: @Sendable () throws -> FaultScene
    let change: @Sendable (inout FaultScene) throws -> Void

    var testDescription: String { self.kind.rawValue }

    init(
        _ kind: TrustNote.Kind, _ phrase: String, advice: String, scene: @escaping @Sendable () throws -> FaultScene,
        change: @escaping @Sendable (inout FaultScene) throws -> Void
    ) {
        (self.kind, self.phrase, self.advice) = (kind, phrase, advice)
        (self.scene, self.change) = (scene, change)
    }

    static let all = Self.ofOrder + Self.ofLeaves + Self.ofAuthorities

    private static func good() throws -> FaultScene { try .leaf { _ in } }

    // MARK: What is sent

    private static let ofOrder = [
        NotedChain(.wrongOrder, "The right order is 1, 3, 2", advice: "then each issuer in order") {
            var scene = try Self.good()
            let upper = try FaultScene.root.authority(FaultScene.second)
            scene.chain = [scene.chain[0], upper, try FaultScene.second.authority(FaultScene.issuer)]
            return scene
        } change: {
            $0.chain.swapAt(1, 2)
        },
        NotedChain(.leafNotFirst, "Certificate 2 looks like the server's", advice: "its own certificate first") {
            var scene = try Self.good()
            scene.chain.swapAt(0, 1)
            return scene
        } change: {
            $0.chain.swapAt(0, 1)
        },
        NotedChain(.strangers, "“Stranger” (number 3) issued no certificate", advice: "Take them out") {
            var scene = try Self.good()
            scene.chain.append(try CraftedAuthority("Stranger", .p256(390)).authority())
            return scene
        } change: {
            $0.chain.removeLast()
        },
        NotedChain(
            .duplicates, "“Fault Issuing CA”, “www.example.com” (numbers 3, 4) were sent", advice: "Take them out"
        ) {
            var scene = try Self.good()
            scene.chain += [scene.chain[1], scene.chain[0]]
            return scene
        } change: {
            $0.chain.removeLast(2)
        },
        NotedChain(.issuerFetchable, "was not sent", advice: "Have the server send it") {
            let url = DER.element(0x86, Array("http://ca.example.com/issuer.der".utf8))
            let access = DER.sequence(DER.sequence(DER.oid("1.3.6.1.5.5.7.48.2"), url))
            var scene = try FaultScene.leaf { $0.set(TestExtension("1.3.6.1.5.5.7.1.1", access)) }
            scene.chain.removeLast()
            return scene
        } change: {
            $0.chain.append(try FaultScene.root.authority(FaultScene.issuer))
        },
        NotedChain(.expiredCrossCertificate, "The path goes by the root itself", advice: "Take it out of what") {
            var scene = try Self.good()
            let elder = CraftedAuthority("Elder Root", .p256(397))
            let cross = try elder.authority(FaultScene.root) { $0.notAfter = DER.utcTime("260520000000Z") }
            scene.chain.append(cross)
            return scene
        } change: {
            $0.chain.removeLast()
        },
    ]

    // MARK: The server's certificate

    private static let ofLeaves = [
        NotedChain(.leafKeyNotOffered, "is on P-521", advice: "Use a key on P-256") {
            try .leaf(.p521(310)) { _ in }
        } change: {
            $0 = try .leaf { _ in }
        },
        NotedChain(.leafIsAuthority, "is an authority's", advice: "a certificate of its own, issued by the authority") {
            try .leaf { $0.set(.basicConstraints(true)) }
        } change: {
            try $0.reissue { $0.remove("2.5.29.19") }
        },
        NotedChain(.uselessNames, "*.localhost (a wildcard needs at least three labels)", advice: "Leave them out") {
            try .leaf { $0.set(.alternativeNames([.dns("www.example.com"), .dns("*.localhost")])) }
        } change: {
            try $0.reissue { $0.alternativeNames.removeLast() }
        },
        NotedChain(.keyUsage, "is keyEncipherment, without digitalSignature", advice: "issued with digitalSignature") {
            try .leaf { $0.set(.keyUsage(2)) }
        } change: {
            try $0.reissue { $0.set(.keyUsage(0, 2)) }
        },
        NotedChain(.stapleMissing, "must-staple, RFC 7633", advice: "have it issued without must-staple") {
            try .leaf { $0.set(.tlsFeature([5])) }
        } change: {
            try $0.reissue { $0.remove("1.3.6.1.5.5.7.1.24") }
        },
        NotedChain(.lifetime, "One of a public authority may be valid for 398 days", advice: "Nothing has to be done") {
            try .leaf { $0.notAfter = DER.utcTime("280101000000Z") }
        } change: {
            try $0.reissue { $0.notAfter = DER.utcTime("270401000000Z") }
        },
        NotedChain(.serialNumber, "FF:01, is not a positive number", advice: "with another serial number") {
            try .leaf { $0.serialNumber = DER.element(0x02, [0xFF, 0x01]) }
        } change: {
            try $0.reissue { $0.serialNumber = DER.number(4_712) }
        },
        NotedChain(.appleIsStricter, "Apple's systems refuse the chain (lifetime-too-long)", advice: "Apple's own") {
            try .leaf { $0.notAfter = DER.utcTime("290101000000Z") }
        } change: {
            try $0.reissue { $0.notAfter = DER.utcTime("270401000000Z") }
        },
        NotedChain(.appleIsLaxer, "Validators that keep RFC 5280 refuse it", advice: "other than Apple's accept it") {
            try .leaf { $0.set(.policies(["1.2.3", "1.2.3"])) }
        } change: {
            try $0.reissue { $0.set(.policies(["1.2.3"])) }
        },
    ]

    // MARK: Authorities

    private static let ofAuthorities = [
        NotedChain(.endsSoon, "“Fault Issuing CA” ends on 2026-06-10", advice: "its successor in time") {
            try .intermediate { $0.notAfter = DER.utcTime("260610000000Z") }
        } change: {
            $0.chain[1] = try FaultScene.root.authority(FaultScene.issuer)
        }
    ]
}

extension FaultScene {
    /// Issues the leaf again with one change.
    fileprivate mutating func reissue(_ change: (inout CraftedCertificate) -> Void) throws {
        var leaf = try CraftedCertificate(copying: self.chain[0], signer: Self.issuer.key)
        change(&leaf)
        self.chain[0] = try leaf.view()
    }
}

@Suite("A note whose advice is followed is gone", .limitedConcurrency)
struct NoteRemedyTests {
    @Test("What a note advises takes it away, and brings no other", arguments: NotedChain.all)
    func followed(noted: NotedChain) async throws {
        var scene = try noted.scene()
        let first = try await scene.told()
        let note = try #require(first.notes.first { $0.code == noted.kind.rawValue }, "\(first.notes.map(\.code))")
        #expect(note.message.contains(noted.phrase), "\(note.message)")
        #expect(note.advice.contains(noted.advice), "\(note.advice)")
        try noted.change(&scene)
        let second = try await scene.told()
        #expect(second.notes.map(\.code).isEmpty && second.reasons.map(\.code).isEmpty)
    }

    @Test("A self-signed server's note that no handler can accept it is gone once its root is trusted")
    func handler() async throws {
        try await withTemporaryFolder { folder in
            let authority = try await RealAuthority(folder)
            try await authority.issue(RealAuthority.Leaf(), as: "site")
            try await RealServer(product: .openssl).run(in: folder) { port in
                for command in [["diagnose", "--plan", "ats"], ["check", "--ats", "default"]] {
                    let question = command + ["a.test:\(port)", "--connect-to", "127.0.0.1", "--format", "text"]
                    let untrusted = try await CommandLineTool.servertrust(question)
                    let words = untrusted.output.split(whereSeparator: \.isWhitespace).joined(separator: " ")
                    #expect(words.contains("An app's own challenge handler cannot accept this server"), "\(words)")
                    #expect(words.contains("[handler-cannot-accept") || command[0] == "check", "\(words)")
                    for way in ["a trusted authority", "by a profile", "an exception", ".local", "without a dot"] {
                        #expect(words.contains(way), "\(way): \(words)")
                    }
                    let trusted = try await CommandLineTool.servertrust(
                        question + ["--anchors-only", "--roots", folder.path("root.pem")])
                    #expect(!trusted.output.contains("challenge handler"), "\(trusted.output)")
                }
            }
        }
    }

    @Test(
        "A client's key that Apple's systems do not use is told at every door, and another is not",
        arguments: [
            (RealAuthority.curve("P-521"), "on P-521"), (RealAuthority.ed25519, "of the kind Ed25519"),
            (RealAuthority.p256, nil),
        ])
    func clientKey(key: [String], words: String?) async throws {
        try await withTemporaryFolder { folder in
            let authority = try await RealAuthority(folder)
            try await authority.issue(RealAuthority.Leaf(), as: "site")
            let usage = "keyUsage=digitalSignature\nextendedKeyUsage=clientAuth\n"
            try await authority.issue(RealAuthority.Leaf(key: key, extensions: usage), as: "client")
            let settings = ["-Verify", "3", "-verify_return_error", "-CAfile", folder.path("root.pem")]
            try await RealServer(product: .openssl, settings: settings).run(in: folder) { port in
                let trust = ["--anchors-only", "--roots", folder.path("root.pem")]
                let identity = ["--cert", folder.path("client.pem"), "--key", folder.path("client.key")]
                for command in [["check"], ["diagnose", "--plan", "ats"]] {
                    let told = try await CommandLineTool.servertrust(
                        command + ["a.test:\(port)", "--connect-to", "127.0.0.1"] + trust + identity)
                    Self.expect(words, in: told)
                }
                let got = try await CommandLineTool.servertrust(
                    ["get", "https://a.test:\(port)/", "--connect-to", "a.test:\(port):127.0.0.1:\(port)"] + trust
                        + identity)
                Self.expect(words, in: got)
            }
            try await Self.expectAtProxy(words, folder)
        }
    }

    private static func expect(_ words: String?, in told: Finished) {
        let text = (told.output + told.errors).split(whereSeparator: \.isWhitespace).joined(separator: " ")
        #expect(text.contains("Apple's systems are reported not to") == (words != nil), "\(text)")
        #expect(words.map { text.contains("The client's key is \($0).") } ?? true, "\(text)")
        #expect(words == nil || text.contains("Give clients a key on P-256, on P-384 or of RSA."), "\(text)")
    }

    /// The proxy has one file for the certificate and its key.
    private static func expectAtProxy(_ words: String?, _ folder: TemporaryFolder) async throws {
        let both = try String(contentsOfFile: folder.path("client.both"), encoding: .utf8)
        _ = try folder.file("identity.pem", both)
        // The same host twice ends the proxy after it has read the files.
        let told = try await CommandLineTool.servertrust([
            "proxy", "--root-folder", folder.path("proxy"), "--identity",
            "a.test=\(folder.path("identity.pem"))", "--identity", "a.test=\(folder.path("identity.pem"))",
        ])
        #expect(told.errors.contains("--identity is given twice"), "\(told.errors)")
        Self.expect(words, in: told)
    }

    @Test("Every kind of note is followed here, or elsewhere, or has a reason why not")
    func coverage() {
        let followed = Set(NotedChain.all.map(\.kind)).union([.handlerCannotAccept, .clientKeyNotUsed])
        let others = Set(Self.elsewhere.keys)
        #expect(followed.isDisjoint(with: others))
        let missing = Set(TrustNote.Kind.allCases).subtracting(followed).subtracting(others)
        #expect(missing.isEmpty, "\(missing.map(\.rawValue).sorted())")
    }

    /// The notes that other tests take away, and those about which nothing is to be done here.
    private static let elsewhere: [TrustNote.Kind: String] = [
        .issuerFetched: "RemedyTests fetches an issuer and sends it",
        .stapleUnusable: "RemedyTests has a server staple a fresh response",
        .publicLifetime: "a public authority has to issue the certificate",
        .applesPageOnTimestamps: "logs of certificate transparency have to sign",
        .logsUnknown: "Apple has to publish newer data",
        .rootNotInProgram: "devices have to install the root",
        .machinesDiffer: "all machines behind an address have to be set up alike",
        .addressesNotAsked: "CheckAddressTests asks the others",
        .suiteNotOffered: "FollowedAdviceTests sets the suites of real servers",
        .clientCertificateRequested: "ClientIdentityCommandTests gives the certificate",
        .clientIdentityNotNeeded: "ClientIdentityCommandTests asks a server that asks for none",
        .clientIdentityNotSent: "ClientIdentityCommandTests has the server trusted",
        .clientIdentityAccepted: "nothing is to be done",
        .clientIdentityRefused: "ClientIdentityCommandTests gives a certificate that is taken",
        .clientAuthenticationMissing: "RemedyTests has a client's certificate issued again",
    ]
}
