//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import AFNetworkingNames
import AppleURLLoading
import LoopbackSupport
import ServerTrustTesting
import Testing

/// The code of the articles on loopback. A server that it refuses gets no octet.
@Suite("Articles' code on loopback", .serialized, .timeLimit(.minutes(3)))
struct ListingTests {
    struct Row: Sendable, CustomTestStringConvertible {
        let name: String
        var trusts = true
        let delegate: @Sendable (Scene) -> (any URLSessionDelegate)?
        /// The servers that get a request.
        let accepted: Set<Scene.Server>
        /// The code of the error about others; `nil` where it depends on what is wrong.
        var code: Int? = -999

        var testDescription: String { self.name }
    }

    static let rows: [Row] = [
        Row(name: "no delegate", delegate: { _ in nil }, accepted: [.good], code: nil),
        Row(name: "listing 3", delegate: { OverridingDelegate(anchor: $0.root) }, accepted: [.good]),
        Row(
            name: "listing 1: another anchor", trusts: false, delegate: { OverridingDelegate(anchor: $0.root) },
            accepted: [.good]),
        Row(
            name: "listing 2: another name", delegate: { OverridingDelegate(anchor: $0.root, name: "other.example") },
            accepted: [.wrongName]),
        Row(name: "the asynchronous form", delegate: { _ in ModernDelegate() }, accepted: [.good]),
        Row(name: "pinned leaf", delegate: { PinningDelegate([$0.leaf]) }, accepted: [.good]),
        Row(name: "pinned root", delegate: { PinningDelegate([$0.root]) }, accepted: [.good]),
        Row(name: "another pin", delegate: { _ in PinningDelegate([]) }, accepted: []),
        Row(name: "myCustomValidation", delegate: { _ in CustomDelegate() }, accepted: [.good], code: nil),
    ]

    @Test(
        "A server that the code refuses gets no octet, and what it trusts gets the request", arguments: rows,
        Scene.Server.allCases)
    func listings(row: Row, server: Scene.Server) async throws {
        let scene = try Scene.shared.get()
        try await HTTPSServer.with(try scene.chain(server)) { loopback in
            let session = URLSession(
                configuration: try scene.configuration(loopback, trusts: row.trusts), delegate: row.delegate(scene),
                delegateQueue: nil)
            let code = try await code(session)
            #expect((code == 0) == row.accepted.contains(server), "\(code)")
            if code != 0, let expected = row.code { #expect(code == expected) }
            #expect((loopback.octets == 0) == (code != 0))
            session.invalidateAndCancel()
        }
    }

    // MARK: AFNetworking

    enum Mode: String, Sendable, CaseIterable {
        case none, publicKey, certificate, otherKey, selfSigned

        func manager(_ scene: Scene, _ configuration: URLSessionConfiguration) throws -> AFURLSessionManager {
            let own = SecCertificate(try #require(try scene.chain(.selfSigned).first).trustCertificate)
            return switch self {
            case .none: AppleURLLoadingTests.manager(.none, pins: [], configuration)
            case .publicKey: AppleURLLoadingTests.manager(.publicKey, pins: [scene.leaf], configuration)
            case .certificate: AppleURLLoadingTests.manager(.certificate, pins: [scene.root], configuration)
            case .otherKey: AppleURLLoadingTests.manager(.publicKey, pins: [own], configuration)
            case .selfSigned:
                AppleURLLoadingTests.manager(.publicKey, pins: [own], configuration, allowInvalidCertificates: true)
            }
        }

        var accepted: Set<Scene.Server> {
            switch self {
            case .none, .publicKey, .certificate: [.good]
            case .otherKey: []
            case .selfSigned: [.selfSigned]
            }
        }
    }

    @Test(
        "A manager's policy judges each server, and its error has AFNetworking's code", arguments: Mode.allCases,
        Scene.Server.allCases)
    func managers(mode: Mode, server: Scene.Server) async throws {
        let scene = try Scene.shared.get()
        try await HTTPSServer.with(try scene.chain(server)) { loopback in
            let manager = try mode.manager(scene, try scene.configuration(loopback))
            let url = try Scene.url
            let (text, error) = await withCheckedContinuation { continuation in
                manager.dataTask(with: URLRequest(url: url)) { _, data, error in
                    continuation.resume(returning: (data.map { String(decoding: $0, as: UTF8.self) }, error))
                }.resume()
            }
            let isAccepted = mode.accepted.contains(server)
            #expect((text == "hello") == isAccepted)
            #expect((loopback.octets == 0) == !isAccepted)
            #expect((error as NSError?)?.code == (isAccepted ? nil : -1202), "\(String(describing: error))")
            #expect(isAccepted || (error as NSError?)?.userInfo[NSURLErrorFailingURLPeerTrustErrorKey] is SecTrust)
            manager.invalidateSessionCancelingTasks(true)
        }
    }

    @Test("A block in place of the policy is asked alone, and a handler's answers are AFNetworking's")
    func blocks() async throws {
        let scene = try Scene.shared.get()
        struct Refused: Error {}
        let changes: [(Int?, @Sendable (AFURLSessionManager) -> Void)] = [
            (
                nil,
                {
                    $0.setSessionDidReceiveAuthenticationChallenge { _, challenge, credential in
                        credential = challenge.protectionSpace.serverTrust.map { URLCredential(trust: $0) }
                        return .useCredential
                    }
                }
            ),
            (-999, { $0.setSessionDidReceiveAuthenticationChallenge { _, _, _ in .cancelAuthenticationChallenge } }),
            (-1202, { $0.setAuthenticationChallengeHandler { _, _, _, _ in .disposition(.performDefaultHandling) } }),
            (
                -999,
                { $0.setAuthenticationChallengeHandler { _, _, _, _ in .disposition(.cancelAuthenticationChallenge) } }
            ),
            (1, { $0.setAuthenticationChallengeHandler { _, _, _, _ in .error(NSError(domain: "own", code: 1)) } }),
            (
                nil,
                {
                    $0.setAuthenticationChallengeHandler { _, _, challenge, _ in
                        challenge.protectionSpace.serverTrust.map { .credential(URLCredential(trust: $0)) }
                            ?? .error(Refused())
                    }
                }
            ),
            (
                nil,
                {
                    $0.setAuthenticationChallengeHandler { _, _, challenge, complete in
                        complete(.useCredential, challenge.protectionSpace.serverTrust.map { URLCredential(trust: $0) })
                        return .later
                    }
                }
            ),
        ]
        for (expected, change) in changes {
            try await HTTPSServer.with(try scene.chain(.selfSigned)) { loopback in
                let manager = AFURLSessionManager(sessionConfiguration: try scene.configuration(loopback))
                change(manager)
                let url = try Scene.url
                let error = await withCheckedContinuation { continuation in
                    manager.dataTask(with: URLRequest(url: url)) { _, _, error in continuation.resume(returning: error)
                    }.resume()
                }
                #expect((error as NSError?)?.code == expected)
                #expect((loopback.octets == 0) == (expected != nil))
                manager.invalidateSessionCancelingTasks(true)
            }
        }
    }

    @Test("A block for challenges that is set once the manager has its session is asked all the same")
    func lateBlock() async throws {
        let scene = try Scene.shared.get()
        try await HTTPSServer.with(try scene.chain(.good)) { loopback in
            let manager = AFURLSessionManager(sessionConfiguration: try scene.configuration(loopback))
            _ = manager.session
            manager.setSessionDidReceiveAuthenticationChallenge { _, _, _ in .cancelAuthenticationChallenge }
            let url = try Scene.url
            let error = await withCheckedContinuation { continuation in
                manager.dataTask(with: URLRequest(url: url)) { _, _, error in continuation.resume(returning: error) }
                    .resume()
            }
            #expect((error as NSError?)?.code == -999 && loopback.octets == 0)
            manager.invalidateSessionCancelingTasks(true)
        }
    }
}
