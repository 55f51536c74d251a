//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// The reason that a handshake proves nothing about the server.
///
/// Either the server ended the handshake, or one of its messages breaks the rules of TLS. ``HandshakeReader`` throws it.
public enum HandshakeError: Error, Sendable, Hashable {
    /// The server ended the handshake with a fatal alert.
    case alert(TLSAlertDescription)
    /// The answer is not TLS. The text is its beginning in printable characters.
    case notTLS(beginning: String)
    /// A record or a message cannot be parsed, or its type is not allowed at this point.
    case malformed(FlightError)
    /// The server chose a value that was not offered. The text names the value.
    case unoffered(String)
    /// A field does not have its only allowed value. The text names the field.
    case illegalValue(String)
    /// The server chose an older version and signals that it supports a newer one that was offered (RFC 8446 §4.1.3).
    case downgrade
    /// A record is not protected by the keys of this handshake (RFC 8446 §5.2).
    case badRecordMAC
    /// The server's key share is not a valid key, or one that makes the secret public (RFC 8446 §7.4.2).
    case badKeyShare
    /// The first certificate's key did not make the signature over this handshake (RFC 8446 §4.4.3, RFC 8422 §5.4).
    case badSignature
    /// The server's Finished does not match the messages before it (RFC 8446 §4.4.4).
    case badFinished
}

extension HandshakeError {
    /// A short, stable name for programs.
    public var code: String {
        switch self {
        case .alert: "alert"
        case .notTLS: "not-tls"
        case .malformed(let error): error.code
        case .unoffered: "unoffered"
        case .illegalValue: "illegal-value"
        case .downgrade: "downgrade"
        case .badRecordMAC: "bad-record-mac"
        case .badKeyShare: "bad-key-share"
        case .badSignature: "bad-signature"
        case .badFinished: "bad-finished"
        }
    }

    /// The error in one sentence.
    public var message: String {
        switch self {
        case .alert(let alert): "The server ended the handshake with the alert \(alert)."
        case .notTLS(let beginning): "The answer is not TLS. It begins “\(beginning)”."
        case .malformed(let error): error.message
        case .unoffered(let what): "The server chose something that was not offered: \(what)."
        case .illegalValue(let field): "A field has a value that it must not have: \(field)."
        case .downgrade: "The server chose an older version and says that it knows the newer one that was offered."
        case .badRecordMAC: "A record is not protected by the keys of this handshake."
        case .badKeyShare: "The ephemeral key of the server cannot be used."
        case .badSignature: "The signature over the handshake was not made by the key of the server's certificate."
        case .badFinished: "The server's last message does not match the handshake before it."
        }
    }
}

extension ConnectionFailure {
    init(_ error: HandshakeError) {
        switch error {
        case .alert(let alert): self = .alert(alert)
        case .notTLS(let beginning): self = .notTLS(beginning: beginning)
        case .malformed(let error): self = .malformed(error)
        // A suite or group that the reader cannot use counts as not offered, too. That is no proof of a fault of the server.
        case .unoffered: self = .handshake(error.message)
        case .illegalValue, .downgrade, .badRecordMAC, .badKeyShare, .badSignature, .badFinished:
            self = .violation(error)
        }
    }
}

extension HandshakeError {
    /// One error of each kind that no other list of codes has.
    package static let oneOfEach: [HandshakeError] = [
        .alert(.handshakeFailure), .unoffered("a cipher suite"), .illegalValue("the session"), .downgrade,
        .badRecordMAC, .badKeyShare, .badSignature, .badFinished,
    ]
}
