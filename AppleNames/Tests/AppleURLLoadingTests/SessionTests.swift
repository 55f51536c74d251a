//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import AppleURLLoading
import LoopbackSupport
import Synchronization
import Testing

@Suite("Sessions by Apple's names", .serialized, .timeLimit(.minutes(3)))
struct SessionTests {
    /// Writes down what it hears.
    final class Recorder: NSObject, URLSessionDataDelegate, URLSessionDownloadDelegate {
        let events = Mutex<[String]>([])
        let (ended, end) = AsyncStream.makeStream(of: Void.self)
        let allows: Bool

        init(allows: Bool = true) { self.allows = allows }

        func note(_ event: String) { self.events.withLock { $0.append(event) } }

        func urlSession(
            _ session: URLSession, dataTask: URLSessionDataTask, didReceive response: URLResponse,
            completionHandler: @escaping @Sendable (URLSession.ResponseDisposition) -> Void
        ) {
            self.note("response \((response as? HTTPURLResponse)?.statusCode ?? 0)")
            completionHandler(self.allows ? .allow : .cancel)
        }

        func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
            self.note("data \(String(decoding: data, as: UTF8.self))")
        }

        func urlSession(
            _ session: URLSession, downloadTask: URLSessionDownloadTask, didFinishDownloadingTo location: URL
        ) {
            self.note("file \((try? String(contentsOf: location, encoding: .utf8)) ?? "")")
        }

        func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
            self.note("end \((error as? URLError)?.errorCode ?? 0)")
            if !(task is URLSessionDownloadTask) || error == nil || task.state == .completed { self.end.yield() }
        }

        func urlSession(_ session: URLSession, didBecomeInvalidWithError error: (any Error)?) {
            self.note("invalid")
            self.end.yield()
        }

        func wait() async { for await _ in self.ended { return } }
    }

    private func with(
        _ answer: @escaping @Sendable (HTTPSServer.Request) -> String = { _ in HTTPSServer.response("hello") },
        _ body: (HTTPSServer, URLSessionConfiguration) async throws -> Void
    ) async throws {
        let scene = try Scene.shared.get()
        try await HTTPSServer.with(try scene.chain(.good), answer: answer) { server in
            try await body(server, try scene.configuration(server))
        }
    }

    @Test("A delegate hears of the response, the content and the end, in this order and on its queue")
    func order() async throws {
        try await self.with { _, configuration in
            let recorder = Recorder()
            let session = URLSession(configuration: configuration, delegate: recorder)
            let task = session.dataTask(with: try Scene.url)
            #expect(task.state == .suspended)
            task.resume()
            await recorder.wait()
            #expect(recorder.events.withLock { $0 } == ["response 200", "data hello", "end 0"])
            #expect(task.state == .completed)
            #expect(task.error == nil)
            #expect(task.countOfBytesReceived == 5 && task.countOfBytesExpectedToReceive == 5)
            session.finishTasksAndInvalidate()
            await recorder.wait()
            #expect(recorder.events.withLock { $0.last } == "invalid")
            #expect(session.delegate == nil)
        }
    }

    @Test("A response that the delegate does not want ends the task")
    func unwanted() async throws {
        try await self.with { _, configuration in
            let recorder = Recorder(allows: false)
            URLSession(configuration: configuration, delegate: recorder).dataTask(with: try Scene.url).resume()
            await recorder.wait()
            #expect(recorder.events.withLock { $0 } == ["response 200", "end -999"])
        }
    }

    @Test("A download is a file while the delegate hears of it, and the caller's by the asynchronous form")
    func downloads() async throws {
        try await self.with { _, configuration in
            let recorder = Recorder()
            let session = URLSession(configuration: configuration, delegate: recorder)
            session.downloadTask(with: try Scene.url).resume()
            await recorder.wait()
            #expect(recorder.events.withLock { $0 } == ["file hello", "end 0"])
            let (file, _) = try await session.download(from: try Scene.url)
            defer { try? FileManager.default.removeItem(at: file) }
            #expect(try String(contentsOf: file, encoding: .utf8) == "hello")
            let mode = try FileManager.default.attributesOfItem(atPath: file.path)[.posixPermissions] as? Int
            #expect(mode == 0o600)
        }
    }

    @Test("Requests carry their method, fields and content, and responses theirs")
    func requests() async throws {
        let echo: @Sendable (HTTPSServer.Request) -> String = { request in
            HTTPSServer.response(request.body, fields: ["X-Own: a", "X-Own: b"])
        }
        try await self.with(echo) { server, configuration in
            configuration.httpAdditionalHeaders = ["X-Session": "s"]
            let session = URLSession(configuration: configuration)
            var request = URLRequest(url: try Scene.url)
            request.httpMethod = "POST"
            request.setValue("v", forHTTPHeaderField: "X-Request")
            request.httpBody = Data("content".utf8)
            let (data, response) = try await session.data(for: request)
            #expect(String(decoding: data, as: UTF8.self) == "content")
            #expect((response as? HTTPURLResponse)?.value(forHTTPHeaderField: "X-Own") == "a, b")
            #expect(response.url == (try Scene.url))
            let sent = try #require(server.requests.first)
            #expect(sent.line == "POST /path?query=1 HTTP/1.1")
            #expect(
                sent.value("X-Session") == "s" && sent.value("X-Request") == "v" && sent.value("Host") == Scene.host)
            request.httpMethod = "PUT"
            request.httpBody = nil
            #expect(try await session.upload(for: request, from: Data("more".utf8)).0 == Data("more".utf8))
        }
    }

    @Test("A field that would be two is not sent")
    func injection() async throws {
        try await self.with { server, configuration in
            var request = URLRequest(url: try Scene.url)
            request.setValue("a\r\nX-Injected: b", forHTTPHeaderField: "X-Request")
            let answer = try? await URLSession(configuration: configuration).data(for: request)
            #expect(answer == nil || server.requests.allSatisfy { $0.value("X-Injected") == nil })
        }
    }

    @Test("A redirect to another server that the delegate changes carries nothing of the first", arguments: [302, 307])
    func changedRedirect(status: Int) async throws {
        final class Changer: NSObject, URLSessionTaskDelegate {
            func urlSession(
                _ session: URLSession, task: URLSessionTask, willPerformHTTPRedirection response: HTTPURLResponse,
                newRequest request: URLRequest, completionHandler: @escaping @Sendable (URLRequest?) -> Void
            ) {
                var request = request
                request.setValue("1", forHTTPHeaderField: "X-Trace")
                completionHandler(request)
            }
        }
        let answer: @Sendable (HTTPSServer.Request) -> String = { request in
            guard request.line.contains(" /path") else { return HTTPSServer.response(request.body) }
            return HTTPSServer.response(
                "", status: "\(status) There", fields: ["Location: https://\(Scene.host):444/next"])
        }
        try await self.with(answer) { server, configuration in
            configuration.httpAdditionalHeaders = ["Authorization": "Bearer all", "X-Session": "s"]
            var request = URLRequest(url: try Scene.url)
            request.httpMethod = "POST"
            request.setValue("Bearer own", forHTTPHeaderField: "Authorization")
            request.setValue("a=b", forHTTPHeaderField: "Cookie")
            let session = URLSession(configuration: configuration, delegate: Changer())
            let upload = request
            let error = await withCheckedContinuation { continuation in
                session.uploadTask(with: upload, from: Data("content".utf8)) { _, _, error in
                    continuation.resume(returning: error)
                }.resume()
            }
            #expect(error == nil)
            #expect(server.requests.count == 2)
            let (first, second) = (try #require(server.requests.first), try #require(server.requests.last))
            #expect(first.value("Authorization") == "Bearer own" && first.value("Cookie") == "a=b")
            #expect(second.value("X-Trace") == "1" && second.value("X-Session") == "s")
            #expect(second.value("Authorization") == nil && second.value("Cookie") == nil)
            #expect(second.value("Host") == "\(Scene.host):444")
            #expect(second.line == (status == 302 ? "GET" : "POST") + " /next HTTP/1.1")
            #expect(second.body == (status == 302 ? "" : "content"))
        }
    }

    @Test("The session's delegate may refuse a redirect that a task's delegate leaves alone")
    func bothDelegates() async throws {
        final class Refuser: NSObject, URLSessionTaskDelegate {
            func urlSession(
                _ session: URLSession, task: URLSessionTask, willPerformHTTPRedirection response: HTTPURLResponse,
                newRequest request: URLRequest, completionHandler: @escaping @Sendable (URLRequest?) -> Void
            ) { completionHandler(nil) }
        }
        final class Silent: NSObject, URLSessionTaskDelegate {}
        let answer: @Sendable (HTTPSServer.Request) -> String = { _ in
            HTTPSServer.response("stay", status: "302 Found", fields: ["Location: /next"])
        }
        try await self.with(answer) { server, configuration in
            let session = URLSession(configuration: configuration, delegate: Refuser())
            let (data, _) = try await session.data(from: try Scene.url, delegate: Silent())
            #expect(String(decoding: data, as: UTF8.self) == "stay" && server.requests.count == 1)
        }
    }

    @Test("Tasks that were made before a session is invalidated come to their end, and later ones do not begin")
    func invalidation() async throws {
        try await self.with { server, configuration in
            let recorder = Recorder()
            let session = URLSession(configuration: configuration, delegate: recorder)
            let task = session.dataTask(with: try Scene.url)
            task.resume()
            session.finishTasksAndInvalidate()
            await recorder.wait()
            #expect(recorder.events.withLock { $0.prefix(3) } == ["response 200", "data hello", "end 0"])
            await #expect(throws: (any Error).self) { try await session.data(from: try Scene.url) }
            #expect(server.requests.count == 1)
        }
    }

    @Test("A delegate follows a redirect, stays, or sends another request")
    func redirects() async throws {
        final class Redirector: NSObject, URLSessionTaskDelegate {
            let change: @Sendable (URLRequest) -> URLRequest?
            init(_ change: @escaping @Sendable (URLRequest) -> URLRequest?) { self.change = change }

            func urlSession(
                _ session: URLSession, task: URLSessionTask, willPerformHTTPRedirection response: HTTPURLResponse,
                newRequest request: URLRequest, completionHandler: @escaping @Sendable (URLRequest?) -> Void
            ) {
                #expect(response.statusCode == 302)
                completionHandler(self.change(request))
            }
        }
        let answer: @Sendable (HTTPSServer.Request) -> String = { request in
            guard request.line.contains(" /path") else { return HTTPSServer.response(request.line) }
            return HTTPSServer.response("stay", status: "302 Found", fields: ["Location: /next"])
        }
        let rows: [(@Sendable (URLRequest) -> URLRequest?, String)] = [
            ({ $0 }, "GET /next HTTP/1.1"), ({ _ in nil }, "stay"),
            (
                { request in
                    var request = request
                    request.url = URL(string: "https://\(Scene.host)/other")
                    return request
                }, "GET /other HTTP/1.1"
            ),
        ]
        for (change, text) in rows {
            try await self.with(answer) { _, configuration in
                let session = URLSession(configuration: configuration, delegate: Redirector(change))
                let (data, _) = try await session.data(from: try Scene.url)
                #expect(String(decoding: data, as: UTF8.self) == text)
            }
        }
    }

    @Test("A task that is cancelled, before it begins too, ends with Apple's code, and so does one of Swift's")
    func cancellation() async throws {
        try await self.with { server, configuration in
            let recorder = Recorder()
            let session = URLSession(configuration: configuration, delegate: recorder)
            let task = session.dataTask(with: try Scene.url)
            task.cancel()
            await recorder.wait()
            #expect(recorder.events.withLock { $0 } == ["end -999"])
            let url = try Scene.url
            let work = Task { try await session.data(from: url) }
            work.cancel()
            let error = await #expect(throws: URLError.self) { try await work.value }
            #expect(error?.code == .cancelled)
            session.invalidateAndCancel()
            await recorder.wait()
            let late = await #expect(throws: URLError.self) { try await session.data(from: url) }
            #expect(late?.errorCode == -999)
            #expect(server.requests.isEmpty)
        }
    }

    @Test("An error has Apple's domain and code, the URL, the server in question and what to do")
    func errors() async throws {
        let scene = try Scene.shared.get()
        try await HTTPSServer.with(try scene.chain(.expired)) { server in
            let session = URLSession(configuration: try scene.configuration(server), delegate: ModernDelegate())
            let refused = await #expect(throws: URLError.self) { try await session.data(from: try Scene.url) }
            #expect(refused?.userInfo[NSURLErrorFailingURLPeerTrustErrorKey] is SecTrust)
            let plain = URLSession(configuration: try scene.configuration(server))
            let error = await #expect(throws: URLError.self) { try await plain.data(from: try Scene.url) }
            #expect(error?.errorCode == -1202)
            #expect((error as NSError?)?.domain == NSURLErrorDomain)
            #expect(error?.userInfo[NSURLErrorFailingURLErrorKey] as? URL == (try Scene.url))
            #expect(error?.localizedDescription.contains("expired") == true)
        }
    }

    @Test("Without TLS, without a server and without a URL that can be loaded, Apple's codes say so")
    func otherErrors() async throws {
        try await self.with { server, configuration in
            let session = URLSession(configuration: configuration)
            for (text, code) in [("http://site.example/", -1022), ("ftp://site.example/", -1000), ("https://", -1000)] {
                let url = try #require(URL(string: text))
                let error = await #expect(throws: URLError.self) { try await session.data(from: url) }
                #expect(error?.errorCode == code, "\(text)")
            }
            #expect(server.octets == 0)
            configuration.maximumDataSize = 4
            let error = await #expect(throws: URLError.self) {
                try await URLSession(configuration: configuration).data(from: try Scene.url)
            }
            #expect(error?.errorCode == -1103)
        }
    }

    @Test("Settings are copied into a session and out of it")
    func settings() {
        let configuration = URLSessionConfiguration.default
        configuration.timeoutIntervalForRequest = 5
        let session = URLSession(configuration: configuration)
        configuration.timeoutIntervalForRequest = 7
        #expect(session.configuration.timeoutIntervalForRequest == 5)
        session.configuration.timeoutIntervalForRequest = 9
        #expect(session.configuration.timeoutIntervalForRequest == 5)
        for interval in [-1, 0, .infinity, .nan, 1e300] {
            configuration.timeoutIntervalForResource = interval
            _ = URLSession(configuration: configuration)
        }
    }
}
