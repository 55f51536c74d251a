//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import HTTPExchange
package import NIOCore
public import ServerTrust

/// Fetches what certificates point to over plain HTTP: OCSP responses, revocation lists and issuers.
///
/// The URLs were chosen by strangers, so that a fetcher is a way to have requests sent from inside a network. It connects
/// only to public addresses, and judges the address it is about to connect to, not the name: nothing is resolved twice. It
/// uses two ports, sends no cookies, credentials or anything else that identifies the program's user, knows no proxy, and
/// takes nothing but a body of limited size with status 200. Redirects are followed under the same rules, and a few times
/// only.
///
/// Plain HTTP is what RFC 5280 and RFC 6960 have certificates name: what is fetched is signed, and `https` would need the
/// answer to get the answer.
public struct HTTPFetcher: ResourceFetcher {
    /// The limits.
    public var configuration: Configuration
    /// What looks names up.
    package var resolver = NameResolver.certificates

    /// A fetcher.
    ///
    /// - Parameter configuration: The limits; the defaults suit certificates of public authorities.
    public init(configuration: Configuration = Configuration()) {
        self.configuration = configuration
    }

    /// Gets a resource.
    ///
    /// - Parameter request: What to get; its time includes resolving names and following redirects, but not waiting for a thread
    ///   to resolve names on, which other names may keep busy. That takes as long again at most.
    /// - Returns: The body.
    /// - Throws: ``ResourceError``.
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

    /// Where an answer without a body redirects to.
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
    /// What to connect to, and how much to put up with.
    public struct Configuration: Hashable, Sendable {
        /// The TCP ports that are connected to.
        ///
        /// The default is 80, which nearly all authorities use, and 8080, which some private ones do: on other ports
        /// listen services that were never meant to get requests from strangers.
        public var ports: Set<Int> = [80, 8080]

        /// The redirects that are followed, each to `http` and under the same rules.
        public var maximumRedirects = 3

        /// The octets of an answer before its body.
        public var maximumHeaderSize = 16 << 10

        /// The time for one attempt to connect.
        public var connectTimeout: Duration = .seconds(3)

        /// Whether loopback, private, link-local and all other special addresses may be connected to, and every port.
        ///
        /// - Warning: A server that presents a certificate can then have this machine send requests to its own network: to
        ///   other machines' administration pages, or to the metadata service of a cloud. For private authorities and
        ///   tests, where all certificates come from known hands.
        public var dangerouslyAllowsLocalAddresses = false

        /// Special addresses that may be connected to all the same, on ``ports``: those of a private authority's servers.
        ///
        /// - Warning: A server that presents a certificate can have this machine send requests to them.
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
    /// A time for NIO, at least a millisecond and at most an hour.
    package init(bounding duration: Duration) {
        self.init(min(max(duration, .milliseconds(1)), .seconds(3_600)))
    }
}

extension HTTPFetcher: Hashable {
    /// Whether they fetch alike.
    public static func == (left: HTTPFetcher, right: HTTPFetcher) -> Bool {
        left.configuration == right.configuration && left.resolver === right.resolver
    }

    /// Feeds what is compared.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(self.configuration)
        hasher.combine(ObjectIdentifier(self.resolver))
    }
}
