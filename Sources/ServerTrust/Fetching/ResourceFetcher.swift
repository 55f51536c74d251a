//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// A client that fetches the resources named in certificates: the only way in which an evaluation reaches the network.
///
/// `ServerTrustNIO` has a fetcher for plain HTTP, `HTTPFetcher`. Its answers are not trusted: every answer is verified, as an
/// attacker may have made it.
///
/// A fetcher receives URLs that strangers chose. It should refuse to connect to private destinations, and must return soon after
/// its task is cancelled.
public protocol ResourceFetcher: Sendable {
    /// Fetches a resource.
    ///
    /// - Parameter request: The resource to fetch, and the limits.
    /// - Returns: The body of the answer, never more than the request's maximum.
    /// - Throws: ``ResourceError``. The evaluation then continues without the resource.
    func fetch(_ request: ResourceRequest) async throws(ResourceError) -> [UInt8]
}

/// A resource to fetch, with limits on its size and time.
///
/// A ``ResourceFetcher`` receives it. Programs need it only to write or test a fetcher.
public struct ResourceRequest: Sendable, Hashable {
    /// The URL as in the certificate, beginning with `http://`: printable ASCII of at most 2,048 octets.
    public let url: String
    /// The expected kind of resource.
    public let kind: ResourceKind
    /// The body to send by POST, or `nil` for GET.
    public let body: [UInt8]?
    /// The maximum size of the answer, in octets.
    public let maximumSize: Int
    /// The time limit for the whole fetch.
    public let timeout: Duration

    /// Creates a request.
    public init(url: String, kind: ResourceKind, body: [UInt8]?, maximumSize: Int, timeout: Duration) {
        self.url = url
        self.kind = kind
        self.body = body
        self.maximumSize = maximumSize
        self.timeout = timeout
    }
}

/// The kinds of resources that certificates name.
public enum ResourceKind: String, Sendable, Hashable, CaseIterable {
    /// The status of one certificate: an OCSP response in DER, requested by POST (RFC 6960 appendix A).
    case ocsp
    /// A revocation list in DER, or in PEM from servers that violate RFC 5280 §4.2.1.13.
    case revocationList = "crl"
    /// A certificate of the issuer: DER, a certs-only message, or PEM.
    case issuer

    /// The maximum accepted size, in octets. The largest lists in use have some ten megabytes, and the largest bundles of issuers
    /// some ten kilobytes.
    var maximumSize: Int {
        switch self {
        case .ocsp: 64 << 10
        case .revocationList: 32 << 20
        case .issuer: 256 << 10
        }
    }
}

/// The reason why a resource could not be fetched.
///
/// The evaluation continues without the resource. ``FetchRecord/Outcome/failed(_:)`` reports the error.
public struct ResourceError: Error, Sendable, Hashable {
    /// The kinds of errors.
    public enum Code: String, Sendable, Hashable, CaseIterable {
        /// The URL cannot be used.
        case invalidURL = "invalid-url"
        /// The address or port is private, or otherwise no place for a public resource.
        case forbiddenAddress = "forbidden-address"
        /// The host does not exist, or no connection to it was possible.
        case unreachable
        /// The time limit was reached.
        case timedOut = "timed-out"
        /// The answer is larger than allowed.
        case tooLarge = "too-large"
        /// The server answered, but not with the resource.
        case badAnswer = "bad-answer"
        /// The evaluation's own limit on fetches was already reached.
        case limitReached = "limit-reached"
        /// The task was cancelled.
        case cancelled
    }

    /// The kind of error.
    public let code: Code
    /// The error, as a clause for people. Text from the network is converted to printable characters.
    public let reason: String

    /// Creates an error.
    public init(_ code: Code, _ reason: String) {
        self.code = code
        self.reason = reason
    }
}

extension ResourceError: CustomStringConvertible {
    /// The error, as a clause for people.
    public var description: String { self.reason }
}
