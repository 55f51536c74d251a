//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import HTTPSession
import NIOCore
import ServerDiagnosis
import ServerReports
import ServerTrust
import ServerTrustNIO

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// A download of an archive of Apple's data. The server is evaluated with the current data.
struct AppleDataDownload {
    private let url: String
    private let session: HTTPSession
    private let timeout: Duration

    private static let timeout = Duration.seconds(120)
    private static let maximumRedirects = 5

    /// Creates a download.
    ///
    /// - Parameters:
    ///   - address: The address of the archive, or of a repository at github.com.
    ///   - roots: The roots to trust in addition to Apple's roots.
    ///   - timeout: The time limit for the download, or `nil` for two minutes.
    ///   - allowsLocalAddresses: `true` to connect to private and loopback addresses too.
    /// - Throws: `TrustStoreError` or `AppleTrustDataError` with descriptions that state the remedy.
    init(
        _ address: String, trusting roots: [TrustStore], timeout: Duration?,
        dangerouslyAllowsLocalAddresses allowsLocalAddresses: Bool
    ) throws {
        self.url = Self.archive(of: address)
        // An update repairs data that cannot be read.
        let data = (try? AppleTrustData.atHand()) ?? .builtIn
        let now = Date()
        var trust = TrustConfiguration(anchors: .none, data: data, now: now)
        trust.anchors.blockedRoots = data.blockedRoots
        // The named roots come first, so that Apple's rules for them apply to a root that is in both stores.
        for store in roots + [try .apple(data)] { trust.anchors.add(store) }
        self.session = HTTPSession(Self.configuration(trust, allowsLocalAddresses: allowsLocalAddresses))
        self.timeout = timeout ?? Self.timeout
    }

    private static func configuration(
        _ trust: TrustConfiguration, allowsLocalAddresses: Bool
    ) -> HTTPSessionConfiguration {
        var settings = ServerTrustSettings(trust: trust, transportSecurity: .withoutAppTransportSecurity)
        settings.tls = .makeClientConfigurationWithoutSHA1()
        var configuration = HTTPSessionConfiguration(trust: settings)
        configuration.allowsAddress = AddressRule(allowsLocalAddresses: allowsLocalAddresses).allows
        configuration.decodesContent = false
        configuration.limits.dataSize = AppleDataArchive.maximumSize
        return configuration
    }

    func contents() async throws -> [UInt8] {
        do {
            var request = HTTPSessionRequest(try HTTPURL(named: self.url, schemes: [.https]))
            request.redirects.maximumCount = Self.maximumRedirects
            request.followsRedirect = { $0.destination.userInformation == nil }
            request.timeout = self.timeout
            let (response, data) = try await self.session.data(for: request)
            guard response.status == 200 else {
                throw ResourceError(.badAnswer, "\(response.url.host) answers with status \(response.status)")
            }
            return Array(data.readableBytesView)
        } catch {
            throw CommandError(
                "cannot fetch \(DisplayText.text(self.url)): \(DisplayText.text(Self.reason(of: error)))")
        }
    }

    private static func reason(of error: any Error) -> String {
        guard let error = error as? HTTPSessionError else { return TransportErrorText.text(of: error) }
        let host = error.url.map { "\($0.host)" } ?? "the server"
        if error.isOfForbiddenAddress { return "the address of \(host) is not a public address" }
        guard case .refused(let refusal) = error.kind else { return error.reasonClause }
        return "\(host) is not trusted: \(TransportErrorText.text(of: refusal))"
    }

    /// Returns the address of the archive. For a repository at github.com it is the archive of the newest state.
    static func archive(of address: String) -> String {
        let path = address.dropFirst("https://github.com/".count).split(separator: "/", omittingEmptySubsequences: true)
        guard address.hasPrefix("https://github.com/"), path.count == 2, let repository = path.last else {
            return address
        }
        let name = repository.hasSuffix(".git") ? repository.dropLast(4) : repository
        return "https://github.com/\(path[0])/\(name)/archive/HEAD.tar.gz"
    }
}
