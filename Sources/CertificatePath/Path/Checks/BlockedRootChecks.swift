//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

extension PathChecks {
    mutating func checkBlockedRoots() {
        let blocked = self.request.blockedRoots
        let last = self.certificates.count - 1
        for (index, certificate) in self.certificates.enumerated() {
            let anchor = index == last && self.path.endsWithAnchorCertificate ? self.path.anchor : nil
            guard let match = blocked.match(certificate, anchor: anchor, isLast: index == last) else { continue }
            self.reject(.blockedRoot(BlockedRoot(match: match, source: blocked.source)), at: index)
        }
        guard let key = self.path.anchor?.keyOctets, let match = blocked.match(key) else { return }
        self.reject(.blockedRoot(BlockedRoot(match: match, source: blocked.source)), at: last)
    }
}
