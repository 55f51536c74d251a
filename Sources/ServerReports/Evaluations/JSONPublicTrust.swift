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

/// The public roots that a verdict depends on, in JSON.
struct JSONPublicTrust: Encodable {
    private let roots: String
    private let dataDate: String
    private let origin: String
    private let rootStatus: JSONDataPart?
    private let appleLogList: JSONDataPart
    private let judgesNewCertificates: Bool
    private let isCurrent: Bool
    private let transparencyPolicy: String
    private let logList: JSONLogList?

    init(_ basis: PublicTrustBasis) {
        self.roots = basis.roots.rawValue
        self.dataDate = ISO8601.text(basis.date)
        self.origin = JSONDataPart(basis.parts.roots).origin
        self.rootStatus = basis.parts.rootStatus.map(JSONDataPart.init)
        self.appleLogList = JSONDataPart(basis.parts.logList)
        self.judgesNewCertificates = basis.newCertificates.suffices
        self.isCurrent = basis.isCurrent
        self.transparencyPolicy = basis.transparencyRules.rawValue
        self.logList = basis.hasOtherLogs ? JSONLogList(date: basis.logListDate.map(ISO8601.text)) : nil
    }
}

/// The date and the origin of a part of Apple's data.
struct JSONDataPart: Encodable {
    fileprivate let date: String
    fileprivate let origin: String

    init(_ part: AppleTrustData.Part) {
        self.date = ISO8601.text(part.date)
        self.origin =
            switch part.origin {
            case .builtIn(let release): release
            case .folder(let path): DisplayText.text(path)
            }
    }
}

/// A list of logs that replaces Apple's list.
struct JSONLogList: Encodable {
    fileprivate let date: String?
}

/// A signed certificate timestamp, in JSON.
struct JSONTimestamp: Encodable {
    private let source: String
    private let logID: String
    private let log: String?
    private let signedAt: String?
    private let status: String

    init(_ entry: TransparencyReport.Entry) {
        self.source = entry.source.rawValue
        self.logID = Data(entry.logIdentifier).base64EncodedString()
        self.log = entry.logName.map(DisplayText.text)
        self.signedAt = entry.time.map { "\($0)" }
        self.status = entry.status.rawValue
    }
}
