//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

public import ServerTrust

extension TrustConfiguration {
    /// Returns the configuration with fetching of missing issuers over HTTP, as on Apple's systems (RFC 5280 §4.2.2.1).
    ///
    /// Issuers are fetched from the URLs in the certificates, and only if no path reaches an anchor without them. Revocation is
    /// fetched as far as `TrustConfiguration.revocation` asks for it.
    ///
    /// - Parameter limits: The limits on connections and responses.
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
