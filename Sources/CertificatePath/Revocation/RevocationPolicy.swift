//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// Whether and how revocation is checked, and with what.
///
/// Everything is given: nothing is fetched. A list or response that nothing on the path asks for is ignored.
public struct RevocationPolicy: Sendable, Hashable {
    /// What becomes of a certificate whose status cannot be told.
    public enum Mode: String, Sendable, Hashable, CaseIterable {
        /// Lists and responses are not looked at.
        case off
        /// Only what is shown to be revoked is refused.
        case soft
        /// The leaf needs a current answer that it is not revoked; of the others, only what is shown to be revoked is
        /// refused. What Apple means by `kSecRevocationRequirePositiveResponse`.
        case leaf
        /// Every certificate below the anchor needs a current answer that it is not revoked.
        case hard
    }

    /// What becomes of a certificate whose status cannot be told. Setting it asks for revocation to be checked: see
    /// ``fetchesWhatIsMissing``.
    public var mode: Mode { didSet { self.fetchesWhatIsMissing = true } }
    /// Whether an evaluation that may fetch looks for what is not at hand. Not so for ``atHand`` alone; the mode
    /// ``Mode/off`` fetches nothing either.
    public var fetchesWhatIsMissing: Bool
    /// The ways revocation is checked; what belongs to another way is not looked at.
    public var methods: RevocationMethods
    /// Whether lists are asked before OCSP responses: which are fetched first, and which give the reason where both say that
    /// a certificate is revoked. What is at hand of either kind counts all the same.
    public var prefersLists: Bool
    /// Revocation lists: complete, delta or indirect ones, in any order.
    public var lists: [CertificateList]
    /// OCSP responses from anywhere but the server's handshake, in any order.
    public var responses: [OCSPResponse]
    /// OCSP responses that were asked for here, with the nonces of the questions.
    public var requestedResponses: [RequestedOCSPResponse]
    /// OCSP responses the server sent in its handshake (RFC 6066 §8). Only these are what ``enforcesTLSFeature`` asks for.
    public var stapledResponses: [OCSPResponse]
    /// Whether a leaf that promises stapled responses is refused without a valid and current one that it is good, and
    /// authorities that promise features need them of what they issue (RFC 7633). Holds in every ``mode``.
    public var enforcesTLSFeature: Bool
    /// Whether a response clears a certificate only if it repeats the nonce it was asked with (RFC 9654). Stapled and
    /// supplied responses then clear nothing; a stapled one still keeps the promise of RFC 7633.
    public var requiresNonce: Bool
    /// How old lists and responses may be that clear a certificate; `nil` for the profile's limits.
    public var ageLimits: RevocationAgeLimits?

    /// No checking, not even of what is at hand.
    public static let off = RevocationPolicy(.off)

    /// What is at hand counts: a certificate that it shows to be revoked is refused. Nothing has to be at hand, and nothing
    /// is fetched. The default everywhere, as Apple evaluates stapled responses whatever the policies are
    /// (SecRevocationServer.c `SecORVCProcessStapledResponses`).
    public static let atHand: RevocationPolicy = {
        var policy = RevocationPolicy(.soft)
        policy.fetchesWhatIsMissing = false
        return policy
    }()

    /// A policy.
    ///
    /// - Parameters:
    ///   - mode: What becomes of a certificate whose status cannot be told.
    ///   - lists: Revocation lists.
    ///   - responses: OCSP responses from anywhere but the server's handshake.
    ///   - stapledResponses: OCSP responses from the server's handshake.
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

    /// Whether nothing is checked, or nothing is at hand and nothing asked for: most evaluations, which pay nothing for it.
    var isOff: Bool {
        guard !self.enforcesTLSFeature else { return false }
        return self.mode == .off || (self.mode == .soft && self.hasNothing)
    }

    private var hasNothing: Bool {
        self.lists.isEmpty && self.responses.isEmpty && self.requestedResponses.isEmpty && self.stapledResponses.isEmpty
    }

    /// See ``ValidationRequest/orderEvidence()``.
    mutating func orderEvidence() {
        if self.lists.count > 1 { self.lists = Self.ordered(self.lists, \.bytes) }
        if self.responses.count > 1 { self.responses = Self.ordered(self.responses, \.bytes) }
        if self.stapledResponses.count > 1 { self.stapledResponses = Self.ordered(self.stapledResponses, \.bytes) }
        if self.requestedResponses.count > 1 {
            self.requestedResponses.sort { $0.response.bytes.lexicographicallyPrecedes($1.response.bytes) }
        }
    }

    /// Whether there is no second document of a kind.
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

    /// The size of everything at hand.
    var octets: Int {
        self.lists.reduce(0) { $0 + $1.bytes.count } + self.responses.reduce(0) { $0 + $1.bytes.count }
            + self.stapledResponses.reduce(0) { $0 + $1.bytes.count }
            + self.requestedResponses.reduce(0) { $0 + $1.response.bytes.count }
    }

    /// Every response, and whether it may clear a certificate.
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

/// The ways revocation is checked.
public struct RevocationMethods: OptionSet, Sendable, Hashable {
    /// One bit for each way.
    public let rawValue: UInt8

    /// A set of ways.
    public init(rawValue: UInt8) { self.rawValue = rawValue }

    /// OCSP responses (RFC 6960).
    public static let ocsp = RevocationMethods(rawValue: 1 << 0)
    /// Revocation lists (RFC 5280 §5).
    public static let lists = RevocationMethods(rawValue: 1 << 1)
    /// Every way.
    public static let all: RevocationMethods = [.ocsp, .lists]
}

/// An OCSP response and the question it should answer.
public struct RequestedOCSPResponse: Sendable, Hashable {
    /// The response.
    public var response: OCSPResponse
    /// The nonce that was asked with; `nil` when there was none.
    public var nonce: [UInt8]?

    /// A response to a question.
    public init(_ response: OCSPResponse, to request: OCSPRequest) {
        self.response = response
        self.nonce = request.nonce
    }

    /// RFC 9654 §2.1: a responder may leave the nonce out, unless one is required; another nonce is a replay.
    func isAnswer(requiringNonce: Bool) -> Bool {
        guard !self.response.fields.extensions.hasMalformedNonce else { return false }
        guard let nonce = self.nonce else { return !requiringNonce }
        return self.response.nonce.map { $0 == nonce } ?? !requiringNonce
    }
}

/// A response, and whether it may clear a certificate or only tell that it is revoked.
struct OCSPEvidence {
    let response: OCSPResponse
    let mayClear: Bool
}

/// What is known of one certificate's revocation.
public enum RevocationStatus: Sendable, Hashable {
    /// It is shown not to be revoked.
    case good
    /// Its issuer revoked it.
    case revoked(RevocationReason, Timestamp)
    /// Nothing that counts is known.
    case unknown(UnknownRevocation)

    var isRevoked: Bool {
        guard case .revoked = self else { return false }
        return true
    }
}

/// Why a certificate's revocation status cannot be told.
public enum UnknownRevocation: String, Sendable, Hashable, CaseIterable {
    /// No list or response is about the certificate.
    case noInformation = "no-information"
    /// What there is about it is not current, not authentic, or does not cover every reason.
    case notUsable = "not-usable"
}
