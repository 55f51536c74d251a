//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import AppleURLLoading
import LoopbackSupport
import ServerTrust
import ServerTrustNIO
import ServerTrustTesting
import Synchronization
import Testing
import X509

@Suite("Challenges of sessions", .serialized, .timeLimit(.minutes(3)))
struct ChallengeTests {
    /// Answers as it is told.
    final class Answering: NSObject, URLSessionDelegate {
        typealias Completion = @Sendable (URLSession.AuthChallengeDisposition, URLCredential?) -> Void
        let answer: @Sendable (URLAuthenticationChallenge, @escaping Completion) -> Void
        let asked = Mutex(0)

        init(_ answer: @escaping @Sendable (URLAuthenticationChallenge, @escaping Completion) -> Void) {
            self.answer = answer
        }

        func urlSession(
            _ session: URLSession, didReceive challenge: URLAuthenticationChallenge,
            completionHandler: @escaping @Sendable (URLSession.AuthChallengeDisposition, URLCredential?) -> Void
        ) {
            self.asked.withLock { $0 += 1 }
            self.answer(challenge, completionHandler)
        }
    }

    /// Answers in tasks' place.
    final class TaskAnswering: NSObject, URLSessionTaskDelegate {
        let disposition: URLSession.AuthChallengeDisposition
        let asked = Mutex<[String]>([])

        init(_ disposition: URLSession.AuthChallengeDisposition) { self.disposition = disposition }

        func urlSession(
            _ session: URLSession, task: URLSessionTask, didReceive challenge: URLAuthenticationChallenge,
            completionHandler: @escaping @Sendable (URLSession.AuthChallengeDisposition, URLCredential?) -> Void
        ) {
            self.asked.withLock { $0.append(challenge.protectionSpace.authenticationMethod) }
            completionHandler(self.disposition, challenge.protectionSpace.serverTrust.map { URLCredential(trust: $0) })
        }
    }

    struct Row: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let isRequested: Bool
        let answer: @Sendable (URLAuthenticationChallenge, @escaping Answering.Completion) -> Void
    }

    static let rows: [Row] = [
        Row(testDescription: "accepted", isRequested: true) {
            $1(.useCredential, $0.protectionSpace.serverTrust.map { URLCredential(trust: $0) })
        },
        Row(testDescription: "the proposed credential", isRequested: true) {
            $1(.useCredential, $0.proposedCredential)
        },
        Row(testDescription: "a second answer counts for nothing", isRequested: true) { challenge, complete in
            complete(.useCredential, challenge.protectionSpace.serverTrust.map { URLCredential(trust: $0) })
            complete(.cancelAuthenticationChallenge, nil)
        },
        Row(testDescription: "cancelled", isRequested: false) { $1(.cancelAuthenticationChallenge, nil) },
        Row(testDescription: "cancelled with a credential", isRequested: false) {
            $1(.cancelAuthenticationChallenge, $0.proposedCredential)
        },
        Row(testDescription: "rejected", isRequested: false) { $1(.rejectProtectionSpace, nil) },
        Row(testDescription: "no credential", isRequested: false) { $1(.useCredential, nil) },
        Row(testDescription: "a password", isRequested: false) {
            $1(.useCredential, URLCredential(user: "u", password: "p", persistence: .none))
        },
        Row(testDescription: "another server", isRequested: false) { _, complete in
            var trust: SecTrust?
            if let root = try? Scene.shared.get().root { SecTrustCreateWithCertificates(root, nil, &trust) }
            complete(.useCredential, trust.map { URLCredential(trust: $0) })
        },
        Row(testDescription: "no answer", isRequested: false) { _, _ in },
    ]

    @Test("A server that nothing vouches for gets a request by the delegate's credential alone", arguments: rows)
    func answers(row: Row) async throws {
        let scene = try Scene.shared.get()
        try await HTTPSServer.with(try scene.chain(.selfSigned)) { server in
            let delegate = Answering(row.answer)
            let session = URLSession(configuration: try scene.configuration(server), delegate: delegate)
            #expect(try await code(session) == (row.isRequested ? 0 : -999))
            #expect((server.octets > 0) == row.isRequested)
            #expect(delegate.asked.withLock { $0 } == 1)
            session.invalidateAndCancel()
        }
    }

    @Test("Under App Transport Security a delegate can refuse a good server, and not accept a bad one")
    func transportSecurity() async throws {
        let scene = try Scene.shared.get()
        for (server, expected): (Scene.Server, (Int) -> Bool) in [
            (.good, { $0 == 0 }), (.selfSigned, { $0 < -1 }), (.expired, { $0 < -1 }), (.wrongName, { $0 < -1 }),
        ] {
            try await HTTPSServer.with(try scene.chain(server)) { loopback in
                let configuration = try scene.configuration(loopback)
                configuration.transportSecurity = .strict
                let accepting = Answering { $1(.useCredential, $0.proposedCredential) }
                let code = try await code(URLSession(configuration: configuration, delegate: accepting))
                #expect(expected(code), "\(server): \(code)")
                #expect((loopback.octets == 0) == (code != 0))
                let refusing = Answering { $1(.cancelAuthenticationChallenge, nil) }
                let octets = loopback.octets
                #expect(
                    try await AppleURLLoadingTests.code(URLSession(configuration: configuration, delegate: refusing))
                        < 0)
                #expect(loopback.octets == octets)
            }
        }
    }

    @Test("A challenge says what is asked, and its trust is the server's")
    func challenge() async throws {
        let scene = try Scene.shared.get()
        try await HTTPSServer.with(try scene.chain(.good)) { server in
            let delegate = Answering { challenge, complete in
                let space = challenge.protectionSpace
                #expect(space.host == Scene.host)
                #expect(space.port == 443)
                #expect(space.protocol == "https")
                #expect(space.realm == nil)
                #expect(space.authenticationMethod == NSURLAuthenticationMethodServerTrust)
                #expect(challenge.previousFailureCount == 0)
                #expect(challenge.error == nil)
                let chain = space.serverTrust.flatMap { SecTrustCopyCertificateChain($0) } as? [SecCertificate]
                #expect(chain == [scene.leaf, scene.root])
                var policies: CFArray?
                if let trust = space.serverTrust { SecTrustCopyPolicies(trust, &policies) }
                #expect(policies as? [SecPolicy] == [SecPolicyCreateSSL(true, Scene.host)])
                complete(.performDefaultHandling, nil)
            }
            let session = URLSession(configuration: try scene.configuration(server), delegate: delegate)
            #expect(try await code(session) == 0)
            #expect(delegate.asked.withLock { $0 } == 1)
        }
    }

    @Test("The session's method comes first, then the task's delegate, then the session's delegate for tasks")
    func routing() async throws {
        let scene = try Scene.shared.get()
        try await HTTPSServer.with(try scene.chain(.good)) { server in
            let configuration = try scene.configuration(server)
            let (own, refusing) = (TaskAnswering(.useCredential), TaskAnswering(.cancelAuthenticationChallenge))
            let both = Answering { $1(.performDefaultHandling, nil) }
            let session = URLSession(configuration: configuration, delegate: both)
            #expect(try await code(session, delegate: refusing) == 0)
            #expect(refusing.asked.withLock { $0 }.isEmpty)

            let tasks = URLSession(configuration: configuration, delegate: own)
            #expect(try await code(tasks, delegate: refusing) == -999)
            #expect(refusing.asked.withLock { $0 } == [NSURLAuthenticationMethodServerTrust])
            #expect(own.asked.withLock { $0 }.isEmpty)
            #expect(try await code(tasks) == 0)
            #expect(own.asked.withLock { $0 } == [NSURLAuthenticationMethodServerTrust])
        }
    }

    @Test("A connection that one delegate accepted serves no task that another answers for")
    func connectionsAreNotShared() async throws {
        let scene = try Scene.shared.get()
        try await HTTPSServer.with(try scene.chain(.selfSigned)) { server in
            let session = URLSession(configuration: try scene.configuration(server), delegate: nil)
            #expect(try await code(session, delegate: TaskAnswering(.useCredential)) == 0)
            let octets = server.octets
            #expect(try await code(session) < 0)
            #expect(try await code(session, delegate: TaskAnswering(.cancelAuthenticationChallenge)) == -999)
            #expect(server.octets == octets)
        }
    }

    @Test("A session's method is asked once for each connection, which then serves other tasks")
    func connectionsAreShared() async throws {
        let scene = try Scene.shared.get()
        try await HTTPSServer.with(try scene.chain(.good)) { server in
            let delegate = Answering { $1(.useCredential, $0.proposedCredential) }
            let session = URLSession(configuration: try scene.configuration(server), delegate: delegate)
            // The first task finds out that the method is there.
            for _ in 0..<2 { #expect(try await code(session) == 0) }
            let connections = server.connections
            for _ in 0..<5 { #expect(try await code(session) == 0) }
            #expect(server.requests.count == 7)
            #expect(server.connections == connections)
            #expect(delegate.asked.withLock { $0 } == 2)
        }
    }

    @Test("A password is asked of the task's method, with what failed before, and sent inside TLS")
    func passwords() async throws {
        final class Passwords: NSObject, URLSessionTaskDelegate {
            let failures = Mutex<[Int]>([])

            func urlSession(
                _ session: URLSession, task: URLSessionTask, didReceive challenge: URLAuthenticationChallenge,
                completionHandler: @escaping @Sendable (URLSession.AuthChallengeDisposition, URLCredential?) -> Void
            ) {
                guard challenge.protectionSpace.authenticationMethod == NSURLAuthenticationMethodHTTPBasic else {
                    return completionHandler(.performDefaultHandling, nil)
                }
                #expect(challenge.protectionSpace.realm == "staff")
                #expect((challenge.failureResponse as? HTTPURLResponse)?.statusCode == 401)
                let count = challenge.previousFailureCount
                self.failures.withLock { $0.append(count) }
                let password = count == 0 ? "wrong" : "right"
                completionHandler(
                    .useCredential, URLCredential(user: "ada", password: password, persistence: .forSession))
            }
        }
        let scene = try Scene.shared.get()
        let right = Data("ada:right".utf8).base64EncodedString()
        let answer: @Sendable (HTTPSServer.Request) -> String = { request in
            guard request.value("Authorization") != "Basic \(right)" else { return HTTPSServer.response("hello") }
            return HTTPSServer.response(
                "no", status: "401 Unauthorized", fields: ["WWW-Authenticate: Basic realm=\"staff\""])
        }
        try await HTTPSServer.with(try scene.chain(.good), answer: answer) { server in
            let delegate = Passwords()
            let session = URLSession(configuration: try scene.configuration(server), delegate: delegate)
            #expect(try await code(session) == 0)
            #expect(delegate.failures.withLock { $0 } == [0, 1])
        }
    }

    @Test(
        "A server that wants a certificate gets the identity that the delegate has, and without one the request fails")
    func identities() async throws {
        let scene = try Scene.shared.get()
        let client = try scene.clients.issue(.client(commonName: "client"))
        let pem = client.pem
        let identity = SecIdentity(try TLSIdentity(pem: pem, key: client.privateKey.pem))
        try await HTTPSServer.with(try scene.chain(.good), clients: scene.clients.root) { server in
            let with = Answering { challenge, complete in
                let isIdentity =
                    challenge.protectionSpace.authenticationMethod == NSURLAuthenticationMethodClientCertificate
                guard isIdentity else { return complete(.performDefaultHandling, nil) }
                complete(.useCredential, URLCredential(identity: identity, certificates: nil, persistence: .forSession))
            }
            let session = URLSession(configuration: try scene.configuration(server), delegate: with)
            #expect(try await code(session) == 0)
            #expect(try await code(session) == 0)
            let without = Answering { $1(.performDefaultHandling, nil) }
            #expect(
                try await code(URLSession(configuration: try scene.configuration(server), delegate: without)) == -1206)
            let configuration = try scene.configuration(server)
            configuration.identity = identity
            #expect(try await code(URLSession(configuration: configuration)) == 0)
        }
    }

    /// Has one certificate.
    struct Fetcher: ResourceFetcher {
        let issuer: [UInt8]

        func fetch(_ request: ResourceRequest) async throws(ResourceError) -> [UInt8] { self.issuer }
    }

    @Test("A delegate that evaluates anew finds the issuers that were fetched for the server")
    func fetchedIssuers() async throws {
        let scene = try Scene.shared.get()
        let intermediate = try scene.authority.issue(.intermediate())
        var description = CertificateDescription.leaf(dnsNames: [Scene.host])
        let place = AuthorityInformationAccess.AccessDescription(
            method: .issuingCA, location: .uniformResourceIdentifier("http://issuer.example/ca.der"))
        description.extraExtensions = [
            try X509.Certificate.Extension(AuthorityInformationAccess([place]), critical: false)
        ]
        let leaf = try scene.authority.issue(description, by: intermediate)
        try await HTTPSServer.with([leaf]) { server in
            for (issuer, isTrusted) in [(intermediate, true), (scene.clients.root, false)] {
                let configuration = try scene.configuration(server)
                var options = FetchOptions()
                options.fetchesIssuers = true
                configuration.trust.fetching = .init(fetcher: Fetcher(issuer: issuer.der), options: options)
                let session = URLSession(configuration: configuration, delegate: PinningDelegate([scene.root]))
                #expect(try await code(session) == (isTrusted ? 0 : -999))
            }
        }
    }
}
