//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// Why a handshake proves nothing: the server ended it, or what it said breaks the rules.
public enum HandshakeError: Error, Sendable, Hashable {
    /// The server ended it with a fatal alert.
    case alert(TLSAlertDescription)
    /// The answer is not TLS: how it begins, in printable characters.
    case notTLS(beginning: String)
    /// A record or a message cannot be read, or came where none of its type may.
    case malformed(FlightError)
    /// The server chose something that was not offered: what it is.
    case unoffered(String)
    /// A field does not have the one value that it may have: which field.
    case illegalValue(String)
    /// The server chose an older version, and says that it knows a newer one which was offered (RFC 8446 §4.1.3).
    case downgrade
    /// A record is not protected by the keys of this handshake (RFC 8446 §5.2).
    case badRecordMAC
    /// The server's key share is no key, or one that makes the secret known to all (RFC 8446 §7.4.2).
    case badKeyShare
    /// The signature is not one of the first certificate's key over this handshake (RFC 8446 §4.4.3, RFC 8422 §5.4).
    case badSignature
    /// The server's Finished does not fit what was said before it (RFC 8446 §4.4.4).
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

    /// What is wrong, in one sentence.
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
    /// What a handshake that proves nothing comes to.
    init(_ error: HandshakeError) {
        switch error {
        case .alert(let alert): self = .alert(alert)
        case .notTLS(let beginning): self = .notTLS(beginning: beginning)
        case .malformed(let error): self = .malformed(error)
        // What the reader has no key for counts as not offered, too: that proves nothing against the server.
        case .unoffered: self = .handshake(error.message)
        case .illegalValue, .downgrade, .badRecordMAC, .badKeyShare, .badSignature, .badFinished:
            self = .violation(error)
        }
    }
}

extension HandshakeError {
    /// One of each that other codes do not name, for lists of codes.
    package static let oneOfEach: [HandshakeError] = [
        .alert(.handshakeFailure), .unoffered("a cipher suite"), .illegalValue("the session"), .downgrade,
        .badRecordMAC, .badKeyShare, .badSignature, .badFinished,
    ]
}
