// What can be pinned, and how pins are changed without locking anyone out.

import ServerTrust
import ServerTrustTesting

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// Answers to questions that pins are not needed for.
func withoutPins(ourRoot: Certificate, itsCertificate: Certificate) -> [ServerTrustEvaluator] {
    [
        // snippet.anchored
        .anchored([ourRoot]),
        // snippet.end
        // snippet.selfSigned
        .anchored([itsCertificate]),
        // snippet.end
    ]
}

func pinsOfKeys(certificate: Certificate, pemText: String) throws -> [Pin] {
    [
        // snippet.sources
        try Pin("sha256/61UTZ41Fib+w2ZFnmpt+XTfAO/uIJAsRn+hFlHlmncw="),
        Pin(try PublicKey(pem: pemText)),
        Pin(keyOf: certificate),
        Pin(certificate: certificate),
        // snippet.end
    ]
}

func pinAParticularPart(siteKey: Pin, backupKey: Pin, authority: Pin, otherAuthority: Pin) throws -> [PinSet] {
    // snippet.parts
    let anywhere = try PinSet([siteKey, authority])
    let onlyTheSite = try PinSet([siteKey, backupKey], scope: .leaf, backup: .require)
    let both = try PinSet([
        PinSet.Requirement([siteKey, backupKey], scope: .leaf),
        PinSet.Requirement([authority, otherAuthority], scope: .authorities),
    ])
    // snippet.end
    return [anywhere, onlyTheSite, both]
}

func letTheCompanysProxyPass(_ pins: inout PinSet) {
    // snippet.exempt
    pins.exemptAnchors = [.user]
    // snippet.end
}

func reportOnly(_ keys: [Pin], log: @escaping @Sendable ([UInt8]) async -> Void) throws -> ServerTrustManager {
    // snippet.report
    var pins = try PinSet(keys, backup: .require)
    pins.isReportOnly = true

    let reporter = PinReporter { report in
        await log(report.json)  // RFC 7469's, once a day for the same one
    }
    let manager = try ServerTrustManager(evaluators: ["api.example.com": .pins(pins)], reporter: reporter)
    // snippet.end
    return manager
}

func enforceUntil(_ pins: inout PinSet) throws {
    // snippet.enforce
    pins.isReportOnly = false
    pins.expiration = try PinExpiration("2027-06-30", then: .report)
    // snippet.end
}

func warnAhead(_ pins: PinSet) -> Bool {
    // snippet.ahead
    let endsSoon = pins.expiration.map { $0.date < Date().addingTimeInterval(30 * 86_400) } ?? false
    let isFragile = pins.lacksBackup
    // snippet.end
    return endsSoon || isFragile
}

func rotate(_ manager: ServerTrustManager, current: Pin, next: Pin, afterNext: Pin) throws {
    // snippet.rotate
    // Long before the switch: the key in use, the one to come, and the one after that.
    try manager.setEvaluators(["api.example.com": .pins([current, next, afterNext])])

    // When the server has had the new key for as long as an update takes to reach everyone.
    try manager.setEvaluators(["api.example.com": .pins([next, afterNext])])
    // snippet.end
}

func explain(_ decision: ServerTrustDecision) {
    // snippet.explain
    if case .mismatched(let mismatch) = decision.pinning {
        print(mismatch)  // the path with its pins, and what is pinned
        print(mismatch.pathPins)  // what to pin, if the path is the right one
    }
    // snippet.end
}

func rehearse(pinning parts: Set<PinnedSite.Part>) throws {
    // snippet.rehearse
    let site = try PinnedSite(host: "api.example.com")
    let pins = try PinSet(parts.map { site.pins[$0] })
    for scenario in [PinningScenario.renewedCertificate, .rotatedKey, .otherIntermediate] {
        let decision = PinsTrustEvaluator(pins).evaluate(try site.trust(for: scenario), forHost: site.host)
        print(scenario.summary, decision.isTrusted)
    }
    // snippet.end
}
