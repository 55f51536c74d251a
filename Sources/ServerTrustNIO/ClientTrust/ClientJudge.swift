//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import NIOSSL
import ServerTrust

/// The judge of clients under the settings of a gate. The settings are enforced here and nowhere else.
final class ClientJudge: Sendable {
    private let settings: ClientTrustSettings

    init(_ settings: ClientTrustSettings) {
        self.settings = settings
    }

    func judge(_ certificates: [NIOSSLCertificate]) -> Result<ClientIdentity, ClientTrustError> {
        let presented: PresentedCertificates
        let trust: Trust
        do {
            presented = try PresentedCertificates(certificates, atMost: self.settings.maximumCertificateCount)
            trust = try Trust(
                certificates: presented.parsed(), policy: .tlsClient(), configuration: self.settings.trust)
        } catch {
            return .failure(ClientTrustError(.unreadable, cause: error))
        }
        let decision = ClientTrustEvaluator(pins: self.settings.pins).evaluate(trust)
        if let failure = decision.failure { return .failure(ClientTrustError(failure, decision.result)) }
        guard let result = decision.result, let identity = ClientIdentity(result) else {
            return .failure(ClientTrustError(.unreadable))
        }
        return .success(identity)
    }
}
