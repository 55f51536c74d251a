//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import CertificatePath
import ServerReports
import ServerTrust

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// A comparison of two sets of roots.
struct RootComparison: Encodable, DocumentReport {
    private let format = "servertrust.apple-data-compare/1"
    private let dataDate: String
    private let common: Int
    private let onlyApple: [Root]
    private let onlyStore: [Root]

    /// The properties that identify a root for people and programs.
    private struct Root: Encodable {
        let name: String
        let sha256: String
        let notAfter: String
        /// The reason why Apple's systems do not trust the root for servers although it is in Apple's data, or `nil` if there is
        /// none.
        let remark: String?
    }

    /// Compares Apple's roots for TLS servers with those of a store.
    ///
    /// - Parameters:
    ///   - data: Apple's data.
    ///   - store: The store.
    ///   - now: The current date.
    init(_ data: AppleTrustData, with store: TrustStore, at now: Date) {
        let (apple, own) = (Set(data.serverRoots), Set(store.certificates))
        self.dataDate = ISO8601.text(data.date)
        self.common = apple.intersection(own).count
        self.onlyApple = Self.roots(apple.subtracting(own)) { $0.notValidAfter < now ? "expired" : nil }
        self.onlyStore = Self.roots(own.subtracting(apple)) { root in
            data.certificates.contains(root) ? "in Apple's data, but not for TLS servers" : nil
        }
    }

    private static func roots(_ certificates: Set<Certificate>, _ remark: (Certificate) -> String?) -> [Root] {
        certificates.map { certificate in
            Root(
                name: DisplayText.text(certificate.subjectSummary),
                sha256: JSONText.hexadecimal(certificate.sha256Fingerprint),
                notAfter: ISO8601.text(certificate.notValidAfter), remark: remark(certificate))
        }.sorted { ($0.name, $0.sha256) < ($1.name, $1.sha256) }
    }

    /// The verdict is always positive, whatever the differences are.
    var verdict: ReportVerdict { .trusted }

    var document: Self { self }

    func text(_ style: TextStyle) -> String {
        "\(self.common) roots are in both (Apple's data of \(self.dataDate)).\n"
            + Self.list(
                "Roots for TLS servers that only Apple's systems trust: \(self.onlyApple.count)", self.onlyApple)
            + Self.list("Roots that only the store trusts: \(self.onlyStore.count)", self.onlyStore)
    }

    private static func list(_ title: String, _ roots: [Root]) -> String {
        guard !roots.isEmpty else { return "" }
        return "\n\(title)\n"
            + roots.map { root in
                "  \(root.sha256.prefix(16))  \(root.notAfter.prefix(10))  \(root.name)"
                    + (root.remark.map { " (\($0))" } ?? "") + "\n"
            }.joined()
    }
}
