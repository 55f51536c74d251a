//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// The documents of docs/json.md as a program would read them; every field that is always there is not optional.
struct EvaluateAnswer: Decodable {
    let format: String
    let verdict: String
    let evaluation: Evaluation
    let storeIssues: [StoreIssue]
}

struct CheckAnswer: Decodable {
    let format: String
    let verdict: String
    let servers: [Server]
    let storeIssues: [StoreIssue]
}

struct DemoAnswer: Decodable {
    let format: String
    let isAsExpected: Bool
    let rootFile: String?
    let servers: [Entry]

    struct Entry: Decodable {
        let fault: String
        let summary: String
        let expected: String
        let isAsExpected: Bool
        let report: Server
    }
}

struct StoreIssue: Decodable {
    let path: String
    let position: Int
    let message: String
}

struct Server: Decodable {
    let server: String
    let host: String
    let port: Int
    let verdict: String
    let connectTo: String?
    let savedChain: String?
    let tls: TLS?
    let problems: [Problem]?
    let evaluation: Evaluation?
    let unreadableCertificates: [Unreadable]?
    let error: Failure?

    struct TLS: Decodable {
        let handshake: String
        let certificateCount: Int
        let version: String?
        let cipherSuite: String?
        let cipherSuiteNumber: String?
        let applicationProtocol: String?
        let remoteAddress: String?
    }

    struct Problem: Decodable {
        let code: String
        let message: String
        let remedy: String
    }

    struct Unreadable: Decodable {
        let position: Int
        let message: String
    }

    struct Failure: Decodable {
        let code: String
        let message: String
    }
}

struct Evaluation: Decodable {
    let verdict: String
    let policy: String
    let host: String?
    let profile: String
    let evaluatedAt: String
    let resultType: Int
    let resultTypeName: String
    let osStatus: Int
    let osStatusName: String
    let reasons: [Reason]
    let path: [PathCertificate]
    let anchorClass: String?
    let certificateTransparency: String
    let revocation: String
    let fetches: [Fetch]
    let verifiedSignatures: Int
    let pinning: Pinning?

    struct Pinning: Decodable {
        let file: String
        let status: String
        let domain: String?
        let line: Int?
        let configuredPins: [String]
        let pathPins: [String]
        let expires: String?
    }

    struct Fetch: Decodable {
        let url: String
        let kind: String
        let certificateSubject: String
        let outcome: String
        let code: String?
        let message: String?
    }

    struct Reason: Decodable, Equatable {
        let code: String
        let check: String
        let osStatus: Int
        let osStatusName: String
        let severity: String
        let certificateIndex: Int
        let certificateSubject: String
        let message: String
        let remedy: String
        let evidence: [String: String]
    }

    struct PathCertificate: Decodable {
        let subject: String
        let subjectSummary: String
        let issuer: String
        let serialNumber: String
        let notBefore: String
        let notAfter: String
        let key: String
        let signatureAlgorithm: String
        let spkiSHA256: String
        let sha256: String
        let dnsNames: [String]
        let ipAddresses: [String]
        let isAnchor: Bool
        let revocation: String?
    }
}

struct PinAnswer: Decodable {
    let format: String
    let verdict: String
    let targets: [Target]
    let configuration: Configuration?

    struct Target: Decodable {
        let target: String
        let host: String?
        let port: Int?
        let verdict: String
        let pins: [Pin]
        let reasons: [Finding]
        let error: String?
    }

    struct Pin: Decodable {
        let role: String
        let pin: String
        let certificatePin: String
        let subject: String
        let key: String
        let notAfter: String
    }

    struct Finding: Decodable {
        let message: String
        let remedy: String
        let codes: String
    }

    struct Configuration: Decodable {
        let dialect: String
        let text: String
        let notes: [String]
    }
}

struct PinsAnswer: Decodable {
    let format: String
    let file: String
    let dialect: String
    let isUsable: Bool
    let verdict: String
    let diagnostics: [Diagnostic]
    let domains: [Domain]
    let targets: [Target]

    struct Diagnostic: Decodable {
        let severity: String
        let code: String
        let message: String
        let remedy: String
        let line: Int?
        let column: Int?
    }

    struct Domain: Decodable {
        let host: String
        let subdomains: String
        let port: Int?
        let line: Int?
        let pins: [String]
        let lacksBackup: Bool
        let expires: String?
        let isReportOnly: Bool
    }

    struct Target: Decodable {
        let target: String
        let host: String?
        let verdict: String
        let evaluation: Evaluation?
        let reasons: [PinAnswer.Finding]
        let error: String?
    }
}
