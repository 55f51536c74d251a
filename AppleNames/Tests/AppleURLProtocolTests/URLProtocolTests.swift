//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import AppleChallenges
import AppleURLProtocol
import Foundation
import FoundationNetworking
import HTTPSession
import LoopbackSupport
import ServerTrust
import ServerTrustNIO
import ServerTrustTesting
import Synchronization
import Testing

@Suite("Foundation's sessions with delegates that are asked about servers", .serialized, .timeLimit(.minutes(3)))
struct URLProtocolTests {
    static let host = "site.example"

    struct Site: Sendable {
        static let shared = Result { try Site() }
        let root, leaf: SecCertificate
        let good, bad, wrongName: [TestCertificate]

        private init() throws {
            let authority = try TestAuthority()
            let leaf = try authority.issue(.leaf(dnsNames: [URLProtocolTests.host]))
            (self.good, self.bad) = ([leaf], [try authority.selfSigned(.leaf(dnsNames: [URLProtocolTests.host]))])
            self.wrongName = [try authority.issue(.leaf(dnsNames: ["other.example"]))]
            (self.root, self.leaf) = (
                SecCertificate(try authority.root.trustCertificate), SecCertificate(try leaf.trustCertificate)
            )
        }

        func loading(_ server: HTTPSServer) throws -> ServerTrustLoading {
            var loading = ServerTrustLoading()
            loading.trust = .only([self.root.certificate])
            loading.transportSecurity = .withoutAppTransportSecurity
            loading.routes.add(ConnectionRoute(host: try Host("127.0.0.1"), port: server.number))
            return loading
        }
    }

    static var url: URL {
        get throws { try #require(URL(string: "https://\(Self.host)/path")) }
    }

    // MARK: Delegates

    /// As in most articles: pins the root, and leaves no answer where it is told so.
    final class ArticleDelegate: NSObject, URLSessionDelegate {
        let pins: [SecKey]
        let answers: Bool
        let asked = Mutex(0)

        init(_ pins: [SecCertificate], answers: Bool = true) {
            (self.pins, self.answers) = (pins.compactMap { SecCertificateCopyKey($0) }, answers)
        }

        func urlSession(
            _ session: URLSession, didReceive challenge: URLAuthenticationChallenge,
            completionHandler: @escaping (URLSession.AuthChallengeDisposition, URLCredential?) -> Void
        ) {
            self.asked.withLock { $0 += 1 }
            guard self.answers else { return }
            guard challenge.protectionSpace.authenticationMethod == NSURLAuthenticationMethodServerTrust,
                let trust = challenge.protectionSpace.serverTrust, SecTrustEvaluateWithError(trust, nil)
            else { return completionHandler(.cancelAuthenticationChallenge, nil) }
            let chain = (SecTrustCopyCertificateChain(trust) as? [SecCertificate]) ?? []
            guard chain.compactMap({ SecCertificateCopyKey($0) }).contains(where: self.pins.contains) else {
                return completionHandler(.cancelAuthenticationChallenge, nil)
            }
            completionHandler(.useCredential, URLCredential(trust: trust))
        }
    }

    /// As Alamofire's: a method of tasks, which hears of data too.
    final class TaskDelegate: NSObject, URLSessionDataDelegate, @unchecked Sendable {
        let disposition: URLSession.AuthChallengeDisposition
        let events = Mutex<[String]>([])
        let (ended, end) = AsyncStream.makeStream(of: Int.self)

        init(_ disposition: URLSession.AuthChallengeDisposition) { self.disposition = disposition }

        func urlSession(
            _ session: URLSession, task: URLSessionTask, didReceive challenge: URLAuthenticationChallenge,
            completionHandler: @escaping (URLSession.AuthChallengeDisposition, URLCredential?) -> Void
        ) {
            self.events.withLock { $0.append(challenge.protectionSpace.authenticationMethod) }
            if challenge.protectionSpace.authenticationMethod == NSURLAuthenticationMethodHTTPDigest {
                let credential = URLCredential(user: "ada", password: "secret", persistence: .forSession)
                return completionHandler(.useCredential, credential)
            }
            completionHandler(self.disposition, challenge.protectionSpace.serverTrust.map { URLCredential(trust: $0) })
        }

        func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
            self.events.withLock { $0.append(String(decoding: data, as: UTF8.self)) }
        }

        func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
            self.end.yield((error as? URLError)?.errorCode ?? 0)
        }

        func wait() async -> Int {
            for await code in self.ended { return code }
            return .min
        }
    }

    private func code(_ session: URLSession) async throws -> Int {
        let url = try Self.url
        return await withCheckedContinuation { continuation in
            session.dataTask(with: url) { data, response, error in
                #expect(error != nil || data.map { String(decoding: $0, as: UTF8.self) } == "hello")
                #expect(error != nil || (response as? HTTPURLResponse)?.statusCode == 200)
                continuation.resume(returning: (error as? URLError)?.errorCode ?? 0)
            }.resume()
        }
    }

    // MARK: Tests

    @Test("An article's delegate is asked, and a server that it refuses gets no octet", arguments: [true, false])
    func article(isPinned: Bool) async throws {
        let site = try Site.shared.get()
        for (chain, isGood) in [(site.good, true), (site.bad, false), (site.wrongName, false)] {
            try await HTTPSServer.with(chain) { server in
                let delegate = ArticleDelegate(isPinned ? [site.root] : [])
                let session = try site.loading(server).session(
                    configuration: .default, delegate: delegate, delegateQueue: nil)
                let isAccepted = isGood && isPinned
                #expect(try await self.code(session) == (isAccepted ? 0 : -999))
                #expect((server.octets > 0) == isAccepted)
                #expect(delegate.asked.withLock { $0 } == 1)
            }
        }
    }

    @Test("Settings that are copied into another session load nothing there: its delegate would not be asked")
    func copiedSettings() async throws {
        let site = try Site.shared.get()
        try await HTTPSServer.with(site.good) { server in
            let (asked, strict) = (ArticleDelegate([site.root]), ArticleDelegate([]))
            let session = try site.loading(server).session(
                configuration: .default, delegate: asked, delegateQueue: nil)
            let copy = URLSession(configuration: session.configuration, delegate: strict, delegateQueue: nil)
            #expect(try await self.code(copy) == -999)
            #expect(server.octets == 0 && asked.asked.withLock { $0 } == 0)
            #expect(try await self.code(session) == 0)
        }
    }

    @Test("An upload whose content Foundation keeps fails, and sends no empty request")
    func uploads() async throws {
        let site = try Site.shared.get()
        try await HTTPSServer.with(site.good) { server in
            let session = try site.loading(server).session(
                configuration: .default, delegate: ArticleDelegate([site.root]), delegateQueue: nil)
            var request = URLRequest(url: try Self.url)
            request.httpMethod = "POST"
            let upload = request
            let code = await withCheckedContinuation { continuation in
                session.uploadTask(with: upload, from: Data("content".utf8)) { _, _, error in
                    continuation.resume(returning: (error as? URLError)?.errorCode ?? 0)
                }.resume()
            }
            #expect(code == -1002 && server.octets == 0)
        }
    }

    @Test("A delegate that leaves without an answer refuses, and one without methods leaves the server to the rules")
    func noAnswer() async throws {
        final class Nothing: NSObject, URLSessionDataDelegate {}
        let site = try Site.shared.get()
        try await HTTPSServer.with(site.good) { server in
            let silent = try site.loading(server).session(
                configuration: .default, delegate: ArticleDelegate([], answers: false), delegateQueue: nil)
            #expect(try await self.code(silent) == -999)
            #expect(server.octets == 0)
            let nothing = try site.loading(server).session(
                configuration: .default, delegate: Nothing(), delegateQueue: nil)
            // Foundation keeps the delegate.
            #expect(try await self.code(nothing) == 0)
        }
        try await HTTPSServer.with(site.bad) { server in
            let nothing = try site.loading(server).session(
                configuration: .default, delegate: Nothing(), delegateQueue: nil)
            #expect(try await self.code(nothing) == -1202)
            #expect(server.octets == 0)
        }
    }

    /// Pins in the method of sessions, beside a method of tasks for passwords that would accept any server.
    final class MixedDelegate: NSObject, URLSessionTaskDelegate {
        func urlSession(
            _ session: URLSession, didReceive challenge: URLAuthenticationChallenge,
            completionHandler: @escaping (URLSession.AuthChallengeDisposition, URLCredential?) -> Void
        ) { completionHandler(.cancelAuthenticationChallenge, nil) }

        func urlSession(
            _ session: URLSession, task: URLSessionTask, didReceive challenge: URLAuthenticationChallenge,
            completionHandler: @escaping (URLSession.AuthChallengeDisposition, URLCredential?) -> Void
        ) { completionHandler(.useCredential, challenge.proposedCredential) }
    }

    @Test("What the method of sessions refuses is refused, whatever the method of tasks says")
    func both() async throws {
        let site = try Site.shared.get()
        try await HTTPSServer.with(site.good) { server in
            let session = try site.loading(server).session(
                configuration: .default, delegate: MixedDelegate(), delegateQueue: nil)
            #expect(try await self.code(session) == -999)
            #expect(server.octets == 0)
        }
    }

    @Test("Sessions do not share connections or delegates, and fields of the settings are sent")
    func severalSessions() async throws {
        let site = try Site.shared.get()
        try await HTTPSServer.with(site.bad) { server in
            var sessions: [(URLSession, Bool)] = []
            for number in 0..<9 {
                let configuration = URLSessionConfiguration.default
                configuration.httpAdditionalHeaders = ["X-Number": "\(number)"]
                let accepts = number % 2 == 0
                let delegate = TaskDelegate(accepts ? .useCredential : .cancelAuthenticationChallenge)
                let session = try site.loading(server).session(
                    configuration: configuration, delegate: delegate, delegateQueue: nil)
                sessions.append((session, accepts))
            }
            for (session, accepts) in sessions + sessions {
                #expect(try await self.code(session) == (accepts ? 0 : -999))
            }
            let numbers = server.requests.map { $0.value("X-Number") }
            #expect(numbers == ["0", "2", "4", "6", "8", "0", "2", "4", "6", "8"])
        }
    }

    @Test(
        "A delegate of tasks is asked, hears of the data and of the end",
        arguments: [
            (URLSession.AuthChallengeDisposition.useCredential, true), (.performDefaultHandling, false),
            (.cancelAuthenticationChallenge, false), (.rejectProtectionSpace, false),
        ])
    func tasks(disposition: URLSession.AuthChallengeDisposition, acceptsBad: Bool) async throws {
        let site = try Site.shared.get()
        for (chain, isGood) in [(site.good, true), (site.bad, false)] {
            try await HTTPSServer.with(chain) { server in
                let delegate = TaskDelegate(disposition)
                let session = try site.loading(server).session(
                    configuration: .default, delegate: delegate, delegateQueue: nil)
                session.dataTask(with: try Self.url).resume()
                let code = await delegate.wait()
                let isAccepted = acceptsBad || (isGood && disposition == .performDefaultHandling)
                #expect((code == 0) == isAccepted)
                #expect((server.octets > 0) == isAccepted)
                let heard = delegate.events.withLock { $0 }
                #expect(heard == [NSURLAuthenticationMethodServerTrust] + (isAccepted ? ["hello"] : []))
            }
        }
    }

    @Test("Under App Transport Security a delegate accepts no server that the rules refuse")
    func transportSecurity() async throws {
        let site = try Site.shared.get()
        try await HTTPSServer.with(site.bad) { server in
            var loading = try site.loading(server)
            loading.transportSecurity = .strict
            let session = loading.session(
                configuration: .default, delegate: TaskDelegate(.useCredential), delegateQueue: nil)
            #expect(try await self.code(session) < 0)
            #expect(server.octets == 0)
        }
    }

    @Test("Digest, which Foundation for Linux does not know, is answered by the delegate")
    func digest() async throws {
        let site = try Site.shared.get()
        let answer: @Sendable (HTTPSServer.Request) -> String = { request in
            guard request.value("Authorization")?.hasPrefix("Digest ") != true else {
                return HTTPSServer.response("hello")
            }
            let field = "WWW-Authenticate: Digest realm=\"staff\", nonce=\"abc\", qop=\"auth\", algorithm=SHA-256"
            return HTTPSServer.response("no", status: "401 Unauthorized", fields: [field])
        }
        try await HTTPSServer.with(site.good, answer: answer) { server in
            let delegate = TaskDelegate(.performDefaultHandling)
            let session = try site.loading(server).session(
                configuration: .default, delegate: delegate, delegateQueue: nil)
            #expect(try await self.code(session) == 0)
            #expect(server.requests.count == 2)
        }
    }

    @Test("A session that was prepared and not attached loads nothing, and neither does a download")
    func failing() async throws {
        let site = try Site.shared.get()
        try await HTTPSServer.with(site.good) { server in
            let delegate = TaskDelegate(.useCredential)
            let prepared = try site.loading(server).prepare(.default, delegate: delegate)
            let session = URLSession(configuration: prepared.configuration, delegate: delegate, delegateQueue: nil)
            #expect(try await self.code(session) == -999)
            prepared.attach(session)
            #expect(try await self.code(session) == 0)
            let octets = server.octets
            let url = try Self.url
            let error = await withCheckedContinuation { continuation in
                session.downloadTask(with: url) { _, _, error in continuation.resume(returning: error as? URLError) }
                    .resume()
            }
            #expect(error?.code == .unsupportedURL)
            #expect(server.octets == octets)
        }
    }

    @Test("A task that is cancelled ends, and so does one whose delegate is gone")
    func ending() async throws {
        let site = try Site.shared.get()
        try await HTTPSServer.with(site.good) { server in
            let delegate = TaskDelegate(.useCredential)
            let session = try site.loading(server).session(
                configuration: .default, delegate: delegate, delegateQueue: nil)
            let task = session.dataTask(with: try Self.url)
            task.resume()
            task.cancel()
            #expect(await delegate.wait() == -999)
            session.invalidateAndCancel()
        }
    }
}
