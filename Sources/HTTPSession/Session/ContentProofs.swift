//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import AppTransportSecurity
import HTTPTypes
import NIOCore
import ServerTrustNIO
import Synchronization

/// A proof of a server or proxy that is checked at the end of the content.
struct PendingProof: Sendable {
    var proof: ResponseContentProof
    let authenticator: SharedAuthenticator
    let request: AuthenticatedRequest

    func check(trailers: HTTPFields) throws {
        try self.proof.check(trailers: trailers)
        try self.authenticator.note(trailers: trailers, for: self.request)
    }
}

/// The proofs of a server and a proxy that cover the content of a response.
final class ContentProofs: Sendable {
    private let proofs: Mutex<[PendingProof]>

    /// Creates the proofs, or returns `nil` if there are none.
    init?(_ proofs: [PendingProof]) {
        guard !proofs.isEmpty else { return nil }
        self.proofs = Mutex(proofs)
    }

    /// Adds octets of the content as they were received.
    func receive(_ octets: ByteBuffer) {
        self.proofs.withLock { proofs in
            for index in proofs.indices { octets.withUnsafeReadableBytes { proofs[index].proof.receive($0) } }
        }
    }

    /// Checks the proofs after the end of the content.
    ///
    /// - Parameters:
    ///   - url: The URL of the response, for errors.
    ///   - trailers: The trailer fields.
    /// - Throws: ``HTTPSessionError`` if another server has sent or changed the content.
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
