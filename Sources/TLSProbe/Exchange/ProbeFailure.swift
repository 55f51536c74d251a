//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

public import TLSWire

/// Why a question to a server has no clear answer.
public enum ProbeFailure: Error, Sendable, Hashable {
    /// The name has no address.
    case hostNotFound
    /// Nothing listens there.
    case connectionRefused
    /// There is no way there; the text says why, in the system's words.
    case unreachable(String)
    /// Nothing, or not enough, came in time.
    case timedOut(Phase)
    /// The connection was closed without an answer.
    case closed
    /// The connection was reset without an answer.
    case reset
    /// An alert that says nothing about the offer, such as internal_error.
    case alert(TLSAlertDescription)
    /// The answer is not TLS: how it begins, in printable characters.
    case notTLS(beginning: String)
    /// The answer breaks TLS's rules.
    case malformed(FlightError)
    /// A real handshake failed, for the reason that the TLS library gives.
    case handshake(String)
    /// The protocol before TLS did not get as far: what it was, and why; and whether the server said that it may pass,
    /// or did not say anything.
    case preamble(String, mayPass: Bool = false)
    /// The server used up what one server may cost: connections, or time.
    case exhausted
    /// The probe was ended from this side.
    case cancelled

    /// How far an exchange got before time ran out.
    public enum Phase: String, Sendable, Hashable {
        /// Looking up the name.
        case resolving
        /// Connecting.
        case connecting
        /// Waiting for the first byte.
        case silent
        /// Waiting for the rest.
        case underWay = "under-way"
    }
}
