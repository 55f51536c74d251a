//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import NIOSSL
import Synchronization

/// A cache of TLS contexts, one for each offer, because making a context takes longer than a handshake.
final class TLSContexts<Offer: Hashable & Sendable>: Sendable {
    /// 64, more offers than one policy or program has. Beyond that, contexts are not kept.
    private let capacity = 64
    private let contexts = Mutex<[Offer: NIOSSLContext]>([:])

    /// Returns the context for an offer, which its connections share.
    ///
    /// - Parameters:
    ///   - offer: The offer.
    ///   - configuration: Makes the configuration of a new context.
    /// - Throws: The error of `configuration`, or `NIOSSLError` or `BoringSSLError` for an unusable offer, such as an empty ALPN
    ///   name.
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
    mutating func leaveTrustToCallback() {
        // With `.none` the callback is never called. With `.fullVerification` NIOSSL adds a check of its own.
        self.certificateVerification = .noHostnameVerification
        // No roots, because the callback decides. Reading the system's would take a thousand times as long.
        self.trustRoots = .certificates([])
        self.additionalTrustRoots = []
    }
}
