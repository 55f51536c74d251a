//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

public import TLSWire

/// What came of shaking hands in earnest.
public enum HandshakeFact: Sendable, Hashable {
    /// The server has proven that it holds its key.
    case completed
    /// It ended after the server had presented certificates: that it holds the key is not proven.
    case unproven(ConnectionFailure)
    /// It ended before the server had presented certificates. Whether it had chosen something until then is not told:
    /// what it chooses is asked for with hellos as well.
    case failed(ConnectionFailure)

    /// Why it was not completed; `nil` when it was.
    public var failure: ConnectionFailure? {
        switch self {
        case .completed: nil
        case .unproven(let failure), .failed(let failure): failure
        }
    }

    init(_ result: HandshakeResult) {
        guard let failure = result.failure ?? result.unproven else {
            self = .completed
            return
        }
        self = result.version == nil ? .failed(failure) : .unproven(failure)
    }
}

extension HandshakeResult {
    /// What a flight comes to that was read to its end and proves nothing; `nil` for one that does.
    fileprivate var unproven: ConnectionFailure? {
        self.isKeyProven ? nil : .handshake("The server has not proven to hold the key of its certificate.")
    }
}

extension ConnectionFailure {
    /// Whether there is no server to speak TLS with, so that no other offer finds one.
    var isBelowTLS: Bool {
        switch self {
        case .hostNotFound, .lookupFailed, .connectionRefused, .unreachable, .timedOut(.resolving),
            .timedOut(.connecting), .preamble, .startTLS, .proxy, .notTLS, .exhausted, .cancelled:
            true
        default: false
        }
    }
}
