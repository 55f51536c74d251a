//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

public import CertificatePath

/// What an evaluation that may fetch came to.
public struct FetchedTrustResult: Sendable {
    /// The verdict.
    public let result: TrustResult
    /// What was fetched or taken from the cache, and what became of it, in the order it was begun.
    public let fetches: [FetchRecord]
    /// What is known of the revocation of each certificate below the anchor, the leaf's first; empty where no policy asks
    /// or the path reaches no anchor. Where policies differ, the worst.
    public let revocation: [RevocationStatus]

    package init(result: TrustResult, fetches: [FetchRecord] = [], revocation: [RevocationStatus] = []) {
        self.result = result
        self.fetches = fetches
        self.revocation = revocation
    }
}
