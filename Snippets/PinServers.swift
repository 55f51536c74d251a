// Pin a host's keys, trust a private authority for others, and read what came of it.

import ServerTrust

func pinServers(_ trust: Trust, ourRoot: Certificate) throws -> Bool {
    // snippet.show
    let pins = try PinSet(
        [
            Pin("sha256/61UTZ41Fib+w2ZFnmpt+XTfAO/uIJAsRn+hFlHlmncw="),  // in use
            Pin("sha256/1xxcWZc0KbcWI6LWmOY17IlzsnjBUMxLOmkavvaD/WM="),  // in a safe
        ], backup: .require)
    let manager = try ServerTrustManager(evaluators: [
        "api.example.com": .pins(pins),
        "**.internal": .anchored([ourRoot]),
    ])

    let decision = manager.evaluate(trust, forHost: "api.example.com", port: 443)
    if let failure = decision.failure { print(failure.code, failure) }  // with both sides of the comparison
    // snippet.hide
    return decision.isTrusted
}
