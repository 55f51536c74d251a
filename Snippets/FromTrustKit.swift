// What became of TrustKit's keys and classes: the rows of the article about them.

import PinningDialects
import ServerTrust

func asItIs(_ bytes: [UInt8], _ trust: Trust) throws -> Bool {
    // snippet.file
    let configuration = try PinningConfiguration(contentsOf: bytes, in: .trustkit)
    let manager = try configuration.manager()
    let decision = manager.evaluate(trust, forHost: "www.example.com", port: 443)
    // snippet.end
    return decision.isTrusted
}

func diagnose(_ bytes: [UInt8]) -> PinningConfiguration? {
    // snippet.reading
    let reading = PinningReader(.trustkit).read(bytes)
    for diagnostic in reading.diagnostics { print(diagnostic) }  // with its line and what to do
    // snippet.end
    return reading.configuration
}

func inCode(_ debugRoot: Certificate) throws -> PinningConfiguration {
    // snippet.keys
    // TSKPublicKeyHashes
    var pins = try PinSet(
        [
            Pin("61UTZ41Fib+w2ZFnmpt+XTfAO/uIJAsRn+hFlHlmncw="),
            Pin("1xxcWZc0KbcWI6LWmOY17IlzsnjBUMxLOmkavvaD/WM="),
        ], backup: .require)
    // TSKEnforcePinning = NO
    pins.isReportOnly = true
    // TSKExpirationDate
    pins.expiration = try PinExpiration("2027-01-31", then: .ignorePins)
    // TSKIgnorePinningForUserDefinedTrustAnchors = YES
    pins.exemptAnchors = [.user]

    // TSKPinnedDomains, TSKIncludeSubdomains
    var domain = PinnedDomain("example.com", subdomains: .anyDepth, pins: pins)
    // TSKReportUris
    domain.reportURIs = ["https://reports.example.net/pins"]
    // TSKAdditionalTrustAnchors
    domain.anchors = AnchorSources(classes: [.system, .user], certificates: [debugRoot])
    // TSKExcludeSubdomainFromParentPolicy
    let excluded = PinnedDomain("public.example.com", pins: nil)

    let configuration = PinningConfiguration(domains: [domain, excluded])
    // snippet.end
    return configuration
}

func withoutAModel(_ pins: PinSet) throws -> ServerTrustManager {
    // snippet.manager
    let manager = try ServerTrustManager(
        allHostsMustBeEvaluated: false,
        evaluators: ["**.example.com": .pins(pins), "public.example.com": .default])
    // snippet.end
    return manager
}

func report(
    _ configuration: PinningConfiguration, send: @escaping @Sendable ([UInt8], [String]) async -> Void
) throws -> ServerTrustManager {
    // snippet.reports
    let hosts = try PinnedHosts(configuration)
    let reporter = PinReporter { report in
        let domain = try? hosts.domain(forHost: report.host, port: report.port)
        await send(report.json, domain?.reportURIs ?? [])
    }
    let manager = try configuration.manager(reporter: reporter)
    // snippet.end
    return manager
}

func decisions(_ manager: ServerTrustManager, _ trust: Trust) -> String {
    // snippet.decisions
    let decision = manager.evaluate(trust, forHost: "www.example.com", port: 443)
    switch (decision.pinning, decision.failure?.reason) {
    case (nil, _): return "TSKTrustDecisionDomainNotPinned"
    case (_, .untrusted?), (.notCompared?, _): return "TSKTrustEvaluationFailedInvalidCertificateChain"
    case (.matched?, _): return "TSKTrustEvaluationSuccess"
    case (.mismatched?, _): return decision.isTrusted ? "reported" : "TSKTrustEvaluationFailedNoMatchingPin"
    case (.exempt?, _): return "TSKTrustEvaluationFailedUserDefinedTrustAnchor"
    case (.expired?, _): return decision.isTrusted ? "not pinned any more" : "refused until there are new pins"
    }
    // snippet.end
}

func callback(_ decision: ServerTrustDecision) -> [Any?] {
    [
        // snippet.result
        decision.isTrusted,
        decision.failure?.code,
        decision.pinning,
        decision.result?.path.map(\.pemRepresentation),
        decision.result?.evaluationDate,
        // snippet.end
    ]
}
