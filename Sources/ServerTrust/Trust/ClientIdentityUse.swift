//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// The outcome of a client identity that was given for a server.
///
/// A server receives the certificate only if it is trusted and asks for one. ``TrustNote/Fact/clientIdentity(_:)`` reports the
/// outcome.
public enum ClientIdentityUse: Sendable, Hashable {
    /// The server asks for no certificate, so none was sent.
    case notNeeded
    /// The certificate was not sent, for the given reason.
    case notSent(Reason)
    /// The server completed the handshake with the certificate of this subject.
    case accepted(subject: String)
    /// The server did not complete the handshake with the certificate of this subject. The text says how the server ended it.
    case refused(subject: String, String)

    /// The reasons why a certificate is not sent.
    public enum Reason: Sendable, Hashable {
        /// The server is not trusted.
        case notTrusted
        /// The handshake did not get far enough to show if the server asks for a certificate.
        case notSeen
        /// No identity matches the authorities and key types that the server accepts.
        case noneFits
        /// The connection that should carry the certificate failed. The text is a sentence.
        case notConnected(String)

        var advice: String {
            switch self {
            case .notTrusted: "Have the server trusted first: what speaks against it is said above."
            case .notSeen: "Mend the handshake first: it showed too little of the server."
            case .noneFits:
                "Give a certificate of one of the authorities that the server names, for a key that it takes."
            case .notConnected: "Try again, and look into the server's log."
            }
        }
    }

    var message: String {
        switch self {
        case .notNeeded:
            "The server asks for no client certificate. The one that was given is not needed, and was not sent."
        case .notSent(.notTrusted): "The client certificate was not sent: the server is not trusted."
        case .notSent(.notSeen):
            "The client certificate was not sent: whether the server asks for one could not be seen."
        case .notSent(.noneFits):
            "The server asks for a client certificate, and none was sent: "
                + "no given one is of an authority and a kind that it takes."
        case .notSent(.notConnected(let reason)):
            "The server asks for a client certificate, and none was sent: \(reason)"
        case .accepted(let subject): "The server completed the handshake with the client certificate “\(subject)”."
        case .refused(let subject, let reason):
            "The server refused the client certificate “\(subject)”: \(reason)."
        }
    }
}
