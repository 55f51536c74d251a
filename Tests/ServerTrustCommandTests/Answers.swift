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
