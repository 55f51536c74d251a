//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// The question whether a certificate belongs to the peer a client means to reach (RFC 9525 §6, with Apple's answers
/// where it leaves a choice).
///
/// Only the subject alternative name speaks; the common name never does (RFC 9525 §2). Made once per connection: the
/// reference is validated here, so that ``match(_:)`` only compares octets and allocates nothing when a certificate
/// matches. Public suffixes are consulted where a wildcard is the only match.
public struct ServerIdentity: Sendable {
    /// Why the reference can never match; `nil` when it can.
    public let invalidReference: InvalidReferenceIdentity?
    let target: Target
    private let publicSuffixes: PublicSuffixList?

    enum Target: Sendable {
        /// A DNS name; wildcards are compared with what follows its first label, when the name has enough labels.
        case domain([UInt8], belowWildcard: ByteRange?)
        case address(IPAddress)
        /// A mailbox in the form that equal ones share.
        case mailbox([UInt8])
        case nothing
    }

    /// An identity to look for.
    ///
    /// - Parameters:
    ///   - reference: What to look for. One that was not made by ``ReferenceIdentity/init(host:)`` and is not of the
    ///     form its case asks for matches no certificate.
    ///   - publicSuffixes: Domains a wildcard must not stand directly below. Without a list wildcards are allowed below
    ///     all domains but the top-level ones, as on Apple's systems when theirs cannot be loaded.
    public init(_ reference: ReferenceIdentity, publicSuffixes: PublicSuffixList?) {
        self.publicSuffixes = publicSuffixes
        do {
            self.target = try Self.target(for: reference)
            self.invalidReference = nil
        } catch {
            self.target = .nothing
            self.invalidReference = error
        }
    }

    /// An identity to look for, from a host as it was typed; text that is no host matches no certificate, and
    /// ``invalidReference`` says why.
    public init(host: String, publicSuffixes: PublicSuffixList?) {
        do {
            self.init(try ReferenceIdentity(host: host), publicSuffixes: publicSuffixes)
        } catch {
            self.init(neverMatching: error)
        }
    }

    private init(neverMatching error: InvalidReferenceIdentity) {
        self.target = .nothing
        self.invalidReference = error
        self.publicSuffixes = nil
    }

    /// Whether a certificate names a reference identity; see ``match(_:)``.
    public static func matches(
        certificate: CertificateView, reference: ReferenceIdentity, publicSuffixes: PublicSuffixList?
    ) -> ServerIdentityMatch {
        ServerIdentity(reference, publicSuffixes: publicSuffixes).match(certificate)
    }

    /// Whether a certificate names the identity, and when it does not, what it names instead.
    public func match(_ certificate: CertificateView) -> ServerIdentityMatch {
        if self.isNamed(by: certificate) { return .match }
        return .mismatch(
            presented: PresentedIdentities(certificate, sought: self.target, publicSuffixes: self.publicSuffixes)
        )
    }

    private func isNamed(by certificate: CertificateView) -> Bool {
        let bytes = certificate.bytes
        let names = certificate.fields.extensions.subjectAlternativeName
        do {
            return try self.isNamed(by: names, in: bytes.span)
        } catch {
            // Parsing read these names already; should they be unreadable after all, they name no host.
            return false
        }
    }

    private func isNamed(by names: ByteRange, in bytes: Span<UInt8>) throws(DERError) -> Bool {
        var reader = DERReader(names, in: bytes)
        var (isNamed, isCoveredByWildcard) = (false, false)
        while !reader.isAtEnd {
            let name = try reader.generalName(in: bytes)
            switch (self.target, name.form) {
            case (.domain(let domain, let rest), .dNSName):
                // One dNSName that is not UTF-8 voids all of them, as for Apple.
                guard Self.isText(name.content, in: bytes) else { return false }
                switch Self.coverage(of: domain, belowWildcard: rest, by: name.content, in: bytes) {
                case .exact: isNamed = true
                case .wildcard: isCoveredByWildcard = true
                case .none: continue
                }
            case (.address(let address), .iPAddress):
                // One iPAddress of another size voids all of them, as for Apple.
                guard let presented = IPAddress(name.content, in: bytes) else { return false }
                isNamed = isNamed || presented == address
            case (.mailbox(let mailbox), .rfc822Name):
                isNamed = isNamed || Mailbox(name.content, in: bytes)?.canonical(in: bytes) == mailbox
            default: continue
            }
        }
        return isNamed || (isCoveredByWildcard && self.target.mayHaveWildcard(self.publicSuffixes))
    }

    /// How a presented name covers a domain.
    enum Coverage { case none, wildcard, exact }

    /// Whether a presented name is the domain, or a wildcard for its first label. The domain has the shape of a DNS
    /// name, so that whatever equals it has too.
    static func coverage(
        of domain: [UInt8], belowWildcard rest: ByteRange?, by presented: ByteRange, in bytes: Span<UInt8>
    ) -> Coverage {
        let whole = ByteRange(0, domain.count)
        if DomainName.areEqual(presented, in: bytes, whole, in: domain.span) { return .exact }
        guard let rest, presented.count == rest.count &+ 2 else { return .none }
        let start = presented.lowerBound
        guard bytes[start] == UInt8(ascii: "*"), bytes[start &+ 1] == UInt8(ascii: ".") else { return .none }
        let tail = ByteRange(start &+ 2, presented.upperBound)
        return DomainName.areEqual(tail, in: bytes, rest, in: domain.span) ? .wildcard : .none
    }

    static func isText(_ range: ByteRange, in bytes: Span<UInt8>) -> Bool {
        guard range.upperBound <= bytes.count else { return false }
        let octets = bytes.extracting(range.lowerBound..<range.upperBound)
        var union: UInt8 = 0
        for index in octets.indices { union |= octets[index] }
        return union < 0x80 || String(validating: octets.indices.map { octets[$0] }, as: UTF8.self) != nil
    }
}

extension ServerIdentity {
    private static func target(for reference: ReferenceIdentity) throws(InvalidReferenceIdentity) -> Target {
        switch reference {
        case .ipAddress(let address): return .address(address)
        case .rfc822Name(let text):
            let octets = Array(text.utf8)
            guard let mailbox = Mailbox(ByteRange(0, octets.count), in: octets.span) else {
                throw InvalidReferenceIdentity(.notAMailbox, host: text)
            }
            return .mailbox(mailbox.canonical(in: octets.span))
        case .dnsName(let text):
            let name = Array(text.utf8)
            let shape = DomainName(ByteRange(0, name.count), in: name.span)
            if let reason = ReferenceIdentity.problem(with: name, of: shape) {
                throw InvalidReferenceIdentity(reason, host: text)
            }
            // A wildcard for the first label must be followed by the rest; a name with too few labels takes no wildcard
            // (SecPolicyLeafCallbacks.c, `SecDNSMatch`).
            return .domain(name, belowWildcard: shape.flatMap { $0.labels > 2 ? $0.parent : nil })
        }
    }
}

extension ServerIdentity.Target {
    /// Whether a wildcard may stand for the first label of a domain: not directly below a public suffix.
    func mayHaveWildcard(_ publicSuffixes: PublicSuffixList?) -> Bool {
        guard case .domain(let name, let rest?) = self else { return false }
        guard let publicSuffixes else { return true }
        return !publicSuffixes.isPublicSuffix(String(decoding: name.slice(rest), as: UTF8.self))
    }
}
