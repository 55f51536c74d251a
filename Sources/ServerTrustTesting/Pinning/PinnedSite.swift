//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

public import ServerTrust
import ServerTrustNIO

/// A site whose keys a client pins, and everyone who will pretend to be it.
///
/// Make one to configure a client with its ``pins`` once and have it meet several scenarios; `withPinningServer` makes
/// one itself if it is not given any.
public struct PinnedSite: Sendable {
    /// What of a site can be pinned.
    public enum Part: String, CaseIterable, Codable, Hashable, Sendable {
        /// The key of the site.
        case leaf
        /// The key the site keeps in a safe, for the day it loses the other.
        case backup
        /// The key of the intermediate that issued the site's certificate.
        case intermediate
        /// The key of the root.
        case root
    }

    /// The DNS name or IP address of the site.
    public let host: String

    /// The site's certificate, which its pins were made of.
    public let leaf: TestCertificate

    /// The certificate that issued the site's.
    public let intermediate: TestCertificate

    /// The site's root, which clients trust.
    public let root: TestCertificate

    /// The key in the safe, for which there is no certificate yet.
    public let backupKey: TestPrivateKey

    /// The pins of the site.
    public let pins: Pins

    /// What clients trust: the site's root and the middleman's.
    ///
    /// The middleman's is of the class `user`, as if it had been added to the machine's store: with it a test tells
    /// whether such roots are exempt from pinning (`PinSet.exemptAnchors`).
    public let anchors: TrustAnchors

    /// The root someone in the middle got into the stores of clients.
    public var middlemanRoot: TestCertificate {
        self.middleman.root
    }

    let authority: TestAuthority
    let middleman: TestAuthority

    /// Makes the keys and certificates of a site.
    ///
    /// - Parameter host: The DNS name or IP address of the site. It is never resolved, so it may be that of a real one.
    /// - Throws: `TLSEndpointError` if the host is neither; else an error of a certificate that cannot be made.
    public init(host: String = "pinned.test") throws {
        self.host = try TLSEndpoint(host: host).host.text
        self.authority = try TestAuthority()
        self.middleman = try TestAuthority(root: .root(commonName: "Middleman Root CA"))
        self.root = self.authority.root
        self.intermediate = try self.authority.issue(.intermediate())
        self.backupKey = try TestPrivateKey(.p256)
        var description = try CertificateDescription.leaf(host: host)
        // Old enough for a renewal.
        description.setValidity(from: .seconds(-60 * 86_400), lasting: .seconds(90 * 86_400))
        self.leaf = try self.authority.issue(description, by: self.intermediate)
        self.pins = Pins(
            leaf: try self.leaf.pin,
            backup: try self.backupKey.pin,
            intermediate: try self.intermediate.pin,
            root: try self.root.pin
        )
        var anchors = try self.authority.anchors
        anchors.add(try self.middleman.root.trustCertificate, as: .user)
        self.anchors = anchors
    }
}

extension PinnedSite {
    /// The pins of the keys of a site.
    public struct Pins: Hashable, Sendable {
        /// The pin of the site's key.
        public let leaf: Pin
        /// The pin of the key in the safe.
        public let backup: Pin
        /// The pin of the intermediate's key.
        public let intermediate: Pin
        /// The pin of the root's key.
        public let root: Pin

        /// The pin of a part.
        ///
        /// - Parameter part: The part.
        public subscript(part: Part) -> Pin {
            switch part {
            case .leaf: self.leaf
            case .backup: self.backup
            case .intermediate: self.intermediate
            case .root: self.root
            }
        }
    }
}

extension CertificateDescription {
    /// A server certificate for a host, whichever kind of name it has.
    ///
    /// - Parameter host: A DNS name or IP address.
    /// - Returns: The description.
    /// - Throws: `TLSEndpointError` if the host is neither.
    static func leaf(host: String) throws -> Self {
        try TLSEndpoint(host: host).host.isAddress
            ? .leaf(dnsNames: [], ipAddresses: [host]) : .leaf(dnsNames: [host])
    }
}
