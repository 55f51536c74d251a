// Answer challenges as the delegate's methods of URLSession, AFNetworking and Alamofire do.

import ServerTrust
import ServerTrustNIO

func enforce(_ settings: inout ServerTrustSettings, _ manager: ServerTrustManager) {
    // snippet.delegate
    let router = ChallengeRouter(
        session: CompletionChallengeHandler { challenge, completionHandler in
            let space = challenge.protectionSpace
            guard space.authenticationMethod == .serverTrust, let trust = space.serverTrust else {
                completionHandler(.performDefaultHandling)
                return
            }
            let decision = manager.evaluate(trust, forHost: space.host.text, port: space.port)
            completionHandler(
                decision.isTrusted ? .useCredential(Credential(trust: trust)) : .cancelAuthenticationChallenge)
        })
    settings.handler = router
    // snippet.end
}

// snippet.handler
/// Sends a password once, to one host, inside TLS.
struct PasswordHandler: ChallengeHandler {
    let host: Host
    let credential: Credential

    func respond(to challenge: AuthenticationChallenge) async throws -> AuthenticationDisposition {
        let space = challenge.protectionSpace
        switch space.authenticationMethod {
        case .httpBasic, .httpDigest:
            guard challenge.previousFailureCount == 0 else { return .cancelAuthenticationChallenge }
            guard space.host == self.host, space.receivesCredentialSecurely else { return .rejectProtectionSpace }
            return .useCredential(self.credential)
        default: return .performDefaultHandling
        }
    }
}
// snippet.end

func answer(_ challenges: [AuthenticationChallenge], _ handler: PasswordHandler) async throws -> Credential? {
    // snippet.exchange
    // Once for a request.
    var exchange = AuthenticationExchange(ChallengeRouter(task: handler))

    // For each response that asks.
    switch await exchange.outcome(of: challenges) {
    case .useCredential(let credential, _): return credential  // sent with the request, which is repeated
    case .continueWithoutCredential, .performDefaultHandling: return nil  // the response is delivered
    case .cancel(let error): throw error
    }
    // snippet.end
}

func keep(_ password: String) async throws -> Credential? {
    // snippet.storage
    let storage = try FileCredentialStorage(path: "/home/ada/.config/example/passwords")
    let space = ProtectionSpace(
        host: try Host("api.example.com"), port: 443, protocol: .https, realm: "staff", method: .httpBasic)
    try await storage.set(Credential(user: "ada", password: password, persistence: .permanent), for: space)
    let proposed = try await storage.proposedCredential(for: space)
    // snippet.end
    return proposed
}
