//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

extension TrustNote {
    /// The kinds of notes, with short, stable names for programs.
    ///
    /// Each case corresponds to a ``Fact``, which documents when the note occurs. The facts about a client identity have one kind
    /// for each outcome.
    public enum Kind: String, Sendable, Hashable, CaseIterable {
        /// The kind of ``Fact/wrongOrder(_:)``.
        case wrongOrder = "wrong-order"
        /// The kind of ``Fact/leafNotFirst(position:)``.
        case leafNotFirst = "leaf-not-first"
        /// The kind of ``Fact/strangers(_:)``.
        case strangers
        /// The kind of ``Fact/duplicates(_:)``.
        case duplicates
        /// The kind of ``Fact/issuerFetched(url:)``.
        case issuerFetched = "issuer-fetched"
        /// The kind of ``Fact/issuerFetchable(url:)``.
        case issuerFetchable = "issuer-fetchable"
        /// The kind of ``Fact/stapleMissing``.
        case stapleMissing = "staple-missing"
        /// The kind of ``Fact/stapleUnusable(_:)``.
        case stapleUnusable = "staple-unusable"
        /// The kind of ``Fact/serialNumber(_:)``.
        case serialNumber = "odd-serial-number"
        /// The kind of ``Fact/keyUsage(_:)``.
        case keyUsage = "leaf-key-usage"
        /// The kind of ``Fact/lifetime(seconds:limit:)``.
        case lifetime = "long-lifetime"
        /// ``Fact/endsSoon(_:_:)``
        case endsSoon = "ends-soon"
        /// The kind of ``Fact/leafKeyNotOffered``.
        case leafKeyNotOffered = "leaf-key-not-offered"
        /// The kind of ``Fact/leafIsAuthority``.
        case leafIsAuthority = "leaf-is-authority"
        /// The kind of ``Fact/uselessNames(_:)``.
        case uselessNames = "names-for-no-host"
        /// The kind of ``Fact/expiredCrossCertificate(notAfter:)``.
        case expiredCrossCertificate = "expired-cross-certificate"
        /// The kind of ``Fact/handlerCannotAccept``.
        case handlerCannotAccept = "handler-cannot-accept"
        /// The kind of ``Fact/clientKeyNotUsed(_:)``.
        case clientKeyNotUsed = "client-key-not-used"
        /// The kind of ``Fact/appleIsLaxer(_:)``.
        case appleIsLaxer = "apple-is-laxer"
        /// The kind of ``Fact/appleIsStricter(_:)``.
        case appleIsStricter = "apple-is-stricter"
        /// The kind of ``Fact/rootNotInProgram(isInMachineStore:)``.
        case rootNotInProgram = "root-not-in-program"
        /// The kind of ``Fact/logsUnknown``.
        case logsUnknown = "logs-unknown"
        /// The kind of ``Fact/machinesDiffer(_:remedy:)``.
        case machinesDiffer = "machines-differ"
        /// The kind of ``Fact/clientCertificateRequested``.
        case clientCertificateRequested = "client-certificate-requested"
        /// The kind of ``Fact/clientIdentity(_:)`` if the server asks for no certificate.
        case clientIdentityNotNeeded = "client-identity-not-needed"
        /// The kind of ``Fact/clientIdentity(_:)`` if the certificate was not sent.
        case clientIdentityNotSent = "client-identity-not-sent"
        /// The kind of ``Fact/clientIdentity(_:)`` if the server accepted the certificate.
        case clientIdentityAccepted = "client-identity-accepted"
        /// The kind of ``Fact/clientIdentity(_:)`` if the server refused the certificate.
        case clientIdentityRefused = "client-identity-refused"
        /// The kind of ``Fact/suiteNotOffered(_:)``.
        case suiteNotOffered = "cipher-suite-not-offered"
        /// ``Fact/publicLifetime(seconds:limit:)``
        case publicLifetime = "public-lifetime"
        /// ``Fact/applesPageOnTimestamps(_:)``
        case applesPageOnTimestamps = "apples-page-on-timestamps"
        /// ``Fact/clientAuthenticationMissing(_:)``
        case clientAuthenticationMissing = "client-auth-missing"
        /// The kind of ``Fact/addressesNotAsked(asked:of:)``.
        case addressesNotAsked = "addresses-not-asked"
    }

    /// The kind of the note.
    public var kind: Kind {
        switch self.fact {
        case .wrongOrder: .wrongOrder
        case .leafNotFirst: .leafNotFirst
        case .strangers: .strangers
        case .duplicates: .duplicates
        case .issuerFetched: .issuerFetched
        case .issuerFetchable: .issuerFetchable
        case .stapleMissing: .stapleMissing
        case .stapleUnusable: .stapleUnusable
        case .serialNumber: .serialNumber
        case .keyUsage: .keyUsage
        case .lifetime: .lifetime
        case .endsSoon: .endsSoon
        case .leafKeyNotOffered: .leafKeyNotOffered
        case .leafIsAuthority: .leafIsAuthority
        case .uselessNames: .uselessNames
        case .expiredCrossCertificate: .expiredCrossCertificate
        case .handlerCannotAccept: .handlerCannotAccept
        case .clientKeyNotUsed: .clientKeyNotUsed
        case .appleIsLaxer: .appleIsLaxer
        case .appleIsStricter: .appleIsStricter
        case .rootNotInProgram: .rootNotInProgram
        case .logsUnknown: .logsUnknown
        case .machinesDiffer: .machinesDiffer
        case .clientCertificateRequested: .clientCertificateRequested
        case .clientIdentity(.notNeeded): .clientIdentityNotNeeded
        case .clientIdentity(.notSent): .clientIdentityNotSent
        case .clientIdentity(.accepted): .clientIdentityAccepted
        case .clientIdentity(.refused): .clientIdentityRefused
        case .suiteNotOffered: .suiteNotOffered
        case .publicLifetime: .publicLifetime
        case .applesPageOnTimestamps: .applesPageOnTimestamps
        case .clientAuthenticationMissing: .clientAuthenticationMissing
        case .addressesNotAsked: .addressesNotAsked
        }
    }
}

extension TrustNote.Kind {
    /// The subject of the note, in a few words.
    public var title: String { self.row.title }

    /// The usual or recommended state, as one sentence.
    public var requirement: String { self.row.requirement }

    /// The general advice for this kind, in a sentence or two.
    public var advice: String { self.row.advice }

    /// The recommended actions, for programs. Empty if there is no action to take, or if the advice alone names it.
    public var actions: [TrustRemedy.Action] { self.row.actions }

    /// The section of a standard with its link, or `nil` if no standard covers the note.
    public var rule: (section: String, link: String)? { self.row.section.map { ($0.text, $0.link) } }

    package var isAboutClientIdentity: Bool {
        switch self {
        case .clientIdentityNotNeeded, .clientIdentityNotSent, .clientIdentityAccepted, .clientIdentityRefused: true
        default: false
        }
    }

    private struct Row {
        let title: String
        let requirement: String
        let advice: String
        var actions: [TrustRemedy.Action] = []
        var section: RuleSection?
    }

    private var row: Row {
        switch self {
        case .wrongOrder, .leafNotFirst:
            Row(
                title: "Certificates in the wrong order",
                requirement: "The server's certificate comes first, and each issuer follows.",
                advice: "Have the server send its own certificate first, and then each issuer in order.",
                section: .rfc(8446, "4.4.2"))
        case .strangers, .duplicates:
            Row(
                title: "Certificates that the chain does not need",
                requirement: "Each certificate that is sent issued another one of the chain, and is sent once.",
                advice: "Take them out of the server's chain: clients download them for nothing.",
                section: .rfc(8446, "4.4.2"))
        case .issuerFetched:
            Row(
                title: "The issuer had to be fetched", requirement: "The server sends every intermediate.",
                advice:
                    "Have the server send the whole chain: its own certificate and every intermediate, such as fullchain.pem of an ACME client.",
                actions: [.sendIntermediate], section: .rfc(5280, "4.2.2.1"))
        case .issuerFetchable:
            Row(
                title: "The issuer was not sent and can be fetched",
                requirement: "The server sends every intermediate.",
                advice:
                    "Have the server send it. Apple's systems and Windows fetch it. curl, OpenSSL, Java, Android and most other clients do not.",
                actions: [.sendIntermediate, .fetchIssuer],
                section: .rfc(5280, "4.2.2.1"))
        default: self.rowOfCertificates
        }
    }

    private var rowOfCertificates: Row {
        switch self {
        case .stapleMissing:
            Row(
                title: "A promised OCSP response is not at hand",
                requirement: "A server staples an OCSP response where its certificate promises one.",
                advice:
                    "Turn OCSP stapling on in the server. Where the certificate names no OCSP responder, as those of Let's Encrypt since 2025, have it issued without must-staple. Firefox, GnuTLS and others refuse the server, Apple's systems do not.",
                actions: [.staple, .reissue, .requireStaple],
                section: .rfc(7633, "4.3.1"))
        case .stapleUnusable:
            Row(
                title: "A stapled OCSP response does not count",
                requirement: "An OCSP response that a server staples is current, authentic and about its certificate.",
                advice:
                    "See that the server reaches its authority's OCSP responder, and gets a new response before the old one ends. If it staples a file, renew the file and reload the server.",
                actions: [.staple], section: .rfc(6066, "8"))
        case .serialNumber:
            Row(
                title: "An odd serial number",
                requirement: "The serial number is positive and has at most 20 octets.",
                advice: "Have the certificate issued with another serial number: strict validators refuse this one.",
                section: .rfc(5280, "4.1.2.2"))
        case .keyUsage:
            Row(
                title: "The server's key may not sign handshakes",
                requirement: "The key usage of a server's certificate, if it has one, has digitalSignature.",
                advice:
                    "Have the certificate issued with digitalSignature: TLS 1.3, and TLS 1.2 with ephemeral keys, need it. SecTrust does not look at it. TLS clients do, and so do the commands that connect.",
                section: .rfc(8446, "4.4.2.2"))
        case .lifetime:
            Row(
                title: "A lifetime that no public authority gives",
                requirement: "A server's certificate lives no longer than public authorities may let it.",
                advice: "Nothing has to be done below a root of your own. A public authority does not issue it.",
                section: .baseline("6.3.2"))
        case .endsSoon:
            Row(
                title: "A certificate ends soon",
                requirement: "A quarter of the life or 30 days are left, or what another threshold asks for.",
                advice: "Renew it in time, or ask its authority for the successor.", section: .rfc(5280, "4.1.2.5"))
        case .publicLifetime:
            Row(
                title: "A lifetime that public authorities may not issue any more",
                requirement:
                    "A public server's certificate lives at most 200 days since 2026-03-15, 100 days from 2027-03-15 on, and 47 days from 2029-03-15 on.",
                advice:
                    "Have the certificate issued again for a shorter time, and renew it with an ACME client. The authority may have to revoke this one.",
                actions: [.reissue], section: .baseline("6.3.2"))
        case .applesPageOnTimestamps:
            Row(
                title: "Timestamps that Apple's published policy does not count",
                requirement:
                    "One timestamp is of a log of RFC 6962, and one of each operator counts, or two of each where the certificate lives more than 180 days.",
                advice:
                    "Nothing has to be done for Apple's systems of today. To be safe, have the certificate issued with timestamps of logs of more operators, one of them of RFC 6962.",
                section: .applesTransparencyPage)
        case .leafKeyNotOffered:
            Row(
                title: "A server's key on P-521",
                requirement: "The server's key is of RSA, or on P-256 or P-384.",
                advice: "Use a key on P-256, on P-384 or of RSA: the chain is trusted, and the handshake fails.",
                section: .rfc(8446, "4.2.3"))
        case .leafIsAuthority:
            Row(
                title: "An authority's certificate as a server's",
                requirement: "A server's certificate is not an authority's.",
                advice: "Have the server send a certificate of its own, issued by the authority.",
                section: .baseline("7.1.2.7.8"))
        case .uselessNames:
            Row(
                title: "Names that stand for no host", requirement: "Each name of a certificate stands for a host.",
                advice: "Leave them out when the certificate is issued again.", section: .rfc(9525, "6.3"))
        case .expiredCrossCertificate:
            Row(
                title: "An expired cross-certificate was sent",
                requirement: "No certificate that the server sends has expired.",
                advice: "Take it out of what the server sends.", section: .rfc(5280, "4.1.2.5"))
        default: self.rowOfPrograms
        }
    }

    private var rowOfPrograms: Row {
        switch self {
        case .appleIsLaxer:
            Row(
                title: "Apple's systems accept what others refuse",
                requirement: "Apple's systems and validators that keep RFC 5280 agree.",
                advice: "See that clients other than Apple's accept it, too.")
        case .appleIsStricter:
            Row(
                title: "Apple's systems refuse what others accept",
                requirement: "Apple's systems and validators that keep RFC 5280 agree.",
                advice: "Meet Apple's own requirements, too: the reasons name them.")
        case .rootNotInProgram:
            Row(
                title: "The root is not in Apple's program", requirement: "A public root is in Apple's program.",
                advice: "Apple's devices trust a root once it is installed on them.", actions: [.trustSystemRoots],
                section: .rfc(5280, "6.1"))
        case .machinesDiffer:
            Row(
                title: "Answers of different machines", requirement: "All machines of a server answer alike.",
                advice: "Set up all machines behind the address alike.")
        case .clientCertificateRequested:
            Row(
                title: "A client certificate is asked for",
                requirement: "A server that asks for no client certificate serves every client.",
                advice:
                    "See that apps have such a certificate, if the server insists on one. App Transport Security has no rule about it.",
                section: .rfc(8446, "4.3.2"))
        case .handlerCannotAccept:
            Row(
                title: "An app's handler cannot accept the server",
                requirement: "The system trusts the server, where App Transport Security holds for its name.",
                advice:
                    "Use a certificate of a trusted authority, install the root on the devices by a profile, or write an exception for the domain into the app's Info.plist. Addresses, names below .local and names without a dot are exempt where NSAllowsLocalNetworking is true."
            )
        case .clientKeyNotUsed:
            Row(
                title: "A client's key that Apple's systems do not use",
                requirement: "A client's key is of RSA, or on P-256 or P-384.",
                advice: "Give clients a key on P-256, on P-384 or of RSA.", section: .rfc(8446, "4.2.3"))
        case .clientAuthenticationMissing:
            Row(
                title: "A client certificate without clientAuth",
                requirement: "The extended key usage of a client's certificate, if it has one, names clientAuth.",
                advice:
                    "Have a private authority issue the client certificate with clientAuth, and have the server trust that authority. Public authorities stopped issuing clientAuth in 2026.",
                actions: [.reissue], section: .rfc(5280, "4.2.1.12"))
        case .clientIdentityNotNeeded:
            Row(
                title: "The client certificate is not needed",
                requirement: "A client certificate is given for a server that asks for one.",
                advice: "Give no client certificate, or have the server ask for one.", actions: [.omitIdentity],
                section: .rfc(8446, "4.3.2"))
        case .clientIdentityNotSent:
            Row(
                title: "The client certificate was not sent",
                requirement: "A client certificate is sent to a trusted server that asks for one of its kind.",
                advice: "Have the server trusted first, and give a certificate that it takes.",
                section: .rfc(8446, "4.4.2"))
        case .clientIdentityAccepted:
            Row(
                title: "The handshake with the client certificate was completed",
                requirement: "A server that takes a client certificate completes the handshake.",
                advice: "Nothing is to be done. Some servers complete the handshake and refuse the request after it.",
                section: .rfc(8446, "4.4.2"))
        case .clientIdentityRefused:
            Row(
                title: "The client certificate was refused",
                requirement: "A server that takes a client certificate completes the handshake.",
                advice:
                    "Have the server trust the authority of the client certificate, and check the certificate's dates, its purpose, and that its intermediates are sent with it.",
                section: .rfc(8446, "4.4.2.4"))
        case .suiteNotOffered:
            Row(
                title: "A cipher suite that App Transport Security does not offer",
                requirement: "The server chooses a cipher suite with forward secrecy.",
                advice: "Enable TLS 1.3, or ECDHE with AES-GCM, at the server.", section: .rfc(9325, "4.2"))
        case .addressesNotAsked:
            Row(
                title: "Not every address was asked", requirement: "Each address of a name answers alike.",
                advice: "Ask the others, one by one.", actions: [.askAddress])
        default:
            Row(
                title: "The logs are not known here",
                requirement: "Apple's data at hand know the logs that signed the certificate.",
                advice: "Update the data.", actions: [.updateData])
        }
    }
}
