//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// One attempt to fetch a resource, with its outcome.
///
/// ``FetchedTrustResult/fetches`` has the records of an evaluation.
public struct FetchRecord: Sendable, Hashable {
    /// The outcomes of a fetch.
    public enum Outcome: Sendable, Hashable {
        /// The resource was fetched and verified, and answered the question.
        case used
        /// The resource came from the cache, was verified again, and answered the question.
        case cached
        /// The resource was fetched but does not answer the question. The text is the reason, as a clause.
        case unusable(String)
        /// The fetch failed.
        case failed(ResourceError)
    }

    /// The URL, as in the certificate.
    public let url: String
    /// The expected kind of resource.
    public let kind: ResourceKind
    /// The certificate for which it was fetched.
    public let certificate: Certificate
    /// The outcome of the fetch.
    public let outcome: Outcome
}

extension FetchRecord.Outcome {
    /// A short, stable name for programs.
    public var code: String {
        switch self {
        case .used: "used"
        case .cached: "cached"
        case .unusable: "unusable"
        case .failed: "failed"
        }
    }
}
