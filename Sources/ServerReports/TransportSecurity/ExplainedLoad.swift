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

    package init(url: String, destination: ATSDestination, explanation: ATSExplanation) {
        self.url = url
        self.destination = destination
        self.explanation = explanation
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
