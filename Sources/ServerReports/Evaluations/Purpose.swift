//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

package import CertificatePath
package import ServerTrust

/// What a chain is to be trusted for, as a person says it.
package struct Purpose: Sendable, Hashable {
    /// The values of `--policy`.
    package enum Kind: String, CaseIterable, Sendable {
        case tlsServer = "tls-server"
        case tlsClient = "tls-client"
        case basic
    }

    let kind: Kind

    /// The name the leaf must be for; `nil` when no name is checked.
    package let host: String?

    /// Whether the leaf's key signs handshakes, so that its key usage must allow digital signatures (RFC 5280 §4.2.1.3,
    /// RFC 8446 §4.4.2.2): SecTrust leaves that to TLS.
    package var keyUsage: KeyUsage = []

    /// A purpose with a name that certificates can be for.
    ///
    /// - Throws: `InvalidReferenceIdentity`, which says what to write instead.
    package init(_ kind: Kind, host: String?) throws {
        self.kind = kind
        self.host = try host.map(Self.identity)
    }

    /// A host as certificates have it: in A-labels, as a server that is connected to (RFC 5280 §7.2). A mailbox is no host.
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

    /// What the leaf is judged as, for the first lines of a report.
    var sentence: String {
        let host = self.host.map { " for \($0)" } ?? ""
        return switch self.kind {
        case .tlsServer: "as a TLS server\(host.isEmpty ? ", for whatever host (none was checked)" : host)"
        case .tlsClient: "as a TLS client\(host)"
        case .basic: "as a certificate for any use"
        }
    }
}
