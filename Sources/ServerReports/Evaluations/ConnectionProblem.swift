//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import AppTransportSecurity
import ServerTrust
package import ServerTrustNIO
package import TLSWire

/// A fault of a connection, independent of its chain.
package enum ConnectionProblem: Sendable, Hashable {
    /// The server chose a version of TLS that is older than the required minimum.
    case versionTooOld(TLSProtocolVersion, minimum: TLSProtocolVersion)
    /// The server's choice of version could not be read.
    case versionUnknown
    /// The handshake failed after the certificates. The server has not proven that it holds the key.
    case handshakeFailed(ConnectionFailure)
    /// The client ended the handshake. The server has not proven that it holds the key.
    case handshakeRefused
    /// The server refused the ClientHello of Apple's systems, because it supports none of the offers. Its key is of this kind.
    case appleRefused(key: String?)

    /// Returns the problems of a connection that presented certificates.
    ///
    /// - Parameters:
    ///   - chain: The presented chain.
    ///   - minimum: The oldest acceptable version.
    ///   - refusesApple: `true` if the server has refused the ClientHello of Apple's systems before.
    package static func problems(
        of chain: PresentedChain, minimum: TLSProtocolVersion, refusesApple: Bool = false
    ) -> [ConnectionProblem] {
        var problems: [ConnectionProblem] = []
        // A version that is too old is reported as a problem of its own.
        if refusesApple, chain.protocolVersion.map({ $0 >= minimum }) ?? true {
            let leaf = chain.certificates.first.flatMap { try? Certificate(der: $0) }
            problems.append(.appleRefused(key: leaf.map { "\($0.publicKey)" }))
        }
        switch chain.handshake {
        case .completed: break
        case .refused: problems.append(.handshakeRefused)
        case .failed(let error): problems.append(.handshakeFailed(error.failure))
        }
        if let version = chain.protocolVersion {
            if version < minimum { problems.append(.versionTooOld(version, minimum: minimum)) }
        } else {
            problems.append(.versionUnknown)
        }
        return problems
    }

    /// `true` if the server has not proven that it holds the key.
    package var isAboutProof: Bool {
        switch self {
        case .handshakeFailed, .handshakeRefused: true
        case .versionTooOld, .versionUnknown, .appleRefused: false
        }
    }

    /// A short, stable name for programs.
    package var code: String {
        switch self {
        case .versionTooOld: "tls-version-too-old"
        case .versionUnknown: "tls-version-unknown"
        case .handshakeFailed(let failure): failure.code
        case .handshakeRefused: "handshake-refused"
        case .appleRefused: "apple-handshake-refused"
        }
    }

    var message: String {
        switch self {
        case .versionTooOld(let version, _) where version < .tls12:
            "The server speaks \(version), which is obsolete (RFC 8996). Safari and App Transport Security refuse it."
        case .versionTooOld(let version, let minimum):
            "The server speaks \(version), and at least \(minimum) is demanded here."
        case .versionUnknown: "The version of TLS the server chose could not be read."
        case .handshakeFailed(let failure):
            "The server has not proven that it holds the certificate's key. \(DisplayText.text(failure.message))"
        case .handshakeRefused: "The server has not proven that it holds the certificate's key."
        case .appleRefused(let key):
            "The server refuses the handshake that Apple's systems offer\(key.map { ". Its key is \($0)" } ?? "")."
        }
    }

    var remedy: String {
        switch self {
        case .versionTooOld(_, let minimum) where minimum <= .tls12: "Configure the server to speak TLS 1.2 or 1.3."
        case .versionTooOld: "Configure the server to speak \(TLSProtocolVersion.tls13)."
        case .versionUnknown, .handshakeRefused: "Try again. If it stays so, look into the server's TLS settings."
        case .appleRefused:
            "Diagnose the server: the diagnosis names the suite, group or key at fault, and what to change."
        case .handshakeFailed(let failure): DisplayText.text(failure.remedy)
        }
    }
}

extension ConnectionProblem {
    /// One value of each kind, for lists of codes.
    static let oneOfEach: [ConnectionProblem] = [
        .versionTooOld(.tls11, minimum: .tls12), .versionUnknown, .handshakeRefused,
        .appleRefused(key: nil),
    ]

    /// The error of Apple's systems for a server with the problem.
    var apple: String {
        let stream: OSStatusCode =
            switch self {
            case .versionTooOld: .sslPeerProtocolVersion
            case .versionUnknown, .handshakeFailed, .handshakeRefused: .sslProtocol
            case .appleRefused: .sslPeerHandshakeFail
            }
        let code = URLErrorCode.secureConnectionFailed
        return "\(code.name) (\(code.rawValue)), \(stream.name) (\(stream.rawValue))"
    }

    var details: [FindingDetail] {
        let (found, required) =
            switch self {
            case .versionTooOld(let version, let minimum): ("\(version)", "at least \(minimum)")
            case .versionUnknown: ("a version that cannot be read", "TLS 1.2 or 1.3")
            case .handshakeFailed(let failure):
                (DisplayText.text(failure.message), "a handshake signed with the certificate's key")
            case .handshakeRefused: ("no whole handshake", "a handshake signed with the certificate's key")
            case .appleRefused(let key):
                (
                    "an alert" + (key.map { ". The key is \($0)" } ?? ""),
                    "a suite, a group and a signature that Apple's systems offer"
                )
            }
        let requirement =
            switch self {
            case .versionTooOld: "TLS 1.0 and 1.1 are not negotiated, or no version below the one that was demanded."
            case .versionUnknown: "The server says which version of TLS it chooses."
            case .handshakeFailed, .handshakeRefused: "The server signs the handshake with its certificate's key."
            case .appleRefused: "The server takes a suite, a group and a signature scheme that the client offers."
            }
        return [
            FindingDetail(label: "about", value: "the connection"), FindingDetail(label: "found", value: found),
            FindingDetail(label: "required", value: required),
            FindingDetail(
                label: "rule", value: "\(self.section.text): \(requirement)", link: self.section.link),
        ]
    }

    var title: String {
        switch self {
        case .versionTooOld: "The version of TLS is too old"
        case .versionUnknown: "The version of TLS is not known"
        case .handshakeFailed, .handshakeRefused: "The server has not proven that it holds the key"
        case .appleRefused: "The server refuses the handshake of Apple's systems"
        }
    }

    /// The section of the standard that forbids the problem.
    var section: (text: String, link: String) {
        switch self {
        case .versionTooOld: ("RFC 8996", "https://www.rfc-editor.org/rfc/rfc8996")
        case .versionUnknown: ("RFC 8446 §4.2.1", "https://www.rfc-editor.org/rfc/rfc8446#section-4.2.1")
        case .handshakeFailed, .handshakeRefused:
            ("RFC 8446 §4.4.3", "https://www.rfc-editor.org/rfc/rfc8446#section-4.4.3")
        case .appleRefused: ("RFC 8446 §4.1.1", "https://www.rfc-editor.org/rfc/rfc8446#section-4.1.1")
        }
    }
}
