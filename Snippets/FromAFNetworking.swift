// What became of every part of AFSecurityPolicy: the rows of the article about it.

import ServerTrust

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

func policies(_ certificate: Certificate, in folder: URL) throws -> [SecurityPolicy] {
    [
        // snippet.policies
        // +defaultPolicy
        SecurityPolicy.default,
        // +policyWithPinningMode:
        try SecurityPolicy(pinningMode: .publicKey),
        // +policyWithPinningMode:withPinnedCertificates:
        try SecurityPolicy(pinningMode: .publicKey, pinnedCertificates: [certificate]),
        // +certificatesInBundle:
        try SecurityPolicy(pinningMode: .certificate, pinnedCertificates: SecurityPolicy.certificates(in: folder)),
        // allowInvalidCertificates = YES
        try SecurityPolicy(
            pinningMode: .certificate, pinnedCertificates: [certificate], allowInvalidCertificates: true),
        // validatesDomainName = NO
        try SecurityPolicy(pinningMode: .publicKey, pinnedCertificates: [certificate], validatesDomainName: false),
        // snippet.end
    ]
}

func modes() -> [SecurityPolicy.PinningMode] {
    // snippet.modes
    [.none, .publicKey, .certificate]  // 0, 1, 2
    // snippet.end
}

func properties(_ policy: SecurityPolicy) -> [Any] {
    [
        // snippet.properties
        policy.pinningMode,
        policy.pinnedCertificates,
        policy.pinnedPublicKeys,
        policy.allowInvalidCertificates,
        policy.validatesDomainName,
        // snippet.end
    ]
}

func evaluate(_ policy: SecurityPolicy, _ trust: Trust) -> Bool {
    // snippet.evaluate
    let decision = policy.evaluate(trust, forDomain: "api.example.com")
    if let failure = decision.failure { print(failure.code, failure.message, failure.remedy) }
    // snippet.end
    return decision.isTrusted
}

func copies(_ policy: SecurityPolicy) throws -> SecurityPolicy {
    // snippet.coding
    let copy = policy
    let archive = try JSONEncoder().encode(copy)
    let restored = try JSONDecoder().decode(SecurityPolicy.self, from: archive)
    // snippet.end
    return restored
}

func manage(_ policy: SecurityPolicy) throws -> ServerTrustManager {
    // snippet.manager
    let manager = try ServerTrustManager(evaluators: ["**.example.com": .securityPolicy(policy)])
    // snippet.end
    return manager
}

// snippet.challenge
/// What an authentication challenge block decided: policies by host, or by anything else.
struct ChallengeEvaluator: ServerTrustEvaluating {
    let policy: SecurityPolicy

    func evaluate(_ trust: Trust, forHost host: String) -> ServerTrustDecision {
        guard host != "legacy.example.com" else { return SecurityPolicy.default.evaluate(trust, forHost: host) }
        return self.policy.evaluate(trust, forHost: host)
    }
}
// snippet.end

func compare(_ certificates: [Certificate], _ trust: Trust) throws -> Bool {
    // snippet.compare
    let before = try SecurityPolicy(
        pinningMode: .publicKey, pinnedCertificates: certificates, allowInvalidCertificates: true,
        semantics: .dangerouslyLikeAFNetworking)
    let after = try SecurityPolicy(
        pinningMode: .publicKey, pinnedCertificates: certificates, allowInvalidCertificates: true)
    let verdicts = [before, after].map { $0.evaluate(trust, forDomain: "api.example.com") }
    if verdicts[0].isTrusted, let failure = verdicts[1].failure { print("a hole is closed:", failure) }
    // snippet.end
    return verdicts[1].isTrusted
}

func instead(_ certificate: Certificate, _ pin: Pin, _ backupPin: Pin) -> [ServerTrustEvaluator] {
    [
        // snippet.instead
        .default,
        .pins([pin, backupPin]),
        .pinnedCertificates([certificate]),
        .anchored([certificate]),
        // snippet.end
    ]
}

// snippet.policyHandler
/// What a block for the session's challenges decided.
struct PolicyHandler: ChallengeHandler {
    let policy: SecurityPolicy

    func respond(to challenge: AuthenticationChallenge) async throws -> AuthenticationDisposition {
        guard let trust = challenge.protectionSpace.serverTrust else { return .performDefaultHandling }
        let decision = self.policy.evaluate(trust, forDomain: challenge.protectionSpace.host.text)
        return decision.isTrusted ? .useCredential(Credential(trust: trust)) : .cancelAuthenticationChallenge
    }
}
// snippet.end

func routers(_ handler: PolicyHandler) -> [ChallengeRouter] {
    [
        // snippet.routers
        // setSessionDidReceiveAuthenticationChallengeBlock:
        ChallengeRouter(session: handler),
        // setTaskDidReceiveAuthenticationChallengeBlock:, setAuthenticationChallengeHandler:
        ChallengeRouter(task: handler),
        // snippet.end
    ]
}
