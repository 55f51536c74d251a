//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

package import AppTransportSecurity

/// A load with the requirements of App Transport Security.
package struct ExplainedLoad {
    let url: String
    let destination: ATSDestination
    let explanation: ATSExplanation

    /// `true` if the requirements differ for an address on a local network.
    let isDecidedByLocality: Bool

    /// Explains a load.
    ///
    /// - Parameters:
    ///   - url: The URL as a person wrote it.
    ///   - destination: The destination of the load.
    ///   - policy: The app's policy.
    ///   - client: The part of the system that loads.
    package init(url: String, destination: ATSDestination, policy: ATSPolicy, client: ATSClient) {
        self.url = url
        self.destination = destination
        self.explanation = policy.explanation(for: destination, client: client)
        var near = destination
        near.isLocal = true
        let other = policy.explanation(for: near, client: client).requirements
        self.isDecidedByLocality =
            destination.address != nil && destination.isLocal == nil && destination.scheme == .http
            && other.requiresTLS != self.explanation.requirements.requiresTLS
    }

    /// `true` if the load is refused before a byte is sent.
    var isRefused: Bool { self.destination.scheme == .http && self.explanation.requirements.requiresTLS }

    var headline: String {
        guard self.destination.scheme == .http else { return "REQUIRES" }
        return self.isRefused ? "REFUSED" : "ALLOWED"
    }

    package var verdict: ReportVerdict { self.isRefused ? .notTrusted : .trusted }
}
