//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

public import CertificatePath

/// A note about a chain: a fact that, unlike a reason, does not affect the verdict.
///
/// ``TrustResult/notes`` returns the notes of an evaluation. The description has the message and the advice for people. ``code``
/// and ``actions`` are for programs.
public struct TrustNote: Sendable, Hashable {
    /// The facts that a note can report, with their evidence.
    public enum Fact: Sendable, Hashable {
        /// The certificates were not sent in the order of the path, each before its issuer. The value is the right order of their
        /// positions.
        case wrongOrder([Int])
        /// The first certificate is an authority's, and the one at this position looks like the server's.
        case leafNotFirst(position: Int)
        /// The certificates at these positions issued no other certificate of the chain.
        case strangers([Int])
        /// The certificates at these positions were sent before.
        case duplicates([Int])
        /// The path needs an issuer that was not sent and that was fetched from this URL.
        case issuerFetched(url: String)
        /// The issuer was not sent, and the certificate names this URL for it.
        case issuerFetchable(url: String)
        /// The certificate promises that its server staples an OCSP response (RFC 7633), and no usable one is available.
        case stapleMissing
        /// The server staples an OCSP response that does not count. The value names the reason.
        case stapleUnusable(TrustEvidence.Item)
        /// The serial number is zero, negative or longer than 20 octets.
        case serialNumber([UInt8])
        /// The key usage of the server's certificate does not allow the signatures of TLS handshakes.
        case keyUsage(KeyUsage)
        /// The lifetime is longer than that of any certificate of a public authority.
        case lifetime(seconds: Int64, limit: LifetimeLimit)
        /// The certificate ends soon, by the configuration's ``TrustConfiguration/expiryThreshold``.
        case endsSoon(CertificateLife, ExpiryLevel)
        /// The server's key is on P-521, with which Apple's systems offer no signature in TLS 1.3.
        case leafKeyNotOffered
        /// The server's certificate is an authority's.
        case leafIsAuthority
        /// The server's certificate has names that match no host.
        case uselessNames([UncountedName])
        /// The server sent an expired cross-certificate, and the path uses the root itself.
        case expiredCrossCertificate(notAfter: Timestamp)
        /// An app's challenge handler cannot accept the server.
        case handlerCannotAccept
        /// The client's key is of a kind with which Apple's systems are reported to sign no handshake. The text names the kind.
        case clientKeyNotUsed(String)
        /// Apple's rules accept the chain, and these rules of RFC 5280, or of this library's Apple profile, refuse it.
        case appleIsLaxer([String])
        /// These rules of Apple's refuse the chain, and RFC 5280 accepts it.
        case appleIsStricter([String])
        /// The root is not in Apple's program. The value says if this machine's store has the root, or is `nil` if that is not
        /// known.
        case rootNotInProgram(isInMachineStore: Bool?)
        /// The number of logs that signed the certificate is unknown here, as newer data may know more logs.
        case logsUnknown
        /// The answers of the server contradict each other. The texts are the contradiction, in a sentence, and the remedy.
        case machinesDiffer(String, remedy: String)
        /// The server asks for a client certificate (RFC 8446 §4.3.2), and none was sent.
        case clientCertificateRequested
        /// The outcome of the client identity.
        case clientIdentity(ClientIdentityUse)
        /// The server chose this cipher suite, which App Transport Security never offers.
        case suiteNotOffered(String)
        /// A server's certificate lives longer than public authorities may issue it for since a date, and Apple's systems accept
        /// it. The seconds count both ends of the validity.
        case publicLifetime(seconds: Int64, limit: LifetimeLimit)
        /// The timestamps suffice for Apple's systems, and not for the policy that Apple has published.
        case applesPageOnTimestamps(TransparencyPageGap)
        /// The client's certificate names uses, and clientAuth is none of them; the uses.
        case clientAuthenticationMissing(String)
        /// The name has more addresses than were contacted.
        case addressesNotAsked(asked: Int, of: Int)
    }

    /// The fact, with its evidence.
    public let fact: Fact
    /// The certificate that the note is about, or `nil` if it is about the chain.
    public let certificate: Certificate?
    /// The index of that certificate on the path, 0 for the leaf, or `nil` if it is not on the path.
    public let certificateIndex: Int?

    /// The subjects of the certificates that the fact names by position.
    private let subjects: [String]

    package init(
        _ fact: Fact, about certificate: Certificate? = nil, at index: Int? = nil, subjects: [String] = []
    ) {
        self.fact = fact
        self.certificate = certificate
        self.certificateIndex = index
        self.subjects = subjects
    }
}

// MARK: - Text

extension TrustNote: CustomStringConvertible {
    /// A short, stable name for programs.
    public var code: String { self.kind.rawValue }

    /// The fact, in one or two sentences.
    public var message: String {
        let name = "“\(self.certificate?.subjectSummary ?? "")”"
        return switch self.fact {
        case .wrongOrder(let order):
            "The certificates are not sent in the order of the path. The right order is \(Self.numbers(order))."
        case .leafNotFirst(let position):
            "The first certificate, \(name), is an authority's. Certificate \(position + 1) looks like the server's."
        case .strangers(let positions):
            "\(self.named(positions)) issued no certificate of the path."
        case .leafKeyNotOffered:
            "The key of \(name) is on P-521. Apple's systems offer no signature of such a key in TLS 1.3."
        case .leafIsAuthority:
            "The server's certificate \(name) is an authority's. Public authorities must not issue such to servers, and some clients refuse them."
        case .uselessNames(let names):
            "Names of \(name) stand for no host: \(names.prefix(4).map(\.description).joined(separator: ", "))."
        case .expiredCrossCertificate(let notAfter):
            "The server sends a cross-certificate of \(name), which expired on \(notAfter). The path goes by the root itself. Clients that do not have this root, or follow the cross-certificate, refuse the server."
        case .handlerCannotAccept:
            "An app's own challenge handler cannot accept this server: for a full name, App Transport Security asks for the system's trust, whatever the handler says (“ATS failed system trust”)."
        case .clientKeyNotUsed(let kind):
            "The client's key is \(kind). This program signs with it. Apple's systems are reported not to, and their hello offers no signature of such keys."
        case .duplicates(let positions):
            "\(self.named(positions)) \(positions.count == 1 ? "was" : "were") sent before."
        case .issuerFetched(let url):
            "The server does not send \(self.issuer), the issuer of \(name). It was fetched from \(url), as Apple's systems do. Clients that fetch nothing refuse the server: curl, OpenSSL, Java, Android and most others."
        case .issuerFetchable(let url):
            "\(self.issuer), the issuer of \(name), was not sent. The certificate says that it is at \(url)."
        case .stapleMissing:
            "The certificate \(name) promises that its server staples an OCSP response (must-staple, RFC 7633), and a usable stapled response is not at hand."
                + (self.certificate?.view.ocspURLs.isEmpty == true ? " It names no responder that could give one." : "")
        case .stapleUnusable(let item):
            "The server staples an OCSP response that does not count for \(name): \(item.clause ?? item.message). \(self.promise)"
        case .serialNumber(let octets):
            "The serial number of \(name), \(octets.colonedHexadecimal), is not a positive number of at most 20 octets."
        case .keyUsage(let usage):
            "The key usage of the server's certificate \(name) is \(usage.isEmpty ? "empty" : usage.names), without digitalSignature."
        case .lifetime(let seconds, let limit):
            "The certificate \(name) is valid for \(seconds.secondsInDays). One of a public authority may be valid for \(limit.maximumSeconds.secondsInDays) at most (\(limit.source))."
        case .endsSoon(let life, let level):
            "The certificate \(name) ends on \(life.notAfter), \(Self.distance(life.secondsLeft)) after the moment of the evaluation. \(life.percentLeft) % of its life is left (\(level.rawValue))."
        case .appleIsLaxer(let codes):
            "Apple's systems accept the chain. Validators that keep RFC 5280 refuse it (\(codes.joined(separator: ", ")))."
        case .appleIsStricter(let codes):
            "Apple's systems refuse the chain (\(codes.joined(separator: ", "))). Validators that keep RFC 5280 accept it."
        case .rootNotInProgram(true?):
            "The root \(name) is not in Apple's program. This machine's store has it."
        case .rootNotInProgram(false?): "The root \(name) is in neither Apple's program nor this machine's store."
        case .rootNotInProgram(nil): "The root \(name) is not in Apple's program."
        case .logsUnknown:
            "Whether enough logs have signed the certificate is not known: newer data of Apple's may know its logs."
        case .machinesDiffer(let sentence, _): sentence
        case .clientCertificateRequested: "The server asks for a client certificate."
        case .clientIdentity(let use): use.message
        case .suiteNotOffered(let suite):
            "The server chose \(suite), which App Transport Security does not offer: an app connects only if the server takes another suite, too."
        case .publicLifetime(let seconds, let limit):
            "The certificate \(name) is valid for \(seconds.secondsInDays). \(limit.source). Apple's systems accept it."
        case .applesPageOnTimestamps(let gap):
            "Apple's systems accept the timestamps of \(name). The policy that Apple has published asks for more: \(gap.message)."
        case .clientAuthenticationMissing(let usages):
            "The client certificate \(name) is for \(usages), and not for clientAuth. Servers that check its purpose refuse it."
        case .addressesNotAsked(let asked, let count): "The name has \(count) addresses. The first \(asked) were asked."
        }
    }

    /// The advice, in a sentence or two.
    public var advice: String {
        switch self.fact {
        case .endsSoon:
            self.certificateIndex == 0 ? "Renew it in time." : "Ask the authority for its successor in time."
        case .rootNotInProgram: "Apple's devices trust it once it is installed on them."
        case .machinesDiffer(_, let remedy): remedy
        case .clientIdentity(.notSent(let reason)): reason.advice
        default: self.kind.advice
        }
    }

    /// The recommended actions, for programs.
    public var actions: [TrustRemedy.Action] {
        switch self.fact {
        case .rootNotInProgram(let isInMachineStore): isInMachineStore == true ? [.trustSystemRoots] : []
        default: self.kind.actions
        }
    }

    /// The section of a standard with its link, or `nil` if no standard covers the note.
    public var rule: (section: String, link: String)? { self.kind.rule }

    /// The message, followed by the advice.
    public var description: String { "\(self.message) \(self.advice)" }

    /// The effect of a stapled response that does not count.
    private var promise: String {
        self.certificate?.view.promisesStapledResponse == true
            ? "The certificate promises a usable one (must-staple, RFC 7633): Firefox and others refuse the server, and Apple's systems do not."
            : "Apple's systems pass over it."
    }

    private var issuer: String { "“\(self.certificate?.issuer ?? "")”" }

    /// Returns positions as people count them, from 1.
    private static func numbers(_ positions: [Int]) -> String {
        let shown = positions.prefix(8).map { "\($0 + 1)" }.joined(separator: ", ")
        return positions.count > 8 ? "\(shown), …" : shown
    }

    /// Returns the subjects of certificates with their positions.
    private func named(_ positions: [Int]) -> String {
        guard !self.subjects.isEmpty else { return Self.certificates(positions) }
        let names = self.subjects.prefix(4).map { "“\($0)”" }.joined(separator: ", ")
        let (more, isOne) = (self.subjects.count > 4 ? ", …" : "", positions.count == 1)
        return "Of the certificates that were sent, \(names)\(more) (\(isOne ? "number" : "numbers") "
            + "\(Self.numbers(positions)))"
    }

    private static func certificates(_ positions: [Int]) -> String {
        positions.count == 1
            ? "Certificate \(Self.numbers(positions)) of those that were sent"
            : "Of the certificates that were sent, each of numbers \(Self.numbers(positions))"
    }

    private static func distance(_ seconds: Int64) -> String {
        let days = seconds / 86_400
        return days == 0 ? "less than a day" : days == 1 ? "1 day" : "\(days) days"
    }
}
