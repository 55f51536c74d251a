//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

package import AppTransportSecurity

/// A load and what is asked of it.
package struct ExplainedLoad {
    let url: String
    let destination: ATSDestination
    let explanation: ATSExplanation

    /// True if the answer is another one for an address on a network that the device is attached to.
    let isDecidedByLocality: Bool

    /// Explains a load.
    ///
    /// - Parameters:
    ///   - url: The URL as a person wrote it.
    ///   - destination: Where it leads.
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

    /// Whether it is refused before a byte is sent.
    var isRefused: Bool { self.destination.scheme == .http && self.explanation.requirements.requiresTLS }

    /// The first word about it.
    var headline: String {
        guard self.destination.scheme == .http else { return "REQUIRES" }
        return self.isRefused ? "REFUSED" : "ALLOWED"
    }

    package var verdict: ReportVerdict { self.isRefused ? .notTrusted : .trusted }
}
