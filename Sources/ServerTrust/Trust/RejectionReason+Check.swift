//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import CertificatePath

extension RejectionReason {
    /// The check of Apple's that this reason fails, and so its error code and rank.
    var check: TrustCheck {
        // The one rule with two checks: Apple names the limits below system roots apart.
        if case .lifetimeTooLong(_, let limit) = self, limit.anchorClasses == [.system] {
            return .systemTrustValidityPeriod
        }
        return self.rules.first?.check ?? .certificateProfile
    }
}
