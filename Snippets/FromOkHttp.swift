// What ComingFromOkHttp.md shows.
import PinningDialects
import ServerTrust

func read(_ bytes: [UInt8], _ trust: Trust) throws -> ServerTrustDecision {
    // snippet.read
    let configuration = try PinningConfiguration(contentsOf: bytes, in: .okhttp)
    let manager = try configuration.manager()
    let decision = manager.evaluate(trust, forHost: "api.example.com", port: 443)
    // snippet.end
    return decision
}

func manager(_ pin: Pin, _ backupPin: Pin) throws -> ServerTrustManager {
    // snippet.manager
    let manager = try ServerTrustManager(
        allHostsMustBeEvaluated: false,
        evaluators: [
            "**.example.com": .pins([pin, backupPin]),
            "*.cdn.example.net": .pins([pin, backupPin]),
        ])
    // snippet.end
    return manager
}

func table(_ configuration: PinningConfiguration, _ certificate: Certificate, _ pins: PinSet) throws -> [Any?] {
    [
        PinnedDomain("example.com", pins: pins),
        Pin(keyOf: certificate),
        try configuration.domain(forHost: "api.example.com"),
        try HostPattern("*.example.com").matches("api.example.com"),
    ]
}
