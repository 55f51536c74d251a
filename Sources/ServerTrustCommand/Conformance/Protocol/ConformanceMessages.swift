//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import AppTransportSecurity
import CertificatePath
import ServerTrust

/// A request of the conformance protocol: one line of JSON.
struct ConformanceRequest: Decodable {
    let v: Int
    let id: String
    let op: String

    // MARK: parse

    let der: String?

    // MARK: validate

    let roots: [String]?
    let intermediates: [String]?
    let leaf: String?
    let time: Int64?
    let peer_name: Name?
    let peer_names: [Name]?
    let purpose: String?
    let eku: [String]?
    let key_usage: [String]?
    let max_depth: Int?
    let policy: Policy?
    let crls: [String]?
    let ocsp: [String]?
    let revocation: String?
    let profile: String?
    let anchor_class: String?
    let leaf_pins: [String]?
    let ca_pins: [String]?
    let ct: Transparency?
    let program: Program?

    // MARK: ats, ats-pins

    let plist: ATSDictionary?
    let host: String?
    let address: String?
    let local: Bool?
    let client: String?
    let strict: String?

    struct Name: Decodable {
        let kind: String
        let value: String
    }

    struct Transparency: Decodable {
        let logs: [Lenient<Log>]?
        let log_list: LogList?
        let list_date: Int64?
        let now: Int64?
        let scts: [String]?
        let public_roots: [String]?
        let exempt_roots: [String]?
        let exceptions: Exceptions?
        let enforce: Bool?

        struct Log: Decodable {
            let key: String?
            let log_id: String?
            let `operator`: String?
            let frozen: Int64?
            let expiry: Int64?
            let start_inclusive: Int64?
            let end_exclusive: Int64?
        }

        struct Exceptions: Decodable {
            let domains: [String]?
            let keys: [String]?
        }
    }

    struct Program: Decodable {
        let roots: [String]
        let constraints: [String: [String: [String]]]?
        let valid: [Row]?
        /// The SHA-256 fingerprints of blocked roots, in hexadecimal.
        let blocked: [String]?

        struct Row: Decodable { let issuer: String }
    }

    /// A value, or `nil` if the JSON has another type.
    struct Lenient<Value: Decodable>: Decodable {
        let value: Value?

        init(from decoder: any Decoder) throws { self.value = try? Value(from: decoder) }
    }

    struct Policy: Decodable {
        let initial: [String]
        let explicit: Bool
        let inhibit_mapping: Bool
        let inhibit_any: Bool
    }
}

/// An answer of the conformance protocol: one line of JSON.
struct ConformanceAnswer: Encodable {
    /// The identifier of the request, or null if the line has no readable one.
    let id: String?
    var verdict: Verdict
    var reason: String?
    var detail: String?
    var chain: [String]?
    var policies: [String]?
    var us: Int?
    var signatures: Int?
    var result_type: String?
    var osstatus: Int32?
    var ct: Bool?

    enum Verdict: String, Encodable {
        case accept
        case reject
        /// The request requires a feature that this program does not have. This is never an acceptance.
        case unsupported
    }

    /// Returns the answer to a line that is not a request. A driver that waits for one answer to each line must receive one.
    static func unreadable(_ detail: String) -> ConformanceAnswer {
        ConformanceAnswer(id: nil, .unsupported, detail: detail)
    }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(self.id, forKey: .id)
        try container.encode(self.verdict, forKey: .verdict)
        try container.encodeIfPresent(self.reason, forKey: .reason)
        try container.encodeIfPresent(self.detail, forKey: .detail)
        try container.encodeIfPresent(self.chain, forKey: .chain)
        try container.encodeIfPresent(self.policies, forKey: .policies)
        try container.encodeIfPresent(self.us, forKey: .us)
        try container.encodeIfPresent(self.signatures, forKey: .signatures)
        try container.encodeIfPresent(self.result_type, forKey: .result_type)
        try container.encodeIfPresent(self.osstatus, forKey: .osstatus)
        try container.encodeIfPresent(self.ct, forKey: .ct)
    }

    private enum CodingKeys: CodingKey {
        case id, verdict, reason, detail, chain, policies, us, signatures, result_type, osstatus, ct
    }

    init(id: String?, _ verdict: Verdict, reason: String? = nil, detail: String? = nil) {
        self.id = id
        self.verdict = verdict
        self.reason = reason
        self.detail = detail
    }
}
