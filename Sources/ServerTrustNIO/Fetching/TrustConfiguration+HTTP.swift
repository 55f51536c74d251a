//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

public import ServerTrust

extension TrustConfiguration {
    /// The same, with issuers fetched over HTTP that servers do not send, as on Apple's systems (RFC 5280 §4.2.2.1).
    ///
    /// Only where no path reaches an anchor without, and from where the certificates say. Revocation is fetched as far as
    /// ``TrustConfiguration/revocation`` asks for it.
    ///
    /// - Parameter limits: Where connections may go, and how much to put up with.
    public func fetchingIssuers(_ limits: HTTPFetcher.Configuration = HTTPFetcher.Configuration()) -> TrustConfiguration
    {
        var options = FetchOptions()
        options.fetchesIssuers = true
        options.cache = ResourceCache()
        var configuration = self
        configuration.fetching = Fetching(fetcher: HTTPFetcher(configuration: limits), options: options)
        return configuration
    }
}
