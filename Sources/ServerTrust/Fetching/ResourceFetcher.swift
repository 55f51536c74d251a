//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// Someone who can get what certificates point to: the one way an evaluation reaches the network.
///
/// `ServerTrustNIO` has one that speaks plain HTTP, `HTTPFetcher`. What it returns is not trusted: every answer is
/// verified as if an attacker had made it, because one may have.
///
/// A fetcher is given URLs that strangers chose. It should refuse to connect to where a stranger has no business, and must
/// return soon after its task is cancelled.
public protocol ResourceFetcher: Sendable {
    /// Gets a resource.
    ///
    /// - Parameter request: What to get, and the limits.
    /// - Returns: The body of the answer, never more than the request's maximum.
    /// - Throws: ``ResourceError``. Whatever is thrown, the evaluation goes on without the resource.
    func fetch(_ request: ResourceRequest) async throws(ResourceError) -> [UInt8]
}

/// Something to get, and how much to put up with.
public struct ResourceRequest: Sendable, Hashable {
    /// The URL as the certificate has it, beginning with `http://`: printable ASCII of at most 2,048 octets.
    public let url: String
    /// What should be there.
    public let kind: ResourceKind
    /// What to send by POST; `nil` for GET.
    public let body: [UInt8]?
    /// The most octets to accept.
    public let maximumSize: Int
    /// The time for everything.
    public let timeout: Duration

    /// A request.
    public init(url: String, kind: ResourceKind, body: [UInt8]?, maximumSize: Int, timeout: Duration) {
        self.url = url
        self.kind = kind
        self.body = body
        self.maximumSize = maximumSize
        self.timeout = timeout
    }
}

/// What certificates point to.
public enum ResourceKind: String, Sendable, Hashable, CaseIterable {
    /// An answer to a question about one certificate: DER, POSTed to (RFC 6960 appendix A).
    case ocsp
    /// A revocation list: DER, or PEM where servers do not keep RFC 5280 §4.2.1.13.
    case revocationList = "crl"
    /// A certificate of the issuer: DER, a certs-only message, or PEM.
    case issuer

    /// The most octets that are accepted: the largest lists in use have some ten megabytes, and the largest bundles of
    /// issuers some ten kilobytes.
    var maximumSize: Int {
        switch self {
        case .ocsp: 64 << 10
        case .revocationList: 32 << 20
        case .issuer: 256 << 10
        }
    }
}

/// Why a resource could not be had.
public struct ResourceError: Error, Sendable, Hashable {
    /// Why, for programs.
    public enum Code: String, Sendable, Hashable, CaseIterable {
        /// The URL cannot be used.
        case invalidURL = "invalid-url"
        /// The address or port is one a stranger has no business with.
        case forbiddenAddress = "forbidden-address"
        /// There is no such host, or no connection to it.
        case unreachable
        /// It took too long.
        case timedOut = "timed-out"
        /// The answer is larger than allowed.
        case tooLarge = "too-large"
        /// The server answered, and not with the resource.
        case badAnswer = "bad-answer"
        /// The evaluation's own limit on fetches was reached before.
        case limitReached = "limit-reached"
        /// The task was cancelled.
        case cancelled
    }

    /// Why, for programs.
    public let code: Code
    /// What happened, as a clause for a person. Text from the network in it is printable.
    public let reason: String

    /// An error.
    public init(_ code: Code, _ reason: String) {
        self.code = code
        self.reason = reason
    }
}

extension ResourceError: CustomStringConvertible {
    /// What happened.
    public var description: String { self.reason }
}
