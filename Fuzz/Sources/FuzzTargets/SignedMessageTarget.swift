//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import AppleFiles

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// Signed messages: no content but the one that was signed is ever called signed.
enum SignedMessageTarget {
    /// The signed content of the seeds. The signer's key is gone.
    private static let content = Array(
        "<plist version=\"1.0\"><dict><key>PayloadContent</key><array/></dict></plist>\n".utf8)

    static func run(_ bytes: [UInt8], _ findings: inout Findings) {
        guard let message = AppleFilesSummary.message(bytes), message.isValid else { return }
        findings.expect(message.content == Self.content, "a content that was not signed")
    }

    /// Messages as OpenSSL writes them: in DER and BER, without attributes, and with the signer by its key identifier.
    static func seeds() -> [[UInt8]] {
        let messages = Self.messages.compactMap { Data(base64Encoded: $0).map(Array.init) }
        return messages + messages.map { Array($0.dropLast(9)) }
    }

    private static let messages = [
        "MIIDcAYJKoZIhvcNAQcCoIIDYTCCA10CAQExDTALBglghkgBZQMEAgEwWwYJKoZIhvcNAQcBoE4ETDxwbGlzdCB2ZXJzaW9uPSIx"
            + "LjAiPjxkaWN0PjxrZXk+UGF5bG9hZENvbnRlbnQ8L2tleT48YXJyYXkvPjwvZGljdD48L3BsaXN0PgqgggFwMIIBbDCCAROgAwIB"
            + "AgIUZpqoxN7uyMX629JwnWUvs3HUFXswCgYIKoZIzj0EAwIwDDEKMAgGA1UEAwwBUzAeFw0yNjExMjgxMDU2MDhaFw0zNjExMjUx"
            + "MDU2MDhaMAwxCjAIBgNVBAMMAVMwWTATBgcqhkjOPQIBBggqhkjOPQMBBwNCAATKaIfUrtNyRisxAS11/xsNVzI9ZfsAXJFtj+W6"
            + "4P+HyB0UN63rl6LfwrPuxtukH6V6wRlD7vOp1JM0gV0NK2Hwo1MwUTAdBgNVHQ4EFgQUn4RczWL62XN8iE0GcRKTxeVHF8owHwYD"
            + "VR0jBBgwFoAUn4RczWL62XN8iE0GcRKTxeVHF8owDwYDVR0TAQH/BAUwAwEB/zAKBggqhkjOPQQDAgNHADBEAiAuNhyG9YAV0caL"
            + "8Yo6ZHNidi3qNSqhgZjfPrjnhZYnwQIgWJnaLn02nRNW4XZ38O4IvdvUtAtUNKyTEw8peSqBDM8xggF2MIIBcgIBATAkMAwxCjAI"
            + "BgNVBAMMAVMCFGaaqMTe7sjF+tvScJ1lL7Nx1BV7MAsGCWCGSAFlAwQCAaCB5DAYBgkqhkiG9w0BCQMxCwYJKoZIhvcNAQcBMBwG"
            + "CSqGSIb3DQEJBTEPFw0yNjExMjgxMDU2MDhaMC8GCSqGSIb3DQEJBDEiBCDdc+qmY5WKrgk2gLuz12jvEjp2sLNIu+ctaXvrmz50"
            + "HjB5BgkqhkiG9w0BCQ8xbDBqMAsGCWCGSAFlAwQBKjALBglghkgBZQMEARYwCwYJYIZIAWUDBAECMAoGCCqGSIb3DQMHMA4GCCqG"
            + "SIb3DQMCAgIAgDANBggqhkiG9w0DAgIBQDAHBgUrDgMCBzANBggqhkiG9w0DAgIBKDAKBggqhkjOPQQDAgRHMEUCICmNqmevcRtK"
            + "mWMahbVGMhhmNVITTHTU02gwhHexTj91AiEAkYmiuS9B2i3GrxONHtXLcOAnrvRLbtmqZ28/9uWIb1w=",
        "MIAGCSqGSIb3DQEHAqCAMIACAQExDTALBglghkgBZQMEAgEwgAYJKoZIhvcNAQcBoIAkgARMPHBsaXN0IHZlcnNpb249IjEuMCI+"
            + "PGRpY3Q+PGtleT5QYXlsb2FkQ29udGVudDwva2V5PjxhcnJheS8+PC9kaWN0PjwvcGxpc3Q+CgAAAAAAAKCCAXAwggFsMIIBE6AD"
            + "AgECAhRmmqjE3u7Ixfrb0nCdZS+zcdQVezAKBggqhkjOPQQDAjAMMQowCAYDVQQDDAFTMB4XDTI2MTEyODEwNTYwOFoXDTM2MTEy"
            + "NTEwNTYwOFowDDEKMAgGA1UEAwwBUzBZMBMGByqGSM49AgEGCCqGSM49AwEHA0IABMpoh9Su03JGKzEBLXX/Gw1XMj1l+wBckW2P"
            + "5brg/4fIHRQ3reuXot/Cs+7G26QfpXrBGUPu86nUkzSBXQ0rYfCjUzBRMB0GA1UdDgQWBBSfhFzNYvrZc3yITQZxEpPF5UcXyjAf"
            + "BgNVHSMEGDAWgBSfhFzNYvrZc3yITQZxEpPF5UcXyjAPBgNVHRMBAf8EBTADAQH/MAoGCCqGSM49BAMCA0cAMEQCIC42HIb1gBXR"
            + "xovxijpkc2J2Leo1KqGBmN8+uOeFlifBAiBYmdoufTadE1bhdnfw7gi929S0C1Q0rJMTDyl5KoEMzzGB+DCB9QIBATAkMAwxCjAI"
            + "BgNVBAMMAVMCFGaaqMTe7sjF+tvScJ1lL7Nx1BV7MAsGCWCGSAFlAwQCAaBpMBgGCSqGSIb3DQEJAzELBgkqhkiG9w0BBwEwHAYJ"
            + "KoZIhvcNAQkFMQ8XDTI2MTEyODEwNTYwOFowLwYJKoZIhvcNAQkEMSIEIN1z6qZjlYquCTaAu7PXaO8SOnaws0i75y1pe+ubPnQe"
            + "MAoGCCqGSM49BAMCBEYwRAIgGUp7nC6jvcpLRx5jAd+29vFTk7xG/kzBKRvjJIOmmvYCIBtHZ2tA6iUC04OetNaS5+X/K2yGNQmO"
            + "5EeIJClIASfYAAAAAAAA",
        "MIIChgYJKoZIhvcNAQcCoIICdzCCAnMCAQExDTALBglghkgBZQMEAgEwWwYJKoZIhvcNAQcBoE4ETDxwbGlzdCB2ZXJzaW9uPSIx"
            + "LjAiPjxkaWN0PjxrZXk+UGF5bG9hZENvbnRlbnQ8L2tleT48YXJyYXkvPjwvZGljdD48L3BsaXN0PgqgggFwMIIBbDCCAROgAwIB"
            + "AgIUZpqoxN7uyMX629JwnWUvs3HUFXswCgYIKoZIzj0EAwIwDDEKMAgGA1UEAwwBUzAeFw0yNjExMjgxMDU2MDhaFw0zNjExMjUx"
            + "MDU2MDhaMAwxCjAIBgNVBAMMAVMwWTATBgcqhkjOPQIBBggqhkjOPQMBBwNCAATKaIfUrtNyRisxAS11/xsNVzI9ZfsAXJFtj+W6"
            + "4P+HyB0UN63rl6LfwrPuxtukH6V6wRlD7vOp1JM0gV0NK2Hwo1MwUTAdBgNVHQ4EFgQUn4RczWL62XN8iE0GcRKTxeVHF8owHwYD"
            + "VR0jBBgwFoAUn4RczWL62XN8iE0GcRKTxeVHF8owDwYDVR0TAQH/BAUwAwEB/zAKBggqhkjOPQQDAgNHADBEAiAuNhyG9YAV0caL"
            + "8Yo6ZHNidi3qNSqhgZjfPrjnhZYnwQIgWJnaLn02nRNW4XZ38O4IvdvUtAtUNKyTEw8peSqBDM8xgY0wgYoCAQEwJDAMMQowCAYD"
            + "VQQDDAFTAhRmmqjE3u7Ixfrb0nCdZS+zcdQVezALBglghkgBZQMEAgEwCgYIKoZIzj0EAwIERjBEAiApnUz3zD4AtaC3lxPaqzsj"
            + "WKIIBwGwiBdcMjvRN1He/gIgf1UkuNSUqzv3hQ3Za6Lij2A65ioT3dcFKVeeQY3bGoI=",
        "MIIC4QYJKoZIhvcNAQcCoIIC0jCCAs4CAQMxDTALBglghkgBZQMEAgEwWwYJKoZIhvcNAQcBoE4ETDxwbGlzdCB2ZXJzaW9uPSIx"
            + "LjAiPjxkaWN0PjxrZXk+UGF5bG9hZENvbnRlbnQ8L2tleT48YXJyYXkvPjwvZGljdD48L3BsaXN0PgqgggFwMIIBbDCCAROgAwIB"
            + "AgIUZpqoxN7uyMX629JwnWUvs3HUFXswCgYIKoZIzj0EAwIwDDEKMAgGA1UEAwwBUzAeFw0yNjExMjgxMDU2MDhaFw0zNjExMjUx"
            + "MDU2MDhaMAwxCjAIBgNVBAMMAVMwWTATBgcqhkjOPQIBBggqhkjOPQMBBwNCAATKaIfUrtNyRisxAS11/xsNVzI9ZfsAXJFtj+W6"
            + "4P+HyB0UN63rl6LfwrPuxtukH6V6wRlD7vOp1JM0gV0NK2Hwo1MwUTAdBgNVHQ4EFgQUn4RczWL62XN8iE0GcRKTxeVHF8owHwYD"
            + "VR0jBBgwFoAUn4RczWL62XN8iE0GcRKTxeVHF8owDwYDVR0TAQH/BAUwAwEB/zAKBggqhkjOPQQDAgNHADBEAiAuNhyG9YAV0caL"
            + "8Yo6ZHNidi3qNSqhgZjfPrjnhZYnwQIgWJnaLn02nRNW4XZ38O4IvdvUtAtUNKyTEw8peSqBDM8xgegwgeUCAQOAFJ+EXM1i+tlz"
            + "fIhNBnESk8XlRxfKMAsGCWCGSAFlAwQCAaBpMBgGCSqGSIb3DQEJAzELBgkqhkiG9w0BBwEwHAYJKoZIhvcNAQkFMQ8XDTI2MTEy"
            + "ODEwNTYwOFowLwYJKoZIhvcNAQkEMSIEIN1z6qZjlYquCTaAu7PXaO8SOnaws0i75y1pe+ubPnQeMAoGCCqGSM49BAMCBEYwRAIg"
            + "QT/K1pU/Ch/b7E/c5/s4mnkpzfWmUlArrlO3BZNiRpQCIEJjL6pgceFsr70+0NVAoS9is9t84xxGskv2zVqsZ1+o",
    ]
}
