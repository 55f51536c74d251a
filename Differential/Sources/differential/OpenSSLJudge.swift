//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import COpenSSL
import CertificatePath

/// OpenSSL's `X509_verify_cert` for the purpose of a TLS server, at security level 2: RSA of 2,048 bits and no SHA-1, as
/// our profiles demand. Anchors are trusted as they are (`X509_V_FLAG_PARTIAL_CHAIN`).
enum OpenSSLJudge {
    static func judge(_ chain: Scenario.Signed, isStrict: Bool) -> Judgement {
        guard let store = X509_STORE_new(), let stack = differential_stack() else {
            return Judgement(reasons: ["memory"])
        }
        defer {
            X509_STORE_free(store)
            differential_free(stack)
        }
        for anchor in chain.anchors {
            guard let certificate = differential_parse(anchor, anchor.count) else { continue }
            X509_STORE_add_cert(store, certificate)
            X509_free(certificate)
        }
        for sent in chain.intermediates {
            if let certificate = differential_parse(sent, sent.count) { differential_push(stack, certificate) }
        }
        guard let leaf = differential_parse(chain.leaf, chain.leaf.count) else {
            ERR_clear_error()
            return Judgement(reasons: ["unreadable"])
        }
        defer { X509_free(leaf) }
        let flags = UInt(
            X509_V_FLAG_PARTIAL_CHAIN | X509_V_FLAG_POLICY_CHECK | (isStrict ? X509_V_FLAG_X509_STRICT : 0))
        let code = differential_verify(
            store, leaf, stack, chain.host, chain.address, Int64(chain.time.secondsSinceEpoch), flags)
        if code == X509_V_OK { return Judgement(reasons: []) }
        return Judgement(reasons: [String(cString: X509_verify_cert_error_string(Int(code)))])
    }
}
