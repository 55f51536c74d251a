//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import ArgumentParser
import ServerDiagnosis
import ServerTrust
import ServerTrustNIO

/// The options for fetching issuers, and the limits of all fetches.
struct FetchArguments: ParsableArguments {
    @Flag(
        name: .customLong("fetch-issuers"), inversion: .prefixedNo,
        help: ArgumentHelp(
            "Look for issuers that were not sent where certificates say they are, as Apple's systems do.",
            discussion: """
                Only when no path reaches a root without it. Fetches over plain HTTP, from public addresses only. check, diagnose, \
                scan, pin, pins check and ats suggest do so by default, but not with --proxy, past which this machine would connect itself.
                """
        )
    )
    var givenIssuers: Bool?

    @Option(
        name: .customLong("revocation-cache"),
        help: ArgumentHelp(
            "Keep fetched answers in this folder until the next one is due.", valueName: "dir"),
        completion: .directory
    )
    var cacheFolder: String?

    @Option(
        name: .customLong("fetch-timeout"),
        help: ArgumentHelp(
            "The time for one fetch. All together get three times that. (default: 5)", valueName: "seconds"),
        transform: ConnectionOptions.duration
    )
    var timeout: Duration?

    @Flag(
        name: .customLong("dangerously-allow-local-addresses"),
        help: ArgumentHelp(
            "Fetch from private and loopback addresses too, and from any port.",
            discussion: "Certificates then decide what this machine asks its own network for. For private authorities."
        )
    )
    var allowsLocalAddresses = false

    var given: [String] {
        [
            ("--fetch-issuers", self.givenIssuers == true), ("--no-fetch-issuers", self.givenIssuers == false),
            ("--revocation-cache", self.cacheFolder != nil), ("--fetch-timeout", self.timeout != nil),
            ("--dangerously-allow-local-addresses", self.allowsLocalAddresses),
        ].filter(\.1).map(\.0)
    }

    /// Returns the settings for fetching, or `nil` if nothing is to be fetched.
    ///
    /// - Parameters:
    ///   - revocation: `true` to permit the fetch of OCSP responses and revocation lists.
    ///   - connects: `true` if the command connects to servers.
    /// - Throws: `FileError` if the cache folder cannot be used.
    func settings(revocation: Bool, connects: Bool = true) throws -> TrustConfiguration.Fetching? {
        let fetchesIssuers = self.givenIssuers ?? connects
        guard fetchesIssuers || revocation else { return nil }
        var options = FetchOptions()
        options.fetchesIssuers = fetchesIssuers
        options.fetchesRevocation = revocation
        if let timeout { (options.timeout, options.deadline) = (timeout, timeout * 3) }
        options.cache = try self.cacheFolder.map { try ResourceCache(folder: $0) } ?? ResourceCache()
        var fetcher = HTTPFetcher()
        fetcher.configuration.dangerouslyAllowsLocalAddresses = self.allowsLocalAddresses
        return TrustConfiguration.Fetching(fetcher: fetcher, options: options)
    }

    /// Refuses options that would have no effect, and states the missing option.
    ///
    /// - Parameters:
    ///   - revocation: `true` if OCSP responses and revocation lists may be fetched.
    ///   - advice: The options that would cause a fetch.
    ///   - connects: `true` if the command connects to servers.
    func check(revocation: Bool, advice: String, connects: Bool = true) throws {
        guard !(self.givenIssuers ?? connects), !revocation else { return }
        let advice = self.givenIssuers == false ? "Leave --no-fetch-issuers out, or add \(advice)" : "Add \(advice)"
        if self.cacheFolder != nil {
            throw ValidationError("--revocation-cache keeps what is fetched, and nothing is. \(advice)")
        }
        if self.timeout != nil {
            throw ValidationError("--fetch-timeout is about fetching. \(advice)")
        }
        if self.allowsLocalAddresses {
            throw ValidationError("--dangerously-allow-local-addresses is about fetching. \(advice)")
        }
    }
}
