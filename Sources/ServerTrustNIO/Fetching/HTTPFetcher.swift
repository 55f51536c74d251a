//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import HTTPExchange
package import NIOCore
public import ServerTrust

/// A fetcher of the resources that certificates name, over plain HTTP: OCSP responses, CRLs and issuers.
///
/// The URLs are chosen by strangers. An attacker could use a fetcher to send requests from inside a network. For this reason it
/// connects only to public addresses. It checks the address that it is about to connect to, not the name, and so resolves no name
/// twice. By default it uses two ports only. It sends no cookies, credentials or other data that identifies the program's user,
/// uses no proxy, and accepts only a body of limited size with status 200. It follows a few redirects under the same rules.
///
/// RFC 5280 and RFC 6960 let certificates name plain HTTP, because the fetched resources are signed. Fetching over `https` would
/// need the evaluation that the resource is fetched for.
public struct HTTPFetcher: ResourceFetcher {
    /// The limits on connections and responses.
    public var configuration: Configuration
    package var resolver = NameResolver.certificates

    /// Creates a fetcher.
    ///
    /// - Parameter configuration: The limits. The defaults suit certificates of public authorities.
    public init(configuration: Configuration = Configuration()) {
        self.configuration = configuration
    }

    /// Fetches a resource.
    ///
    /// - Parameter request: The request. Its timeout covers resolving names and following redirects. It does not cover the wait for
    ///   a thread of the resolver that other names keep busy, which takes at most the same time again.
    /// - Returns: The body.
    /// - Throws: `ResourceError` if the URL is refused, the fetch fails, or the response is not acceptable.
    public func fetch(_ request: ResourceRequest) async throws(ResourceError) -> [UInt8] {
        var deadline = NIODeadline.now() + TimeAmount(bounding: request.timeout)
        var url = try HTTPURL(named: request.url, schemes: [.http])
        for _ in 0...max(0, self.configuration.maximumRedirects) {
            let answer = try await self.answer(to: request, at: url, until: &deadline)
            guard answer.head.status != 200 else { return answer.body }
            url = try url.resolving(named: Self.redirect(answer, isPost: request.body != nil))
        }
        throw ResourceError(.badAnswer, "it redirects more than \(self.configuration.maximumRedirects) times")
    }

    private func answer(
        to request: ResourceRequest, at url: HTTPURL, until deadline: inout NIODeadline
    ) async throws(ResourceError) -> FetchedAnswer {
        guard self.configuration.allows(port: url.port) else {
            throw ResourceError(.forbiddenAddress, "port \(url.port) is not one that is fetched from")
        }
        let found = try await self.resolver.addresses(
            of: url.host.text, until: &deadline, patience: request.timeout)
        let fetch = FetchRequest(
            url: url, question: request.body, limits: self.configuration, maximumSize: request.maximumSize,
            deadline: deadline)
        return try await fetch.answer(from: found)
    }

    private static func redirect(_ answer: FetchedAnswer, isPost: Bool) throws(ResourceError) -> ArraySlice<UInt8> {
        guard let (status, places) = answer.head.redirect else {
            throw ResourceError(.badAnswer, "it answers with status \(answer.head.status)")
        }
        guard !isPost || status.keepsRequest else {
            throw ResourceError(.badAnswer, "it redirects a question as if it were none")
        }
        guard places.count == 1, let place = places.first else {
            throw ResourceError(.badAnswer, "it redirects without saying where")
        }
        return place
    }
}

extension HTTPFetcher {
    /// The limits of a fetcher: the allowed ports and addresses, and bounds on redirects, sizes and times.
    public struct Configuration: Hashable, Sendable {
        /// The TCP ports that the fetcher may connect to.
        ///
        /// The default is 80, which nearly all authorities use, and 8080, which some private ones use. Services on other ports were
        /// never meant to receive requests from strangers.
        public var ports: Set<Int> = [80, 8080]

        /// The maximum number of redirects to follow, each to `http` and under the same rules.
        public var maximumRedirects = 3

        /// The maximum number of octets in the head of a response.
        public var maximumHeaderSize = 16 << 10

        /// The time for one attempt to connect.
        public var connectTimeout: Duration = .seconds(3)

        /// `true` to allow connections to every port and to loopback, private, link-local and all other special addresses.
        ///
        /// - Warning: A server can then, by its certificate, make this machine send requests to its own network: to the
        ///   administration pages of other machines, or to the metadata service of a cloud. Use it only for private authorities and
        ///   tests, with certificates from known sources.
        public var dangerouslyAllowsLocalAddresses = false

        /// The special addresses that the fetcher may connect to as well, on ``ports``, such as those of a private authority's
        /// servers.
        ///
        /// - Warning: A server can then, by its certificate, make this machine send requests to these addresses.
        public var dangerouslyAllowedAddresses: Set<IPAddress> = []

        /// Creates a configuration with the defaults.
        public init() {}
    }
}

extension HTTPFetcher.Configuration {
    func allows(port: Int) -> Bool { self.dangerouslyAllowsLocalAddresses || self.ports.contains(port) }

    var addresses: AddressRule {
        AddressRule(
            allowsLocalAddresses: self.dangerouslyAllowsLocalAddresses,
            allowedAddresses: self.dangerouslyAllowedAddresses)
    }
}

extension TimeAmount {
    /// Creates a time for NIO, at least a millisecond and at most an hour.
    package init(bounding duration: Duration) {
        self.init(min(max(duration, .milliseconds(1)), .seconds(3_600)))
    }
}

extension HTTPFetcher: Hashable {
    /// Returns `true` if both fetchers have the same configuration and the same resolver.
    public static func == (left: HTTPFetcher, right: HTTPFetcher) -> Bool {
        left.configuration == right.configuration && left.resolver === right.resolver
    }

    /// Hashes the compared values.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(self.configuration)
        hasher.combine(ObjectIdentifier(self.resolver))
    }
}
