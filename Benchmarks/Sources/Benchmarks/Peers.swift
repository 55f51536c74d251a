//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import ServerTrust
import X509

#if OPENSSL
import COpenSSL
#endif

/// The same question put to others: parse leaf and intermediate, build the path over the system's roots and one more,
/// verify, and match the host name.
enum Peers {
    static func contestants(_ chain: Chain, _ store: TrustStore) -> [Contestant] {
        var contestants = [Self.swiftCertificates(chain, store)]
        #if OPENSSL
        if let openSSL = Self.openSSL(chain, store) { contestants.append(openSSL) }
        #endif
        return contestants
    }

    static var names: [String] {
        #if OPENSSL
        ["swift-certificates", "OpenSSL"]
        #else
        ["swift-certificates"]
        #endif
    }

    private static func swiftCertificates(_ chain: Chain, _ store: TrustStore) -> Contestant {
        let (leaf, intermediate) = (chain.leaf.der, chain.intermediate.der)
        let system = store.certificates.compactMap { try? X509.Certificate(derEncoded: $0.view.bytes) }
        let roots = CertificateStore(system + [chain.root])
        return Contestant(name: "swift-certificates") {
            let leaf = try X509.Certificate(derEncoded: leaf)
            let intermediate = try X509.Certificate(derEncoded: intermediate)
            var verifier = Verifier(rootCertificates: roots) {
                RFC5280Policy()
                ServerIdentityPolicy(serverHostname: Chain.host, serverIP: nil)
            }
            let result = await verifier.validate(leaf: leaf, intermediates: CertificateStore([intermediate]))
            guard case .validCertificate = result else { preconditionFailure("swift-certificates refused") }
        }
    }

    #if OPENSSL
    private static func openSSL(_ chain: Chain, _ store: TrustStore) -> Contestant? {
        let (leaf, intermediate) = (chain.leaf.der, chain.intermediate.der)
        guard let roots = X509_STORE_new() else { return nil }
        for root in store.certificates.map(\.view.bytes) + [chain.root.der] {
            _ = root.withUnsafeBufferPointer { peer_trust(roots, $0.baseAddress, $0.count) }
        }
        nonisolated(unsafe) let shared = roots
        return Contestant(name: "OpenSSL") {
            let isVerified = leaf.withUnsafeBufferPointer { leaf in
                intermediate.withUnsafeBufferPointer { intermediate in
                    peer_verify(
                        shared, leaf.baseAddress, leaf.count, intermediate.baseAddress, intermediate.count,
                        Chain.host)
                }
            }
            precondition(isVerified == 1, "OpenSSL refused")
        }
    }
    #endif
}
