//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import TLSWire

/// The signs of one or several machines in the answers of a probe. Machines with different settings may share an address, and each
/// connection may reach another one.
struct MachineIdentity: Sendable {
    /// The leaf certificates by kind of key. A server has one for each kind.
    private var leaves: [CipherSuite.Authentication: Set<[UInt8]>] = [:]
    /// The presence of the downgrade sentinel, the mark of servers with TLS 1.3, in answers of TLS 1.2 (RFC 8446 §4.1.3).
    private var marks: Set<Bool> = []
    /// The acceptance of the extended master secret in answers of TLS 1.2, which depends on no other part of the offer.
    private var masterSecrets: Set<Bool> = []

    mutating func add(_ agreement: Agreement) {
        let (hello, offer) = (agreement.hello, agreement.offer)
        self.add(agreement.flight.certificates?.first, signedBy: hello.cipherSuite.authentication)
        guard hello.version == .tls12, offer.hasExtensions else { return }
        self.marks.insert(hello.hasDowngradeSentinel)
        if offer.offersExtendedMasterSecret { self.masterSecrets.insert(hello.has(.extendedMasterSecret)) }
    }

    mutating func add(_ result: HandshakeResult) {
        guard let version = result.version else { return }
        let signer =
            version >= .tls13
            ? result.signatureScheme?.authentication : result.cipherSuite?.authentication
        self.add(result.certificates.first, signedBy: signer)
        if version == .tls12, let isExtended = result.usesExtendedMasterSecret { self.masterSecrets.insert(isExtended) }
    }

    private mutating func add(_ leaf: [UInt8]?, signedBy authentication: CipherSuite.Authentication?) {
        guard let leaf, let authentication else { return }
        self.leaves[authentication, default: []].insert(leaf)
    }

    func contradiction(in facts: ServerFacts) -> String? {
        if self.leaves.values.contains(where: { $0.count > 1 }) {
            return "it shows several certificates for keys of one kind"
        }
        if self.marks.count > 1 {
            return "some answers in TLS 1.2 bear the mark of servers with TLS 1.3, and some do not"
        }
        if self.masterSecrets.count > 1 { return "some answers accept the extended master secret, and some do not" }
        switch facts.support(of: .tls13) {
        case .refused(.otherVersion) where self.marks == [true]:
            return "TLS 1.3 was offered and not chosen, and an answer in TLS 1.2 comes from a server with TLS 1.3"
        // In plans with many answers, the absence of the mark is due to the server itself.
        case .supported where facts.plan == .ats && self.marks == [false]:
            return "it speaks TLS 1.3, and its answer in TLS 1.2 lacks the mark of such servers (RFC 8446 §4.1.3)"
        default: return nil
        }
    }
}

extension SignatureScheme {
    /// The kind of key that signs with the scheme, or `nil` for kinds without suites in TLS 1.2.
    fileprivate var authentication: CipherSuite.Authentication? {
        switch self.signatureKind {
        case .ecdsa: .ecdsa
        case .rsaPKCS1, .rsaPSS: .rsa
        default: nil
        }
    }
}
