//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

public import CertificatePath

/// Something to know of a chain besides the verdict: like a reason, but nothing is refused for it.
public struct TrustNote: Sendable, Hashable {
    /// What there is to know, with the evidence.
    public enum Fact: Sendable, Hashable {
        /// Certificates were sent in another order than each before its issuer; the order in which they should be sent, by
        /// their positions.
        case wrongOrder([Int])
        /// The first certificate is an authority's, and another one that was sent looks like the server's.
        case leafNotFirst(position: Int)
        /// Certificates were sent that issued no other of the chain, by their positions.
        case strangers([Int])
        /// Certificates were sent more than once, by the positions of the copies.
        case duplicates([Int])
        /// The path needs an issuer that was not sent and was fetched.
        case issuerFetched(url: String)
        /// The issuer was not sent, and the certificate says where it is.
        case issuerFetchable(url: String)
        /// The certificate promises that its server staples an OCSP response (RFC 7633), and a usable one is not at hand.
        case stapleMissing
        /// The serial number is zero, negative or longer than 20 octets.
        case serialNumber([UInt8])
        /// The server's key usage does not allow the signatures of TLS handshakes.
        case keyUsage(KeyUsage)
        /// A certificate of a public authority could not live as long.
        case lifetime(seconds: Int64, limit: LifetimeLimit)
        /// The certificate ends soon.
        case endsSoon(notAfter: Timestamp, seconds: Int64)
        /// The server's key is on P-521, with which Apple's systems offer no signature in TLS 1.3.
        case leafKeyNotOffered
        /// The server's certificate is an authority's.
        case leafIsAuthority
        /// Names of the server's certificate that stand for no host.
        case uselessNames([UncountedName])
        /// An expired cross-certificate was sent, and the path goes by the root itself.
        case expiredCrossCertificate(notAfter: Timestamp)
        /// An app's challenge handler cannot accept the server.
        case handlerCannotAccept
        /// The client's key is of a kind that Apple's systems are reported to sign no handshake with, in words.
        case clientKeyNotUsed(String)
        /// Apple's systems accept what was refused here, or what other validators refuse; by the codes of the rules.
        case appleIsLaxer([String])
        /// Apple's systems refuse what was accepted here, or what RFC 5280 accepts; by the codes of the rules.
        case appleIsStricter([String])
        /// The root is not in Apple's program; whether this machine's store has it, where that is known.
        case rootNotInProgram(isInMachineStore: Bool?)
        /// Whether enough logs have signed the certificate only newer data can tell.
        case logsUnknown
        /// What the server answered does not fit together, in a sentence, and what to do about it.
        case machinesDiffer(String, remedy: String)
        /// The server asks for a client certificate (RFC 8446 §4.3.2), which was not shown to it.
        case clientCertificateRequested
        /// What became of the identity of the client.
        case clientIdentity(ClientIdentityUse)
        /// The server chose a cipher suite that App Transport Security offers to no server.
        case suiteNotOffered(String)
        /// The name has more addresses than were asked.
        case addressesNotAsked(asked: Int, of: Int)
    }

    /// What there is to know, with the evidence.
    public let fact: Fact
    /// The certificate that it is about; `nil` where it is about the chain.
    public let certificate: Certificate?
    /// The place of that certificate on the path, from the leaf (0); `nil` where it is not on it.
    public let certificateIndex: Int?

    /// The subjects of the certificates whose positions it is about.
    private let subjects: [String]

    /// A note.
    ///
    /// - Parameters:
    ///   - fact: The fact.
    ///   - certificate: The certificate that it is about.
    ///   - index: The place of the certificate on the path.
    ///   - subjects: The subjects of certificates that the fact names by their positions.
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

    /// What there is to know, in one sentence.
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
            "The client's key is \(kind). This program signed with it. Apple's systems are reported not to, and their hello offers no signature of such keys."
        case .duplicates(let positions): "\(Self.certificates(positions)) was sent before."
        case .issuerFetched(let url):
            "The server does not send the issuer of \(name). It was fetched from \(url), as Apple's systems do. Clients that fetch nothing refuse the server."
        case .issuerFetchable(let url):
            "The issuer of \(name) was not sent. The certificate says that it is at \(url)."
        case .stapleMissing:
            "The certificate \(name) promises that its server staples an OCSP response (must-staple, RFC 7633), and a usable stapled response is not at hand."
        case .serialNumber(let octets):
            "The serial number of \(name), \(octets.colonedHexadecimal), is not a positive number of at most 20 octets."
        case .keyUsage(let usage):
            "The key usage of the server's certificate \(name) is \(usage.isEmpty ? "empty" : usage.names), without digitalSignature."
        case .lifetime(let seconds, let limit):
            "The certificate \(name) is valid for \(seconds.secondsInDays). One of a public authority may be valid for \(limit.maximumSeconds.secondsInDays) at most (\(limit.source))."
        case .endsSoon(let notAfter, let seconds):
            "The certificate \(name) ends on \(notAfter), \(Self.distance(seconds)) after the moment it was judged at."
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
        case .addressesNotAsked(let asked, let count): "The name has \(count) addresses. The first \(asked) were asked."
        }
    }

    /// What to do about it, in a sentence or two.
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

    /// The things to do, for programs.
    public var actions: [TrustRemedy.Action] {
        switch self.fact {
        case .rootNotInProgram(let isInMachineStore): isInMachineStore == true ? [.trustSystemRoots] : []
        default: self.kind.actions
        }
    }

    /// The section that is behind it, with its link; `nil` where no section is.
    public var rule: (section: String, link: String)? { self.kind.rule }

    /// The message and the advice.
    public var description: String { "\(self.message) \(self.advice)" }

    /// Positions as a person counts them, from 1.
    private static func numbers(_ positions: [Int]) -> String {
        let shown = positions.prefix(8).map { "\($0 + 1)" }.joined(separator: ", ")
        return positions.count > 8 ? "\(shown), …" : shown
    }

    /// Certificates by their subjects, with their positions.
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
