//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import AppTransportSecurity
import HTTPTypes
import NIOCore
import ServerTrustNIO
import Synchronization

/// What a server, or a proxy, may still say behind its content about who it is.
struct PendingProof: Sendable {
    var proof: ResponseContentProof
    let authenticator: SharedAuthenticator
    let request: AuthenticatedRequest

    /// Says that no more octets come.
    func check(trailers: HTTPFields) throws {
        try self.proof.check(trailers: trailers)
        try self.authenticator.note(trailers: trailers, for: self.request)
    }
}

/// The proofs of a server and of a proxy that cover a content, as it comes.
final class ContentProofs: Sendable {
    private let proofs: Mutex<[PendingProof]>

    /// - Returns: `nil` without proofs.
    init?(_ proofs: [PendingProof]) {
        guard !proofs.isEmpty else { return nil }
        self.proofs = Mutex(proofs)
    }

    /// Takes octets as they came.
    func receive(_ octets: ByteBuffer) {
        self.proofs.withLock { proofs in
            for index in proofs.indices { octets.withUnsafeReadableBytes { proofs[index].proof.receive($0) } }
        }
    }

    /// Says that no more octets come.
    ///
    /// - Parameter trailers: The fields behind them.
    /// - Throws: ``HTTPSessionError`` for content that another server has sent, or changed.
    func check(_ url: HTTPURL, trailers: HTTPFields) throws {
        do {
            try self.proofs.withLock { proofs in for proof in proofs { try proof.check(trailers: trailers) } }
        } catch {
            throw HTTPSessionError(
                .authentication, .userAuthenticationRequired, url: url, reason: "\(error)",
                remedy: "Believe nothing of this response.", cause: error)
        }
    }
}
