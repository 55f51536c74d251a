// Send requests that only trusted servers receive.

import CertificatePath
import HTTPSession
import NIOCore
import ServerTrust
import ServerTrustNIO

func useSession(pin: Pin, backup: Pin, password: String) async throws {
    // snippet.session
    let manager = try ServerTrustManager(evaluators: ["api.example.com": .pins([pin, backup])])
    let configuration = HTTPSessionConfiguration(trust: try .system(), serverTrust: manager)
    let session = HTTPSession(configuration)

    let (response, content) = try await session.data(from: "https://api.example.com/v1/items")
    print(response.status, content.readableBytes, response.connection.gated.verdict)
    // snippet.request
    var request = try HTTPSessionRequest("https://api.example.com/v1/items", method: .post)
    request.fields[.contentType] = "application/json"
    request.body = .text(#"{"name": "lamp"}"#)
    request.credential = HTTPRequestCredential(try HTTPCredential(user: "user", password: password))
    let (created, _) = try await session.data(for: request)
    // snippet.hide
    print(created.status)
}

func stream(
    _ session: HTTPSession, _ request: HTTPSessionRequest, to sink: (ByteBuffer) async throws -> Void
) async throws {
    // snippet.stream
    let (head, content) = try await session.bytes(for: request)
    for try await octets in content { try await sink(octets) }
    // snippet.hide
    print(head.status)
}

func readLines(_ session: HTTPSession, _ request: HTTPSessionRequest, to sink: (String) async throws -> Void)
    async throws
{
    // snippet.lines
    let (_, content) = try await session.bytes(for: request)
    for try await line in content.lines() { try await sink(line) }
    // snippet.hide
}

func upload(_ session: HTTPSession, _ request: HTTPSessionRequest) async throws {
    // snippet.upload
    let (answer, _) = try await session.upload(for: request, from: .file("/tmp/archive.zip")) { progress in
        print("\(progress.sent) of \(progress.total ?? 0) bytes")
    }
    // snippet.hide
    print(answer.status)
}

func decideRedirects(_ session: HTTPSession) async throws {
    // snippet.redirect
    var request = try HTTPSessionRequest("https://api.example.com/v1/items")
    request.followsRedirect = { redirect in redirect.destination.host == redirect.source.host }
    let (response, _) = try await session.data(for: request)
    // snippet.hide
    print(response.status)
}

func keepCookies(at now: Timestamp) throws -> HTTPCookieStorage {
    // snippet.cookies
    var jar = CookieJar()
    if let text = try CookieFile.read("cookies.txt") { _ = NetscapeCookieText.read(text, into: &jar, at: now) }
    let storage = HTTPCookieStorage(jar)
    // Later, once requests were answered:
    try CookieFile.write(NetscapeCookieText.write(storage.jar, at: now), to: "cookies.txt")
    // snippet.hide
    return storage
}

func showCertificate(_ identity: TLSIdentity) throws -> HTTPSession {
    // snippet.identity
    var configuration = HTTPSessionConfiguration(trust: try .system())
    configuration.trust.identity = identity
    // snippet.hide
    return HTTPSession(configuration)
}

func download(_ session: HTTPSession, _ request: HTTPSessionRequest) async throws {
    // snippet.download
    let download = try await session.download(for: request, to: "/tmp/archive.zip") { progress in
        print("\(progress.received) of \(progress.total ?? 0) bytes")
    }
    // snippet.hide
    print(download.size, download.resumedFrom)
}

func speakWebSocket(_ session: HTTPSession, sending frame: ByteBuffer, to sink: (ByteBuffer) async throws -> Void)
    async throws
{
    // snippet.upgrade
    let stream = try await session.stream(of: "websocket", for: HTTPSessionRequest("https://api.example.com/chat"))
    try await stream.write(frame)
    for try await octets in stream.received { try await sink(octets) }
    // snippet.hide
}

func explain(_ session: HTTPSession) async throws {
    // snippet.errors
    do {
        _ = try await session.data(from: "https://api.example.com/")
    } catch  where error.isRefusal {
        // Trust or policy refused the server: nothing was sent.
        print(error.code.name, error.description)
    }
    // snippet.hide
}
