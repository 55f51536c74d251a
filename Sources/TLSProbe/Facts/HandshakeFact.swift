//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

public import TLSWire

/// The result of a handshake with real keys.
///
/// Only ``completed`` proves that the server holds the key of its certificate.
public enum HandshakeFact: Sendable, Hashable {
    /// The server proved that it holds its key.
    case completed
    /// The handshake ended after the server presented certificates. Possession of the key is not proven.
    case unproven(ConnectionFailure)
    /// The handshake ended before the server presented certificates. Hellos show separately which parameters the server chooses.
    case failed(ConnectionFailure)

    /// The reason that the handshake was not completed, or `nil` if it was.
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
    /// The failure of a flight that was read to its end without a proof of the key, or `nil` if the key is proven.
    fileprivate var unproven: ConnectionFailure? {
        self.isKeyProven ? nil : .handshake("The server has not proven to hold the key of its certificate.")
    }
}

extension ConnectionFailure {
    /// `true` if no TLS server answers, so that no other offer can succeed.
    var isBelowTLS: Bool {
        switch self {
        case .hostNotFound, .lookupFailed, .connectionRefused, .unreachable, .timedOut(.resolving),
            .timedOut(.connecting), .preamble, .startTLS, .proxy, .notTLS, .exhausted, .cancelled:
            true
        default: false
        }
    }
}
