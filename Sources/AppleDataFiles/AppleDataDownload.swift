//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import ServerDiagnosisNIO
import ServerReports
package import ServerTrust
import ServerTrustNIO

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// Fetches an archive of Apple's data from a server that is judged by the data at hand.
package struct AppleDataDownload {
    private let url: String
    private let download: HTTPSDownload

    private static let timeout = Duration.seconds(120)

    /// - Parameters:
    ///   - address: The address of the archive, or of a repository at github.com.
    ///   - roots: What is trusted beside Apple's roots.
    ///   - timeout: The time for all of it; `nil` for two minutes.
    ///   - allowsLocalAddresses: Whether to connect to private and loopback addresses too.
    /// - Throws: `TrustStoreError` or `AppleTrustDataError`, whose descriptions say what to do.
    package init(
        _ address: String, trusting roots: [TrustStore], timeout: Duration?,
        dangerouslyAllowsLocalAddresses allowsLocalAddresses: Bool
    ) throws {
        self.url = Self.archive(of: address)
        // Data that cannot be read are what an update mends.
        let data = (try? AppleTrustData.atHand()) ?? .builtIn
        let now = Date()
        var trust = TrustConfiguration(anchors: .none, data: data, now: now)
        trust.anchors.blockedRoots = data.blockedRoots
        // The given ones first: Apple's rules for them hold where a root is in both.
        for store in roots + [try .apple(data)] { trust.anchors.add(store) }
        let rules = trust
        self.download = HTTPSDownload(
            timeout: timeout ?? Self.timeout, allowsLocalAddresses: allowsLocalAddresses
        ) { certificates, host in
            do {
                let question = try Trust(
                    certificates: certificates, policy: .tlsServer(hostname: host.text), configuration: rules)
                return question.evaluate().failure?.description
            } catch {
                return "\(error)"
            }
        }
    }

    /// The archive.
    package func contents() async throws -> [UInt8] {
        do throws(ResourceError) {
            return try await self.download.contents(of: self.url, maximumSize: AppleDataArchive.maximumSize)
        } catch {
            throw AppleDataError("cannot fetch \(DisplayText.text(self.url)): \(DisplayText.text(error.reason))")
        }
    }

    /// The address of the archive: of a repository at github.com, the one that GitHub makes of its newest state.
    static func archive(of address: String) -> String {
        let path = address.dropFirst("https://github.com/".count).split(separator: "/", omittingEmptySubsequences: true)
        guard address.hasPrefix("https://github.com/"), path.count == 2, let repository = path.last else {
            return address
        }
        let name = repository.hasSuffix(".git") ? repository.dropLast(4) : repository
        return "https://github.com/\(path[0])/\(name)/archive/HEAD.tar.gz"
    }
}
