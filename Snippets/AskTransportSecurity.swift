//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

// What an Info.plist asks of connections, and whether a server meets it.

import AppTransportSecurity
import ServerDiagnosis
import ServerTrust

func askTransportSecurity(bytes: [UInt8], anchors: TrustAnchors) async throws {
    // snippet.policy
    let plist = try InfoPropertyList(bytes)
    let policy = ATSPolicy(plist, configuration: .init(system: ATSSystem(.iOS, 26), strictness: .engine))
    let destination = try ATSDestination(url: "https://legacy.example.com")
    let requirements = policy.requirements(for: destination, client: .app)
    print(requirements.requiresTLS, requirements.cipherSuites)
    // snippet.end

    // snippet.explanation
    let explanation = policy.explanation(for: destination)
    for decision in explanation.decisions {
        print(decision.part, decision.value, decision.path, decision.position?.line ?? 0, decision.reason)
    }
    for key in explanation.ignoredKeys {
        print(key.path, key.position?.line ?? 0, key.reason)
    }
    // snippet.end

    // snippet.verdict
    var configuration = ServerDiagnoser.Configuration()
    configuration.app = ServerDiagnoser.App(policy: policy)
    let diagnoser = ServerDiagnoser(trust: TrustConfiguration(anchors: anchors), configuration: configuration)
    let server = try await diagnoser.diagnose("legacy.example.com")
    for reason in server.reasons where reason.subjects.contains(.plist) {
        print(reason.message, reason.remedy)
    }
    // snippet.end

    // snippet.diagnostics
    for row in server.diagnosis.rows {
        print(row.test.title, row.isPassed ? "PASS" : "FAIL")
    }
    // snippet.end

    // snippet.code
    var dictionary = ATSDictionary()
    dictionary.allowsLocalNetworking = true
    var legacy = ATSExceptionDomain("legacy.example.com")
    legacy.requiresForwardSecrecy = false
    dictionary.exceptionDomains = [legacy]
    print(dictionary.propertyListFragment)
    // snippet.end

    // snippet.lint
    for finding in ATSLinter(system: ATSSystem(.iOS, 26)).findings(in: plist) {
        print(finding.position?.line ?? 0, finding.rule.rawValue, finding.message, finding.remedy)
    }
    // snippet.end
}
