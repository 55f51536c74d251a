//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import TLSWire

/// What came of shaking hands in earnest, with everything on offer that the TLS library has.
public enum HandshakeFact: Sendable, Hashable {
    /// It was completed: the server has proven that it holds its key.
    case completed
    /// It ended after the server had chosen: that it holds its key is not proven. A server that wants a client certificate
    /// ends it so, too.
    case unproven(ProbeFailure)
    /// It ended before the server had presented certificates. Whether it had chosen something until then is not told:
    /// what it chooses is asked for with hellos as well.
    case failed(ProbeFailure)

    /// Why it was not completed; `nil` when it was.
    public var failure: ProbeFailure? {
        switch self {
        case .completed: nil
        case .unproven(let failure), .failed(let failure): failure
        }
    }

    init(_ result: HandshakeResult) {
        guard let failure = result.failure else {
            self = .completed
            return
        }
        self = result.version == nil ? .failed(failure) : .unproven(failure)
    }
}

extension ProbeFailure {
    /// Whether there is no server to speak TLS with, so that no other offer finds one.
    var isBelowTLS: Bool {
        switch self {
        case .hostNotFound, .connectionRefused, .unreachable, .timedOut(.resolving), .timedOut(.connecting), .preamble,
            .notTLS, .exhausted, .cancelled:
            true
        default: false
        }
    }
}
