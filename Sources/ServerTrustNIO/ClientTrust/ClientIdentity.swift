//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import CertificatePath
public import ServerTrust

/// Who a client is, by a chain that was evaluated and is trusted.
///
/// Names with characters that do not belong into them are left out: they cannot be taken for another name.
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

    /// The client's key.
    public var key: PublicKey { self.certificate.publicKey }

    /// The subject, as `CN=client, O=Example`, for people. Do not look clients up by it: it has no one way of being written.
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

    /// The SPIFFE ID of a workload, by the rules for X509-SVIDs that are leaves (SPIFFE X509-SVID §2, §4, §5.2): the certificate
    /// has one URI, which has a path, and may sign neither certificates nor lists; `nil` for every other certificate.
    ///
    /// - Warning: Every anchor of the gate may vouch for every trust domain. Trust the authorities of one trust domain with one gate.
    public var spiffeID: SPIFFEID? {
        let (view, usage) = (self.certificate.view, self.certificate.view.keyUsage)
        guard view.nameCount(.uniformResourceIdentifier) == 1, !view.isCertificateAuthority,
            usage?.contains(.keyCertSign) != true, usage?.contains(.cRLSign) != true,
            let identifier = self.uniformResourceIdentifiers.first.flatMap(SPIFFEID.init), !identifier.path.isEmpty
        else { return nil }
        return identifier
    }
}

/// The name of a workload: `spiffe://example.org/payments/web` (SPIFFE ID §2).
public struct SPIFFEID: Sendable, Hashable, CustomStringConvertible {
    /// The trust domain, such as `example.org`.
    public let trustDomain: String

    /// The path with its leading slash; empty for the trust domain itself.
    public let path: String

    /// The identifier of a text.
    ///
    /// - Parameter text: The URI. `nil` for one with a user, a port, a query, a fragment, encoded or other characters than the
    ///   standard has, empty segments or dots for segments, or more than 2,048 bytes.
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

    /// The URI.
    public var description: String { "spiffe://\(self.trustDomain)\(self.path)" }

    /// Lower case alone (SPIFFE ID §2.1).
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
