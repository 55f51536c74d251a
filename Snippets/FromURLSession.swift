// What became of URLSession, of Alamofire's Session and of AFHTTPSessionManager: the rows of the article about them.

import HTTPSession
import HTTPTypes
import NIOCore
import ServerTrust
import ServerTrustNIO

func configure(_ manager: ServerTrustManager, _ handler: any ChallengeHandler) throws -> HTTPSession {
    // snippet.configuration
    var configuration = HTTPSessionConfiguration(trust: try .system(), serverTrust: manager)
    configuration.timeouts.idle = .seconds(60)  // timeoutIntervalForRequest
    configuration.timeouts.total = .seconds(600)  // timeoutIntervalForResource
    configuration.additionalFields = [.acceptLanguage: "de"]  // httpAdditionalHeaders
    configuration.cookies = HTTPCookieStorage()  // httpCookieStorage
    configuration.proxies = try ProxyPolicy("http://proxy.example.com:8080")  // connectionProxyDictionary
    configuration.challenges = handler  // a task's delegate, about Basic and Digest
    var limits = HTTPConnectionPool.Limits()
    limits.perHost = 6  // httpMaximumConnectionsPerHost
    configuration.pool = HTTPConnectionPool(limits: limits)
    let session = HTTPSession(configuration)
    // snippet.end
    return session
}

func request(_ session: HTTPSession, _ json: ByteBuffer) async throws {
    // snippet.request
    var request = try HTTPSessionRequest("https://api.example.com/v1/items", method: .post)
    request.fields[.contentType] = "application/json"  // setValue(_:forHTTPHeaderField:)
    request.body = .octets(json)  // httpBody
    request.timeout = .seconds(30)  // timeoutInterval
    request.redirects = .none  // willPerformHTTPRedirection, which answers nil
    request.credential = HTTPRequestCredential(try HTTPCredential(user: "user", password: "password"))
    let (response, content) = try await session.data(for: request)
    guard response.isSuccess else { return }  // validate()
    // snippet.end
    print(response.status, response.fields[.contentType] ?? "", response.url, content.readableBytes)
}

func rows(_ session: HTTPSession, _ request: HTTPSessionRequest, _ body: ByteBuffer) async throws {
    // snippet.rows
    _ = try await session.data(from: "https://api.example.com/v1")
    _ = try await session.upload(for: request, from: .octets(body))
    _ = try await session.download(for: request, to: "/tmp/archive.zip")
    for try await octets in try await session.bytes(for: request).1 { print(octets.readableBytes) }
    for try await line in try await session.bytes(for: request).1.lines() { print(line) }
    _ = try await session.upload(for: request, from: .file("/tmp/archive.zip")) { print($0.sent) }
    session.configuration.pool.closeIdleConnections()
    // snippet.end
}

func securityPolicy(_ policy: SecurityPolicy) throws -> HTTPSessionConfiguration {
    // snippet.policy
    let manager = try ServerTrustManager(evaluators: ["**.example.com": .securityPolicy(policy)])
    let configuration = HTTPSessionConfiguration(trust: try .system(), serverTrust: manager)
    // snippet.end
    return configuration
}

func errors(_ session: HTTPSession) async {
    // snippet.errors
    do {
        _ = try await session.data(from: "https://api.example.com/")
    } catch {
        print(error.code.rawValue, error.reason, error.remedy)  // -1202, what is wrong, what to do
    }
    // snippet.end
}
