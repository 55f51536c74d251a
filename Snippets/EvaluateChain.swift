// Judge a chain for a server's name, trusting a private root besides Apple's.

import Foundation
import ServerTrust

func isTrusted(_ pemBytes: [UInt8], with ourRoot: Certificate) throws -> Bool {
    // snippet.show
    let configuration = TrustConfiguration.apple.adding(ourRoot)  // a private root besides Apple's
    let chain = try Certificate.certificates(in: pemBytes)
    var trust = try Trust(
        certificates: chain, policy: .tlsServer(hostname: "api.example.com"), configuration: configuration)
    trust.policies = [.tlsServer(hostname: "internal.example.com")]  // or another name

    let result = trust.evaluate()  // pure, synchronous, no network
    if let failure = result.failure {
        print(failure.primary.message, failure.primary.remedy, failure.osStatus.name)
    }
    // snippet.hide
    return result.isTrusted
}
