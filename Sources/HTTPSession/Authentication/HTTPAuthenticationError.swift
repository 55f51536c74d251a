//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// Why a credential cannot be shown, or a server's answer to one cannot be believed. Nothing of a credential is in it.
public enum HTTPAuthenticationError: String, Error, Sendable, Hashable, CaseIterable {
    /// A user or a password has a control character.
    case controlCharacter = "control-character"
    /// A token has characters that no token has.
    case invalidToken = "invalid-token"
    /// The user has a colon, which would separate the user from the password in Basic (RFC 7617 §2).
    case colonInUser = "colon-in-user"
    /// User or password have characters that ISO 8859-1 lacks, which was asked for.
    case notLatin1 = "not-latin1"
    /// `Authentication-Info` is not well formed or too long.
    case malformedInfo = "malformed-info"
    /// `Authentication-Info` speaks of another request: its `nc` or `cnonce` are not those that were sent (RFC 7616 §3.5).
    case infoOfAnotherRequest = "info-of-another-request"
    /// The server did not prove that it knows the password: its `rspauth` is wrong (RFC 7616 §3.5).
    case wrongResponseDigest = "wrong-response-digest"
}

extension HTTPAuthenticationError: CustomStringConvertible {
    /// What happened and what to do, as a sentence.
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
