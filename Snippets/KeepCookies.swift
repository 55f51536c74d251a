// Keep the cookies of servers, and send them where they belong, with any client of HTTP.

import CertificatePath
import HTTPSession
import HTTPTypes
import ServerTrust

func exchange(
    _ jar: inout CookieJar, _ request: inout HTTPRequest, at now: Timestamp,
    send: (HTTPRequest) async throws -> HTTPResponse
) async throws {
    // snippet.jar
    let origin = CookieOrigin(scheme: "https", host: try Host("www.example.com"), path: request.path ?? "/")
    request.headerFields[fields: .cookie] = jar.field(for: origin, at: now).map { [$0] } ?? []
    let response = try await send(request)
    for refusal in jar.store(response.headerFields, from: origin, at: now) { print(refusal) }
    // snippet.end
}

func keep(_ jar: CookieJar, at now: Timestamp) throws -> CookieJar {
    // snippet.file
    try CookieFile.write(NetscapeCookieText.write(jar, at: now), to: "cookies.txt")

    var next = CookieJar()
    let text = try CookieFile.read("cookies.txt") ?? []
    for note in NetscapeCookieText.read(text, into: &next, at: now) { print(note.line, note) }
    // snippet.end
    return next
}
