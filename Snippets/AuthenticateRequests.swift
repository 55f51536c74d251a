// Answer servers and proxies that ask for a credential, with any client of HTTP.

import HTTPSession
import HTTPTypes

typealias Send = (HTTPRequest) async throws -> (head: HTTPResponse, content: [UInt8])

// snippet.session
/// Requests to one origin with one credential.
struct AuthenticatedOrigin {
    let send: Send
    var authenticator: HTTPAuthenticator

    mutating func response(to request: HTTPRequest) async throws -> HTTPResponse {
        var request = request
        var authenticated = AuthenticatedRequest(method: request.method, target: request.path ?? "/")
        if let field = try self.authenticator.preemptive(for: &authenticated) {
            request.headerFields[fields: field.name] = [field]
        }
        while true {
            let (head, content) = try await self.send(request)
            switch try self.authenticator.respond(to: head, for: &authenticated) {
            case .send(let field): request.headerFields[fields: field.name] = [field]
            case .deliver:
                try self.authenticator.check(head, content: .octets(content), for: authenticated)
                return head
            }
        }
    }
}
// snippet.end

func origin(_ password: String, _ send: @escaping Send) throws -> AuthenticatedOrigin {
    // snippet.credential
    let credential = try HTTPCredential(user: "ada", password: password)
    let authenticator = HTTPAuthenticator(credential, allowed: .digest)
    // snippet.end
    return AuthenticatedOrigin(send: send, authenticator: authenticator)
}

func read(_ octets: [UInt8]) throws -> HTTPCredential? {
    // snippet.netrc
    let netrc = NetrcText(octets)
    let credential = try netrc.credential(forHost: "api.example.com")
    // snippet.end
    return credential
}

func explain(_ response: HTTPResponse) {
    // snippet.challenges
    for challenge in HTTPChallenge.challenges(in: response.headerFields, target: .server) {
        print(challenge.scheme, challenge.realm ?? "", challenge["error"] ?? "")
    }
    // snippet.end
}
