//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// The identity of the server that a client means to reach, for comparison with the names in its certificate.
///
/// The comparison follows RFC 9525 §6, and Apple where the RFC leaves a choice. Only the subject alternative name
/// counts, never the common name (RFC 9525 §2). Create one identity for each connection. The reference is validated
/// here, so ``match(_:)`` only compares octets and allocates nothing if a certificate matches. Public suffixes are
/// consulted only if a wildcard is the only match.
///
/// ```swift
/// let identity = ServerIdentity(host: "example.com", publicSuffixes: nil)
/// let isServer = identity.match(certificate).isMatch
/// ```
public struct ServerIdentity: Sendable {
    /// The reason that the reference can never match, or `nil` if it is valid.
    public let invalidReference: InvalidReferenceIdentity?
    let target: Target
    private let publicSuffixes: PublicSuffixList?

    enum Target: Sendable {
        /// A DNS name. Wildcards are compared with the part after its first label, if the name has enough labels.
        case domain([UInt8], belowWildcard: ByteRange?)
        case address(IPAddress)
        /// A mailbox in canonical form, which is equal for equal mailboxes.
        case mailbox([UInt8])
        case nothing
    }

    /// Creates an identity from a reference.
    ///
    /// - Parameters:
    ///   - reference: The sought name or address. A malformed reference, not made by
    ///     ``ReferenceIdentity/init(host:)``, matches no certificate.
    ///   - publicSuffixes: The domains directly below which a wildcard must not match. Without a list, wildcards match
    ///     below all domains except top-level ones, as on Apple's systems if their list cannot be loaded.
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

    /// Creates an identity from a host as the user typed it. A host that is not valid matches no certificate, and
    /// ``invalidReference`` has the reason.
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

    /// Compares a certificate with a reference identity, like ``match(_:)``.
    public static func matches(
        certificate: CertificateView, reference: ReferenceIdentity, publicSuffixes: PublicSuffixList?
    ) -> ServerIdentityMatch {
        ServerIdentity(reference, publicSuffixes: publicSuffixes).match(certificate)
    }

    /// Compares a certificate with the identity. If they do not match, the result has the names in the certificate.
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
            // Parsing has read these names. If one is unreadable here, the certificate does not match.
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
                // One dNSName that is not UTF-8 voids all of them, as Apple does.
                guard Self.isText(name.content, in: bytes) else { return false }
                switch Self.coverage(of: domain, belowWildcard: rest, by: name.content, in: bytes) {
                case .exact: isNamed = true
                case .wildcard: isCoveredByWildcard = true
                case .none: continue
                }
            case (.address(let address), .iPAddress):
                // One iPAddress of another size voids all of them, as Apple does.
                guard let presented = IPAddress(name.content, in: bytes) else { return false }
                isNamed = isNamed || presented == address
            case (.mailbox(let mailbox), .rfc822Name):
                isNamed = isNamed || Mailbox(name.content, in: bytes)?.canonical(in: bytes) == mailbox
            default: continue
            }
        }
        return isNamed || (isCoveredByWildcard && self.target.mayHaveWildcard(self.publicSuffixes))
    }

    /// The kind of match between a presented name and a domain.
    enum Coverage { case none, wildcard, exact }

    /// Returns `.exact` if a presented name is the domain, or `.wildcard` if it is a wildcard for its first label. The
    /// domain is a valid DNS name, so a name that equals it is valid too.
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
            // A wildcard for the first label must be followed by the rest. A name with too few labels does not match a
            // wildcard (SecPolicyLeafCallbacks.c, `SecDNSMatch`).
            return .domain(name, belowWildcard: shape.flatMap { $0.labels > 2 ? $0.parent : nil })
        }
    }
}

extension ServerIdentity.Target {
    /// Returns `true` if a wildcard may match the first label of a domain, which is not directly below a public suffix.
    func mayHaveWildcard(_ publicSuffixes: PublicSuffixList?) -> Bool {
        guard case .domain(let name, let rest?) = self else { return false }
        guard let publicSuffixes else { return true }
        return !publicSuffixes.isPublicSuffix(String(decoding: name.slice(rest), as: UTF8.self))
    }
}
