//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

// MARK: - Names of rules, and of lines in logs

extension CodeIndex {
    /// The names that people look up although no report has them as a code.
    static let questions = [Self.appTransportSecurity, Self.package, Self.libraryLines]

    private static let appTransportSecurity: ExplainedCode = {
        var code = ExplainedCode(
            kind: .transportSecurity, id: "ats", title: "App Transport Security",
            sentence:
                "An app without exceptions connects only over TLS 1.2 or 1.3 with forward secrecy, to a trusted server with a "
                + "key of RSA of 2,048 bits or on a curve of 256 bits at least.",
            remedies: [
                .init("Diagnose the server. The answer names the rule that it breaks, and the setting to change.")
            ])
        code.section = ("Apple, NSAppTransportSecurity", ReportTool.transportSecurityHelp)
        code.apple = ["NSAppTransportSecurity in an app's Info.plist has the exceptions"]
        code.synonyms = ["NSAppTransportSecurity", "App Transport Security"]
        return code
    }()

    private static let package: ExplainedCode = {
        var code = ExplainedCode(
            kind: .transportSecurity, id: "FCP_v2.1", title: "NIAP's package for TLS, which device management requires",
            sentence:
                "Device management from version 27 on connects only over TLS 1.3, or over TLS 1.2 with ECDHE, AES-GCM and the "
                + "extended master secret.",
            remedies: [
                .init(
                    "Enable TLS 1.3, or these suites and the extended master secret (RFC 7627), at the server. No exception of an app helps."
                )
            ])
        code.section = ("Apple, NSAppTransportSecurity", ReportTool.transportSecurityHelp)
        code.apple = ["logged as “[ATS FCPv2.1 violation]” from 26.4 on, and an error from 27.0 on"]
        code.synonyms = ["fcp"]
        return code
    }()

    /// The code of log lines about the state of a handshake.
    static let libraryLine = "boringssl"

    private static let libraryLines = ExplainedCode(
        kind: .connection, id: Self.libraryLine, title: "A line of Apple's TLS library about a handshake",
        sentence:
            "Lines with nw_protocol_boringssl or boringssl_context name the state of a handshake, and not the cause.",
        remedies: [
            .init(
                "Look before it for a line with “Trust evaluate failure” or “violation”, which has the reason. Check the server.",
                under: "the line has “write alert”: this side refused the server, nearly always by trust"),
            .init(
                "Diagnose the server, and look into its log.",
                under: "the line has “read alert”: the server refused the handshake"),
            .init(
                "Look for the lines before it, and diagnose the server.",
                under: "the line has neither: the connection ended, or the handshake goes on"),
        ])
}
