//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import NIOSSL
import Synchronization

/// The TLS contexts in use, one for each offer, as a context takes longer to make than a handshake.
final class TLSContexts<Offer: Hashable & Sendable>: Sendable {
    /// More kinds of offers than a policy or a program has. Beyond it, contexts are made anew.
    private let capacity = 64
    private let contexts = Mutex<[Offer: NIOSSLContext]>([:])

    /// The context for an offer, which its connections share.
    ///
    /// - Parameters:
    ///   - offer: The offer.
    ///   - configuration: Makes the configuration of a new context.
    /// - Throws: What `configuration` throws. `NIOSSLError` or `BoringSSLError` for an unusable offer, such as an empty ALPN name.
    func context(for offer: Offer, _ configuration: (Offer) throws -> TLSConfiguration) throws -> NIOSSLContext {
        try self.contexts.withLock { contexts in
            if let context = contexts[offer] { return context }
            let context = try NIOSSLContext(configuration: try configuration(offer))
            if contexts.count < self.capacity { contexts[offer] = context }
            return context
        }
    }
}

extension TLSConfiguration {
    /// Leaves trust to a verification callback.
    mutating func leaveTrustToCallback() {
        // The callback is never called with `.none`, and with `.fullVerification` NIOSSL adds a judgment of its own.
        self.certificateVerification = .noHostnameVerification
        // No roots, since the callback decides. Reading the system's would take a thousand times as long.
        self.trustRoots = .certificates([])
        self.additionalTrustRoots = []
    }
}
