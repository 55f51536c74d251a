//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// An error of a credential, or of a server's response to one. It contains nothing of the credential.
public enum HTTPAuthenticationError: String, Error, Sendable, Hashable, CaseIterable {
    /// The user name or password contains a control character.
    case controlCharacter = "control-character"
    /// The token contains a character that tokens must not have.
    case invalidToken = "invalid-token"
    /// The user name contains a colon, which separates it from the password in Basic (RFC 7617 §2).
    case colonInUser = "colon-in-user"
    /// The user name or password cannot be written in ISO 8859-1, which the caller has selected.
    case notLatin1 = "not-latin1"
    /// `Authentication-Info` is malformed or too long.
    case malformedInfo = "malformed-info"
    /// `Authentication-Info` belongs to another request, because its `nc` or `cnonce` differs from the one that was sent
    /// (RFC 7616 §3.5).
    case infoOfAnotherRequest = "info-of-another-request"
    /// The server did not prove that it knows the password, because its `rspauth` is wrong (RFC 7616 §3.5).
    case wrongResponseDigest = "wrong-response-digest"
}

extension HTTPAuthenticationError: CustomStringConvertible {
    /// The problem and its remedy as a sentence.
    public var description: String {
        switch self {
        case .controlCharacter: "The user or the password has a control character: remove it."
        case .invalidToken:
            "The token has a character that no token has: give the token alone, without a name, quotes or blanks."
        case .colonInUser: "The user has a colon, which Basic has no way to write: use another user, or Digest."
        case .notLatin1: "The user or the password has a character that ISO 8859-1 lacks: use UTF-8."
        case .malformedInfo: "The server's Authentication-Info is not well formed: nothing it says is believed."
        case .infoOfAnotherRequest: "The server's Authentication-Info belongs to another request."
        case .wrongResponseDigest: "The server did not prove that it knows the password: its rspauth is wrong."
        }
    }
}
