//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// The policy for checking revocation, with the evidence for it.
///
/// All evidence is supplied here, and an evaluation fetches nothing. Lists and responses about other certificates are ignored.
///
/// ```swift
/// var policy = RevocationPolicy(.leaf, stapledResponses: stapled)
/// policy.lists = lists
/// request.revocation = policy
/// ```
public struct RevocationPolicy: Sendable, Hashable {
    /// The treatment of a certificate of unknown status.
    public enum Mode: String, Sendable, Hashable, CaseIterable {
        /// Revocation is not checked.
        case off
        /// Only a certificate that is shown to be revoked is rejected.
        case soft
        /// The leaf needs current evidence that it is not revoked. Other certificates are rejected only if they are
        /// shown to be revoked. This is the meaning of `kSecRevocationRequirePositiveResponse`.
        case leaf
        /// Every certificate below the anchor needs current evidence that it is not revoked.
        case hard
    }

    /// The treatment of a certificate of unknown status. Setting it also sets ``fetchesWhatIsMissing``.
    public var mode: Mode { didSet { self.fetchesWhatIsMissing = true } }
    /// `true` if a caller that can fetch evidence should fetch missing evidence. It is `false` for ``atHand``. With
    /// the mode ``Mode/off``, nothing is fetched either.
    public var fetchesWhatIsMissing: Bool
    /// The kinds of evidence that are used. Other kinds are ignored.
    public var methods: RevocationMethods
    /// `true` if lists come before OCSP responses. They are then fetched first, and give the reason if both show that
    /// a certificate is revoked. Supplied evidence of either kind counts in both cases.
    public var prefersLists: Bool
    /// The revocation lists: complete, delta or indirect ones, in any order.
    public var lists: [CertificateList]
    /// The OCSP responses from other sources than the server's handshake, in any order.
    public var responses: [OCSPResponse]
    /// The OCSP responses that the client requested, with the nonces of the requests.
    public var requestedResponses: [RequestedOCSPResponse]
    /// The OCSP responses that the server sent in its handshake (RFC 6066 §8). Only these satisfy ``enforcesTLSFeature``.
    public var stapledResponses: [OCSPResponse]
    /// `true` to enforce TLS features (RFC 7633) in every ``mode``.
    ///
    /// A leaf that promises stapled responses is rejected without a valid, current and stapled response that it is
    /// good. The certificates below an authority must have the features of that authority.
    public var enforcesTLSFeature: Bool
    /// `true` if a response clears a certificate only if it repeats the nonce of its request (RFC 9654). Stapled and
    /// supplied responses then clear no certificate. A stapled one still satisfies RFC 7633.
    public var requiresNonce: Bool
    /// The limits on the age of lists and responses that clear a certificate, or `nil` for the profile's limits.
    public var ageLimits: RevocationAgeLimits?

    /// A policy that checks nothing, not even supplied evidence.
    public static let off = RevocationPolicy(.off)

    /// A policy that uses supplied evidence to reject revoked certificates. No evidence is required or fetched.
    ///
    /// It is the default everywhere, as Apple evaluates stapled responses under all policies (SecRevocationServer.c
    /// `SecORVCProcessStapledResponses`).
    public static let atHand: RevocationPolicy = {
        var policy = RevocationPolicy(.soft)
        policy.fetchesWhatIsMissing = false
        return policy
    }()

    /// Creates a policy.
    ///
    /// - Parameters:
    ///   - mode: The treatment of a certificate of unknown status.
    ///   - lists: The revocation lists.
    ///   - responses: The OCSP responses from other sources than the server's handshake.
    ///   - stapledResponses: The OCSP responses from the server's handshake.
    public init(
        _ mode: Mode, lists: [CertificateList] = [], responses: [OCSPResponse] = [],
        stapledResponses: [OCSPResponse] = []
    ) {
        self.mode = mode
        self.fetchesWhatIsMissing = true
        self.methods = .all
        self.prefersLists = false
        self.lists = lists
        self.responses = responses
        self.requestedResponses = []
        self.stapledResponses = stapledResponses
        self.enforcesTLSFeature = false
        self.requiresNonce = false
        self.ageLimits = nil
    }

    /// `true` if nothing is checked, or if nothing is supplied and nothing required. This holds for most evaluations,
    /// and costs them nothing.
    var isOff: Bool {
        guard !self.enforcesTLSFeature else { return false }
        return self.mode == .off || (self.mode == .soft && self.hasNothing)
    }

    private var hasNothing: Bool {
        self.lists.isEmpty && self.responses.isEmpty && self.requestedResponses.isEmpty && self.stapledResponses.isEmpty
    }

    /// Orders the evidence, for ``ValidationRequest/orderEvidence()``.
    mutating func orderEvidence() {
        if self.lists.count > 1 { self.lists = Self.ordered(self.lists, \.bytes) }
        if self.responses.count > 1 { self.responses = Self.ordered(self.responses, \.bytes) }
        if self.stapledResponses.count > 1 { self.stapledResponses = Self.ordered(self.stapledResponses, \.bytes) }
        if self.requestedResponses.count > 1 {
            self.requestedResponses.sort { $0.response.bytes.lexicographicallyPrecedes($1.response.bytes) }
        }
    }

    /// `true` if there is at most one document of each kind.
    var isOrdered: Bool {
        self.lists.count <= 1 && self.responses.count <= 1 && self.stapledResponses.count <= 1
            && self.requestedResponses.count <= 1
    }

    private static func ordered<Document>(_ documents: [Document], _ bytes: (Document) -> [UInt8]) -> [Document] {
        var previous: [UInt8]?
        return documents.sorted { bytes($0).lexicographicallyPrecedes(bytes($1)) }.filter { document in
            defer { previous = bytes(document) }
            return previous != bytes(document)
        }
    }

    var octets: Int {
        self.lists.reduce(0) { $0 + $1.bytes.count } + self.responses.reduce(0) { $0 + $1.bytes.count }
            + self.stapledResponses.reduce(0) { $0 + $1.bytes.count }
            + self.requestedResponses.reduce(0) { $0 + $1.response.bytes.count }
    }

    /// The responses, each marked if it may clear a certificate.
    var evidence: [OCSPEvidence] {
        let unasked = (self.stapledResponses + self.responses).map {
            OCSPEvidence(response: $0, mayClear: !self.requiresNonce)
        }
        return unasked
            + self.requestedResponses.map {
                OCSPEvidence(response: $0.response, mayClear: $0.isAnswer(requiringNonce: self.requiresNonce))
            }
    }
}

/// The kinds of evidence for checking revocation.
public struct RevocationMethods: OptionSet, Sendable, Hashable {
    /// The kinds as bits.
    public let rawValue: UInt8

    /// Creates a set of kinds.
    public init(rawValue: UInt8) { self.rawValue = rawValue }

    /// OCSP responses (RFC 6960).
    public static let ocsp = RevocationMethods(rawValue: 1 << 0)
    /// Revocation lists (RFC 5280 §5).
    public static let lists = RevocationMethods(rawValue: 1 << 1)
    /// All kinds.
    public static let all: RevocationMethods = [.ocsp, .lists]
}

/// An OCSP response to a request of this client, with the nonce of that request.
public struct RequestedOCSPResponse: Sendable, Hashable {
    /// The response.
    public var response: OCSPResponse
    /// The nonce of the request, or `nil` if it had none.
    public var nonce: [UInt8]?

    /// Creates a response to a request.
    public init(_ response: OCSPResponse, to request: OCSPRequest) {
        self.response = response
        self.nonce = request.nonce
    }

    /// Returns `true` if the nonce does not contradict the request. A responder may omit the nonce, unless one is
    /// required. Another nonce means a replay (RFC 9654 §2.1).
    func isAnswer(requiringNonce: Bool) -> Bool {
        guard !self.response.fields.extensions.hasMalformedNonce else { return false }
        guard let nonce = self.nonce else { return !requiringNonce }
        return self.response.nonce.map { $0 == nonce } ?? !requiringNonce
    }
}

/// A response and its possible effect: it may clear a certificate, or only revoke it.
struct OCSPEvidence {
    let response: OCSPResponse
    let mayClear: Bool
}

/// The revocation status of one certificate.
///
/// A status other than ``revoked(_:_:)`` rejects a certificate only if the ``RevocationPolicy/Mode`` requires a known status.
public enum RevocationStatus: Sendable, Hashable {
    /// The certificate is shown not to be revoked.
    case good
    /// The issuer revoked the certificate.
    case revoked(RevocationReason, Timestamp)
    /// No usable evidence shows the status.
    case unknown(UnknownRevocation)

    var isRevoked: Bool {
        guard case .revoked = self else { return false }
        return true
    }
}

/// The reason that a certificate's revocation status is unknown.
public enum UnknownRevocation: String, Sendable, Hashable, CaseIterable {
    /// No list or response is about the certificate.
    case noInformation = "no-information"
    /// The evidence about the certificate is not current, not authentic, or does not cover every reason.
    case notUsable = "not-usable"
}
