// Ask the authorities whether a certificate is revoked, as Apple's revocation policy has it.

import ServerTrust
import ServerTrustNIO

func evaluateOnline(_ trust: inout Trust, cacheFolder: String) async throws -> TrustResult {
    // snippet.show
    trust.policies.append(.revocation([.useAnyAvailableMethod, .requirePositiveResponse]))

    var options = FetchOptions()
    options.fetchesIssuers = true  // off unless asked for
    options.cache = try ResourceCache(folder: cacheFolder)

    let answer = try await trust.evaluate(fetching: HTTPFetcher(), options)
    for fetch in answer.fetches { print(fetch.url, fetch.outcome) }
    // snippet.hide
    return answer.result
}
