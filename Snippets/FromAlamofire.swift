// What became of Alamofire's evaluators and their helpers: the rows of the article about them.

import ServerTrust

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

func evaluators(_ certificates: [Certificate], _ keys: [PublicKey]) -> [any ServerTrustEvaluating] {
    [
        // snippet.evaluators
        DefaultTrustEvaluator(validateHost: true),
        RevocationTrustEvaluator(options: [.useAnyAvailableMethod, .requirePositiveResponse]),
        PinnedCertificatesTrustEvaluator(certificates: certificates, acceptSelfSignedCertificates: true),
        PublicKeysTrustEvaluator(keys: keys),
        CompositeTrustEvaluator([DefaultTrustEvaluator(), PublicKeysTrustEvaluator(keys: keys)]),
        DisabledTrustEvaluator(),
        // snippet.end
    ]
}

func shortWays(_ certificates: [Certificate], _ keys: [PublicKey]) -> [ServerTrustEvaluator] {
    [
        // snippet.shortWays
        .default,
        .revocation(),
        .revocation([.crlMethod]),
        .pinnedCertificates(certificates),
        .publicKeys(keys),
        .composite([.publicKeys(keys), .revocation()]),
        .dangerouslyDisabled,
        ServerTrustEvaluator(PublicKeysTrustEvaluator(keys: keys, performDefaultValidation: false)),
        // snippet.end
    ]
}

func options() -> [RevocationOptions] {
    [
        // snippet.options
        .useAnyAvailableMethod,
        .ocspMethod,
        .crlMethod,
        .preferCRL,
        .requirePositiveResponse,
        .networkAccessDisabled,
        // snippet.end
    ]
}

func manage(_ certificates: [Certificate], _ trust: Trust) throws -> ServerTrustDecision {
    // snippet.manager
    let manager = try ServerTrustManager(
        allHostsMustBeEvaluated: true,
        evaluators: [
            "api.example.com": .pinnedCertificates(certificates),
            "*.example.com": .default,
            "bücher.example:8443": .default,
        ])
    let evaluator = try manager.serverTrustEvaluator(forHost: "API.example.com")
    let decision = manager.evaluate(trust, forHost: "api.example.com", port: 443)
    // snippet.end
    return evaluator?.evaluate(trust, forHost: "api.example.com") ?? decision
}

func decide(_ evaluator: ServerTrustEvaluator, _ trust: Trust) throws -> TrustResult? {
    // snippet.throwing
    let result = try evaluator.evaluate(trust, forHost: "api.example.com").get()
    // snippet.end
    return result
}

func online(_ manager: ServerTrustManager, _ trust: Trust, _ fetcher: any ResourceFetcher) async throws -> Bool {
    // snippet.online
    let decision = try await manager.evaluate(trust, forHost: "api.example.com", fetching: fetcher)
    // snippet.end
    return decision.isTrusted
}

func reasons(_ decision: ServerTrustDecision) {
    // snippet.reasons
    switch decision.failure?.reason {
    case .noEvaluator: print("nothing says how the host is judged")
    case .untrusted(let failure): print(failure.primary.code, failure.osStatus.name)  // "name-mismatch", "revoked" …
    case .notPinned(let mismatch): print(mismatch.pathPins, mismatch.pins.pins)
    case .custom(let error): print(error)
    case .invalidHost, .noHost, .noPins, .notEvaluated, .pinsExpired, .refusedBySettings:
        print(decision.failure?.message ?? "")
    case nil: print("trusted")
    }
    // snippet.end
}

func bundles(_ folder: URL) throws -> [PublicKey] {
    // snippet.bundles
    let certificates = try SecurityPolicy.certificates(in: folder)
    let keys = certificates.map(\.publicKey)
    // snippet.end
    return keys
}

func helpers(_ trust: inout Trust, _ root: Certificate) -> [Any?] {
    // snippet.trust
    trust.policies = [.tlsServer(hostname: nil)]
    trust.policies = [.tlsServer(hostname: "api.example.com")]
    trust.policies.append(.revocation(.useAnyAvailableMethod))
    trust.anchors = .only([root])
    let result = trust.evaluate()
    // snippet.end
    return [
        // snippet.values
        trust.certificates,
        result.path,
        result.path.map(\.publicKey),
        result.path.first?.derRepresentation,
        result.isTrusted,
        // snippet.end
    ]
}

// snippet.own
/// The ordinary rules, and no certificate that ends within a week.
struct FreshCertificateEvaluator: ServerTrustEvaluating {
    struct EndsSoon: Error, CustomStringConvertible {
        let description = "The certificate ends within a week; renew it."
    }

    func evaluate(_ trust: Trust, forHost host: String) -> ServerTrustDecision {
        let decision = DefaultTrustEvaluator().evaluate(trust, forHost: host)
        guard let result = decision.result, decision.isTrusted, let leaf = result.path.first else { return decision }
        guard leaf.notValidAfter < result.evaluationDate.addingTimeInterval(7 * 86_400) else { return decision }
        return .refused(ServerTrustFailure(EndsSoon(), forHost: host), result)
    }
}
// snippet.end

func ownOne() -> ServerTrustEvaluator {
    // snippet.custom
    .custom(FreshCertificateEvaluator())
    // snippet.end
}

// snippet.authenticate
/// What `.authenticate(with:)` does: the credential is sent until it fails once.
struct PasswordOnce: ChallengeHandler {
    let credential: Credential

    func respond(to challenge: AuthenticationChallenge) async throws -> AuthenticationDisposition {
        switch challenge.protectionSpace.authenticationMethod {
        case .httpBasic, .httpDigest, .ntlm:
            challenge.previousFailureCount == 0 ? .useCredential(self.credential) : .rejectProtectionSpace
        default: .performDefaultHandling
        }
    }
}
// snippet.end

func authenticate(_ credential: Credential, _ user: String, _ password: String) -> [ChallengeRouter] {
    [
        // snippet.routers
        ChallengeRouter(
            task: PasswordOnce(credential: Credential(user: user, password: password, persistence: .session))),
        ChallengeRouter(task: PasswordOnce(credential: credential)),
        // snippet.end
    ]
}
