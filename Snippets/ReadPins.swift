// Read pins that are written for something else, and decide by them.

import PinningDialects
import ServerTrust

func decide(_ bytes: [UInt8], _ trust: Trust) throws -> Bool {
    // snippet.show
    let configuration = try PinningConfiguration(contentsOf: bytes, in: .android)
    let manager = try configuration.manager()
    let decision = manager.evaluate(trust, forHost: "api.example.com", port: 443)
    // snippet.end
    return decision.isTrusted
}

func lookAt(_ bytes: [UInt8]) throws {
    // snippet.diagnostics
    let reading = PinningReader(PinningDialect.detected(in: bytes) ?? .json).read(bytes)
    for diagnostic in reading.diagnostics {
        print(diagnostic.position?.line ?? 0, diagnostic.severity, diagnostic.message, diagnostic.remedy)
    }
    guard let configuration = reading.configuration else { return }  // there was an error
    print(try PinnedHosts(configuration).domain(forHost: "api.example.com")?.pins?.pins ?? [])
    // snippet.end
}
