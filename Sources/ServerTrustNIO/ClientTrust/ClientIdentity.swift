//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import CertificatePath
public import ServerTrust

/// The identity of a client with a trusted chain.
///
/// Names with characters outside their type's alphabet are left out, so they cannot be mistaken for other names.
public struct ClientIdentity: Sendable {
    /// The evaluation, with the path from the client's certificate to the anchor.
    public let result: TrustResult

    /// The client's certificate.
    public let certificate: Certificate

    init?(_ result: TrustResult) {
        guard result.isTrusted, let certificate = result.path.first else { return nil }
        self.result = result
        self.certificate = certificate
    }

    /// The public key of the client's certificate.
    public var key: PublicKey { self.certificate.publicKey }

    /// The subject, such as `CN=client, O=Example`, for people. Do not look clients up by it, because a subject can be written in
    /// several ways.
    public var subject: String { self.certificate.subject }

    /// The dNSName entries of the subject alternative name, in lower case.
    public var dnsNames: [String] { self.certificate.view.plainNames(.dNSName).map { $0.lowercased() } }

    /// The rfc822Name entries of the subject alternative name.
    public var emailAddresses: [String] { self.certificate.view.plainNames(.rfc822Name) }

    /// The uniformResourceIdentifier entries of the subject alternative name.
    public var uniformResourceIdentifiers: [String] {
        self.certificate.view.plainNames(.uniformResourceIdentifier)
    }

    /// The iPAddress entries of the subject alternative name.
    public var ipAddresses: [IPAddress] { self.certificate.ipAddresses }

    /// The SPIFFE ID of a workload, or `nil` if the certificate is not an X509-SVID for a leaf (SPIFFE X509-SVID §2, §4, §5.2).
    ///
    /// Such a certificate has exactly one URI, which has a path, and may sign neither certificates nor CRLs.
    ///
    /// - Warning: Every anchor of the gate may vouch for every trust domain. Use a gate of its own for each trust domain.
    public var spiffeID: SPIFFEID? {
        let (view, usage) = (self.certificate.view, self.certificate.view.keyUsage)
        guard view.nameCount(.uniformResourceIdentifier) == 1, !view.isCertificateAuthority,
            usage?.contains(.keyCertSign) != true, usage?.contains(.cRLSign) != true,
            let identifier = self.uniformResourceIdentifiers.first.flatMap(SPIFFEID.init), !identifier.path.isEmpty
        else { return nil }
        return identifier
    }
}

/// The name of a workload, such as `spiffe://example.org/payments/web` (SPIFFE ID §2).
public struct SPIFFEID: Sendable, Hashable, CustomStringConvertible {
    /// The trust domain, such as `example.org`.
    public let trustDomain: String

    /// The path with its leading slash. Empty for the trust domain itself.
    public let path: String

    /// Parses an identifier.
    ///
    /// - Parameter text: The URI. The result is `nil` if it has a user, a port, a query or a fragment, characters that the standard
    ///   excludes, percent-encoding, empty segments, dot segments, or more than 2,048 bytes.
    public init?(_ text: String) {
        let scheme = "spiffe://"
        guard text.utf8.count <= 2_048, text.prefix(scheme.count).lowercased() == scheme else { return nil }
        let rest = text.dropFirst(scheme.count)
        let domain = rest.prefix { $0 != "/" }
        let path = rest[domain.endIndex...]
        guard (1...255).contains(domain.utf8.count), domain.utf8.allSatisfy(Self.isOfDomain) else { return nil }
        let segments = path.split(separator: "/", omittingEmptySubsequences: false).dropFirst()
        guard segments.allSatisfy(Self.isSegment) else { return nil }
        self.trustDomain = String(domain)
        self.path = String(path)
    }

    /// The identifier as a URI.
    public var description: String { "spiffe://\(self.trustDomain)\(self.path)" }

    /// Returns `true` for the characters of a trust domain, which has lower case only (SPIFFE ID §2.1).
    private static func isOfDomain(_ octet: UInt8) -> Bool {
        switch octet {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "."),
            UInt8(ascii: "-"), UInt8(ascii: "_"):
            true
        default: false
        }
    }

    private static func isSegment(_ segment: Substring) -> Bool {
        guard !segment.isEmpty, segment != ".", segment != ".." else { return false }
        return segment.utf8.allSatisfy { Self.isOfDomain($0) || (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains($0) }
    }
}
