//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import CertificatePath
import ServerTrust

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

extension ConformanceResponder {
    /// Returns the request's settings for certificate transparency. Unusable logs are ignored.
    static func transparency(_ request: ConformanceRequest) throws -> TransparencyRequest? {
        guard let asked = request.ct else { return nil }
        var transparency: TransparencyRequest
        if let list = asked.log_list {
            transparency = TransparencyRequest(
                logs: TransparencyLogs(list.logs), isListCurrent: Self.isCurrent(asked, evaluatedAt: request.time))
        } else {
            let logs = (asked.logs ?? []).compactMap { $0.value.flatMap(Self.log) }
            transparency = TransparencyRequest(logs: TransparencyLogs(logs))
        }
        transparency.isEnforced = asked.enforce ?? true
        transparency.timestampLists = (asked.scts ?? []).map(Self.bytes)
        transparency.publicRoots =
            asked.public_roots.map { .fingerprints(Set($0.map(Self.fingerprint))) } ?? .system
        transparency.exemptRoots = AppleAnchors.fingerprints.union((asked.exempt_roots ?? []).map(Self.fingerprint))
        transparency.exceptedDomains = asked.exceptions?.domains ?? []
        transparency.exceptedKeys = Set((asked.exceptions?.keys ?? []).map(Self.bytes))
        return transparency
    }

    /// Returns `true` if the date of the list is within sixty days of the present, in either direction (OTATrustUtilities.m
    /// `SecOTAPKIAssetStalenessLessThanSeconds`).
    private static func isCurrent(_ asked: ConformanceRequest.Transparency, evaluatedAt time: Int64?) -> Bool {
        guard let date = asked.list_date else { return false }
        let now = asked.now ?? time ?? Int64(Date().timeIntervalSince1970)
        return TransparencyRequest.isCurrent(
            listOf: Timestamp(secondsSinceEpoch: date), at: Timestamp(secondsSinceEpoch: now))
    }

    private static func log(_ log: ConformanceRequest.Transparency.Log) -> TransparencyLog? {
        guard let key = log.key.map(Self.bytes), !key.isEmpty else { return nil }
        let identifier = log.log_id.map(Self.bytes)
        let state: TransparencyLog.State =
            if let expiry = log.expiry {
                .retired(since: Timestamp(secondsSinceEpoch: expiry))
            } else if let frozen = log
                .frozen
            { .readOnly(since: Timestamp(secondsSinceEpoch: frozen)) } else { .usable }
        return try? TransparencyLog(
            subjectPublicKeyInfo: key, identifier: identifier?.isEmpty == true ? nil : identifier,
            operatorName: log.operator ?? "", state: state,
            firstExpiry: log.start_inclusive.map { Timestamp(secondsSinceEpoch: $0) },
            endOfExpiry: log.end_exclusive.map { Timestamp(secondsSinceEpoch: $0) })
    }

    /// Returns the roots that Apple's program permits as anchors of the system class.
    static func admitted(
        _ roots: [Certificate], _ anchorClass: AnchorClass, _ request: ConformanceRequest
    ) throws -> [Certificate] {
        guard let program = request.program else { return roots }
        guard program.valid?.isEmpty != false else { throw UnsupportedRequest(what: "the Valid database") }
        guard anchorClass == .system else { return roots }
        let rules = RootProgram(
            roots: Set(program.roots.map(Self.fingerprint)),
            policies: (program.constraints?["system"] ?? [:]).reduce(into: [:]) {
                $0[Self.fingerprint($1.key)] = Set($1.value)
            })
        let use: RootProgram.Use =
            request.purpose == "client" ? .tlsClient : request.purpose == "any" ? .basicX509 : .tlsServer
        return roots.filter { rules.admits($0, for: use) }
    }

    static func fingerprint(_ hexadecimal: String) -> [UInt8] { Fingerprint.octets(hexadecimal) ?? [] }
}
