//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import AppleFiles

/// Logs of devices: what is read is the same, whatever pieces it comes in.
///
/// An input is an octet that chooses the pieces, and the log.
enum LogTarget {
    static func run(_ bytes: [UInt8], _ findings: inout Findings) {
        guard let kind = bytes.first else { return }
        let log = Array(bytes.dropFirst())
        let whole = AppleFilesSummary.log(log, pieces: .max)
        findings.expect(AppleFilesSummary.log(log, pieces: 1 + Int(kind)) == whole, "another log in pieces")
    }

    static func seeds() -> [[UInt8]] {
        [
            "2026-11-26 10:00:00 x: Error [ATS FCPv2.1 violation]: TLS 1.2 negotiated without extended master secret (EMS) for "
                + "server: a.test\n",
            "Error [ATS violation]: RSA key size 1024 bits is less than minimum 2048 bits for server: a.test",
            "Trust evaluate failure: [leaf SSLHostname]\n    [ca1 TemporalValidity] [root AnchorTrusted]\n",
            "Task <A>.<1> HTTP load failed, 0/0 bytes (error code: -1200 [3:-9802])\nATS failed system trust\n",
            "Error Domain=NSURLErrorDomain Code=-1202 \"x\" UserInfo={NSErrorFailingURLStringKey=https://a.test/,\n"
                + "_kCFStreamErrorCodeKey=-9807, NSErrorPeerCertificateChainKey=(\n\"<cert(0x1) s: a i: b>\"\n)}\n",
            "{\"eventMessage\":\"Warning [ATS FCPv2.1 violation]: x \\u0041 for server: a\",\"timestamp\":\"2026-11-26 1\"}\n",
            "displaying the result of HTTPS loads to https://a.test.\n---\nTLSv1.3\nResult : FAIL\n---\n",
        ].map { [7] + Array($0.utf8) }
    }
}
