//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

public import CertificatePath

/// The result of an evaluation that may fetch, with a record of its fetches.
///
/// ``Trust/evaluate(fetching:_:)`` returns it. The verdict is in ``result``. ``fetches`` shows each request that led to it.
public struct FetchedTrustResult: Sendable {
    /// The verdict.
    public let result: TrustResult
    /// Each fetch, from the network or the cache, with its outcome, in the order of their starts.
    public let fetches: [FetchRecord]
    /// The revocation status of each certificate below the anchor, the leaf's first. Empty if no policy asks for revocation or the
    /// path reaches no anchor. If policies differ, the worst status counts.
    public let revocation: [RevocationStatus]

    package init(result: TrustResult, fetches: [FetchRecord] = [], revocation: [RevocationStatus] = []) {
        self.result = result
        self.fetches = fetches
        self.revocation = revocation
    }
}
