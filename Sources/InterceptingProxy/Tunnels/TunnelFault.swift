//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import AppTransportSecurity
package import ServerReports
import TLSWire

/// What speaks against the TLS of a program that passes through a tunnel.
enum TunnelFault: Error, Sendable {
    /// What the program sends is not TLS.
    case notTLS
    /// The hello of the program breaks the rules of TLS.
    case malformedHello(FlightError)
    /// The hello may hide a name.
    case hiddenName
    /// The hello names another server than the tunnel, or no server.
    case serverName(String?, expected: String?)
    /// What the server sends is not TLS.
    case serverNotTLS
    /// The answer of the server breaks the rules of TLS.
    case malformedAnswer(FlightError)
    /// What was agreed on is less than the rules demand.
    case transport(ATSViolation)
    /// The server goes on with an earlier session, and shows no certificate.
    case resumedSession
    /// The server shows no certificate.
    case noCertificate
    /// The server shows another certificate than when it was judged.
    case anotherCertificate
}

extension TunnelFault {
    /// Whether trust or policy refuses the server.
    var isOfTrust: Bool {
        switch self {
        case .transport, .noCertificate, .anotherCertificate: true
        default: false
        }
    }

    /// A short, stable name for programs.
    var code: String {
        switch self {
        case .notTLS: "not-tls"
        case .malformedHello: "malformed-hello"
        case .hiddenName: "hidden-name"
        case .serverName: "server-name"
        case .serverNotTLS: "server-not-tls"
        case .malformedAnswer: "malformed-answer"
        case .transport(let violation): violation.code
        case .resumedSession: "resumed-session"
        case .noCertificate: "no-certificate"
        case .anotherCertificate: "another-certificate"
        }
    }

    /// What is wrong and what to do: the program itself gets an alert alone.
    var message: String { "\(self.reason) \(self.remedy)" }

    fileprivate var reason: String {
        switch self {
        case .notTLS: "The program does not speak TLS in the tunnel."
        case .malformedHello(let error): "The hello of the program cannot be read: \(error.message)"
        case .hiddenName: "The hello of the program has an encrypted part, which may name another server (ECH)."
        case .serverName(let name?, let expected?):
            "The hello of the program is for \(name), and the tunnel is to \(expected)."
        case .serverName(let name?, nil): "The hello of the program is for \(name), and the tunnel is to an address."
        case .serverName(nil, _): "The hello of the program names no server (SNI)."
        case .serverNotTLS: "The server does not answer with TLS."
        case .malformedAnswer(let error): "The answer of the server cannot be read: \(error.message)"
        case .transport(let violation): violation.message
        case .resumedSession: "The server goes on with an earlier session of TLS, and shows no certificate."
        case .noCertificate: "The server shows no certificate."
        case .anotherCertificate: "The server shows another certificate than when the proxy judged it."
        }
    }

    fileprivate var remedy: String {
        switch self {
        case .notTLS, .malformedHello: "Have the program speak TLS, or start the proxy without --tunnel."
        case .hiddenName: "Turn Encrypted Client Hello off in the program, or start the proxy without --tunnel."
        case .serverName(_?, nil):
            "Have the program open the tunnel to the name, or send no name for an address (RFC 6066)."
        case .serverName: "Have the program send the name of the server that it opens the tunnel to."
        case .serverNotTLS, .malformedAnswer, .noCertificate: "Have the server corrected."
        case .transport: "Have the program offer what Apple's systems offer, or start the proxy without --tunnel."
        case .resumedSession: "Try again: the program begins a new session after the alert."
        case .anotherCertificate:
            "Try again, or start the proxy without --tunnel if the server has several certificates."
        }
    }

    /// What the program is told (RFC 8446 §6.2, RFC 6066 §3); `nil` for a program that does not speak TLS.
    var alert: TLSAlertDescription? {
        switch self {
        case .notTLS: nil
        case .serverName: .unrecognizedName
        case .malformedHello: .illegalParameter
        case .hiddenName, .transport, .noCertificate, .anotherCertificate, .resumedSession: .accessDenied
        case .serverNotTLS, .malformedAnswer: .handshakeFailure
        }
    }

    /// The alert as a record. Programs of TLS 1.3 take it in the clear before the server's hello.
    var record: [UInt8] {
        guard let alert else { return [] }
        return [TLSContentType.alert.rawValue, 3, 3, 0, 2, 2, alert.rawValue]
    }
}

/// The codes of faults, in words. What is below App Transport Security has the codes of that.
package enum TunnelCodes {
    /// Each code in words.
    package static let all = Self.rows.map { fault, sentence in
        ExplainedCode(.tunnel, fault.code, sentence: sentence ?? fault.reason, remedy: fault.remedy)
    }

    /// Faults, with a sentence for those whose own says what was read.
    private static let rows: [(TunnelFault, String?)] = [
        (.notTLS, nil),
        (.malformedHello(.tooManyRecords), "The hello of the program breaks the rules of TLS."),
        (.hiddenName, nil),
        (
            .serverName(nil, expected: nil),
            "The hello of the program names another server than the tunnel, or no server."
        ),
        (.serverNotTLS, nil),
        (.malformedAnswer(.tooManyRecords), "The answer of the server breaks the rules of TLS."),
        (.resumedSession, nil),
        (.noCertificate, nil),
        (.anotherCertificate, nil),
    ]
}
