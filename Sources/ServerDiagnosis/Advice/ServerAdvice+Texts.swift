//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

// The one table of what advice is called.
extension ServerAdvice {
    /// What to do, in a few words.
    public var title: String {
        switch self.kind {
        case .speakTLS: "Speak TLS at this port"
        case .site: "Have a site of this name"
        case .version: "Speak TLS 1.2 and TLS 1.3"
        case .cipherSuites: "Take ECDHE with AES-GCM"
        case .groups: "Agree on keys in X25519, P-256 or P-384"
        case .signatures: "Sign the handshake over SHA-256"
        case .extendedMasterSecret: "Have TLS 1.3, or the extended master secret"
        case .key: "Use a larger key"
        case .digest: "Have certificates signed over SHA-256"
        case .chain: "Send the whole chain"
        case .name: "Have the host's name in the certificate"
        case .renewal: "Renew the certificate"
        case .authority: "Use a certificate of an authority that is trusted"
        case .certificate: "Have another certificate issued"
        case .redirect: "Redirect to https only"
        }
    }
}
