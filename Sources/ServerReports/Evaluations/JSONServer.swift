//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import ServerTrust
import ServerTrustNIO
import TLSWire

/// The report on one server, in JSON.
package struct JSONServer: Encodable {
    private let server: String
    private let host: String
    private let port: Int
    private let connectTo: String?
    private let verdict: String
    private let savedChain: String?
    private var tls: JSONConnection?
    private var problems: [JSONProblem]?
    private var evaluation: JSONEvaluation?
    private var unreadableCertificates: [JSONUnreadable]?
    private var transportSecurity: JSONTransportSecurity?
    private var error: JSONError?
    private var addresses: [JSONCheckedAddress]?
    private var addressContradictions: [JSONAddressContradiction]?

    package init(_ report: ServerReport) {
        self.server = "\(report.endpoint)"
        self.host = report.endpoint.host.text
        self.port = report.endpoint.port
        self.connectTo = report.endpoint.connectAddress?.text
        self.verdict = report.verdict.name
        self.savedChain = report.savedTo.map(DisplayText.text)
        if !report.addresses.isEmpty {
            self.addresses = report.addresses.map(JSONCheckedAddress.init)
            self.addressContradictions = report.addressContradictions.map(JSONAddressContradiction.init)
        }
        switch report.outcome {
        case .judged(let server):
            self.tls = JSONConnection(server.chain)
            self.problems = server.problems.map(JSONProblem.init)
            self.transportSecurity = server.transportSecurity.map(JSONTransportSecurity.init)
            self.evaluation = JSONEvaluation(server.judgment)
            self.unreadableCertificates = server.unreadable.map(JSONUnreadable.init)
        case .refused(let transport, let failure):
            self.transportSecurity = JSONTransportSecurity(transport)
            self.error = JSONError(code: failure.code, message: DisplayText.text(failure.message))
        case .failed(let failure):
            self.error = JSONError(code: failure.code, message: DisplayText.text(failure.message))
        }
    }
}

/// The negotiated parameters of a connection, in JSON.
struct JSONConnection: Encodable {
    private let version: String?
    private let cipherSuite: String?
    private let cipherSuiteNumber: String?
    private let extendedMasterSecret: Bool?
    private let applicationProtocol: String?
    private let remoteAddress: String?
    private let handshake: String
    private let certificateCount: Int

    init(_ chain: PresentedChain) {
        self.version = chain.protocolVersion?.description
        self.cipherSuite = chain.cipherSuite?.description
        self.cipherSuiteNumber = chain.cipherSuite?.hexadecimal
        self.extendedMasterSecret = chain.usesExtendedMasterSecret
        self.applicationProtocol = chain.applicationProtocol.map(DisplayText.text)
        self.remoteAddress = chain.remoteAddress
        self.certificateCount = chain.certificates.count
        self.handshake =
            switch chain.handshake {
            case .completed: "completed"
            case .refused: "refused"
            case .failed: "failed"
            }
    }
}

/// A fault of the connection, in JSON.
struct JSONProblem: Encodable {
    private let code: String
    private let message: String
    private let remedy: String

    init(_ problem: ConnectionProblem) {
        self.code = problem.code
        self.message = problem.message
        self.remedy = problem.remedy
    }
}

/// An unreadable certificate of the server, in JSON.
struct JSONUnreadable: Encodable {
    private let position: Int
    private let message: String

    init(_ certificate: UnreadableCertificate) {
        self.position = certificate.position
        self.message = "\(certificate.error)"
    }
}

/// The result of one address of a name, in JSON.
struct JSONCheckedAddress: Encodable {
    private let address: String
    private let verdict: String
    private let error: JSONError?

    init(_ checked: CheckedAddress) {
        self.address = checked.address
        self.verdict = checked.report.verdict.name
        self.error = checked.report.failure.map { JSONError(code: $0.code, message: DisplayText.text($0.message)) }
    }
}
