//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// One attempt to get something, and what became of it.
public struct FetchRecord: Sendable, Hashable {
    /// What became of it.
    public enum Outcome: Sendable, Hashable {
        /// It was fetched, verified, and told what was asked.
        case used
        /// It came from the cache, was verified again, and told what was asked.
        case cached
        /// It was fetched and tells nothing; why, as a clause for a person.
        case unusable(String)
        /// It could not be had.
        case failed(ResourceError)
    }

    /// The URL, as the certificate has it.
    public let url: String
    /// What should be there.
    public let kind: ResourceKind
    /// The certificate it was fetched for.
    public let certificate: Certificate
    /// What became of it.
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
