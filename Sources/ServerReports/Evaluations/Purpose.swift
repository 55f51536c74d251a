//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

package import CertificatePath
package import ServerTrust

/// The purpose that a chain is evaluated for, as a person states it.
package struct Purpose: Sendable, Hashable {
    /// The values of `--policy`.
    package enum Kind: String, CaseIterable, Sendable {
        case tlsServer = "tls-server"
        case tlsClient = "tls-client"
        case basic
    }

    let kind: Kind

    /// The name that the leaf must match, or `nil` if no name is checked.
    package let host: String?

    /// The required key usage of the leaf. If the leaf's key signs handshakes, its key usage must permit digital signatures (RFC
    /// 5280 §4.2.1.3, RFC 8446 §4.4.2.2). SecTrust leaves this check to TLS.
    package var keyUsage: KeyUsage = []

    /// Creates a purpose with a valid reference identity.
    ///
    /// - Throws: `InvalidReferenceIdentity`, which describes the correct form.
    package init(_ kind: Kind, host: String?) throws {
        self.kind = kind
        self.host = try host.map(Self.identity)
    }

    /// Returns a host in the form of certificates: in A-labels, as for a server connection (RFC 5280 §7.2). A mailbox is not a
    /// host.
    private static func identity(_ host: String) throws -> String {
        let name = host.utf8.contains(UInt8(ascii: "@")) ? host : try InternationalizedName.ascii(host)
        _ = try ReferenceIdentity(host: name)
        return name
    }

    package var policy: TrustPolicy {
        var policy = self.plainPolicy
        policy.requirement.keyUsage.formUnion(self.keyUsage)
        return policy
    }

    private var plainPolicy: TrustPolicy {
        switch self.kind {
        case .tlsServer: .tlsServer(hostname: self.host)
        case .tlsClient: .tlsClient(hostname: self.host)
        case .basic: .basicX509
        }
    }

    /// The role that the leaf is evaluated for, as the first line of a report.
    var sentence: String {
        let host = self.host.map { " for \($0)" } ?? ""
        return switch self.kind {
        case .tlsServer: "as a TLS server\(host.isEmpty ? ", for whatever host (none was checked)" : host)"
        case .tlsClient: "as a TLS client\(host)"
        case .basic: "as a certificate for any use"
        }
    }
}
