//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import ServerTrust

/// The trust evaluator of one domain of a configuration.
struct ConfiguredTrustEvaluator: ServerTrustEvaluating {
    private let anchors: AnchorSources?
    private let base: ServerTrustEvaluator

    init(_ domain: PinnedDomain) {
        self.anchors = domain.anchors
        self.base = domain.pins.map { .pins($0) } ?? .default
    }

    func evaluate(_ trust: Trust, forHost host: String) -> ServerTrustDecision {
        self.base.evaluate(self.restricted(trust), forHost: host)
    }

    func evaluate(
        _ trust: Trust, forHost host: String, fetching fetcher: any ResourceFetcher, options: FetchOptions
    ) async throws -> ServerTrustDecision {
        try await self.base.evaluate(self.restricted(trust), forHost: host, fetching: fetcher, options: options)
    }

    private func restricted(_ trust: Trust) -> Trust {
        guard let anchors else { return trust }
        var trust = trust
        trust.anchorClasses = anchors.classes
        // The application's anchors join the system's, and the configuration's certificates count as application anchors.
        if anchors.classes.contains(.system) || !anchors.certificates.isEmpty {
            trust.anchorClasses.insert(.application)
        }
        for certificate in anchors.certificates { trust.anchors.add(certificate) }
        return trust
    }
}
