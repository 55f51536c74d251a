//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// Whether and how revocation is checked, and with what.
///
/// Everything is given: nothing is fetched. A list or response that nothing on the path asks for is ignored.
public struct RevocationPolicy: Sendable {
    /// What becomes of a certificate whose status cannot be told.
    public enum Mode: String, Sendable, Hashable, CaseIterable {
        /// Lists and responses are not looked at.
        case off
        /// Only what is shown to be revoked is refused.
        case soft
        /// Every certificate below the anchor needs a current answer that it is not revoked.
        case hard
    }

    /// What becomes of a certificate whose status cannot be told.
    public var mode: Mode
    /// Revocation lists: complete, delta or indirect ones, in any order.
    public var lists: [CertificateList]
    /// OCSP responses, stapled or fetched, in any order.
    public var responses: [OCSPResponse]

    /// No checking.
    public static let off = RevocationPolicy(.off)

    /// A policy.
    ///
    /// - Parameters:
    ///   - mode: What becomes of a certificate whose status cannot be told.
    ///   - lists: Revocation lists.
    ///   - responses: OCSP responses.
    public init(_ mode: Mode, lists: [CertificateList] = [], responses: [OCSPResponse] = []) {
        self.mode = mode
        self.lists = lists
        self.responses = responses
    }
}

/// What is known of one certificate's revocation.
enum RevocationStatus: Hashable {
    case good
    case revoked(RevocationReason, Timestamp)
    case unknown(UnknownRevocation)
}

/// Why a certificate's revocation status cannot be told.
public enum UnknownRevocation: String, Sendable, Hashable, CaseIterable {
    /// No list or response is about the certificate.
    case noInformation = "no-information"
    /// What there is about it is not current, not authentic, or does not cover every reason.
    case notUsable = "not-usable"
}
