//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

package import AppTransportSecurity
import ConfigurationDocuments

extension ATSDictionary {
    /// A warning about ignored keys with the advice to lint the file, or `nil` if the policy uses all keys as written.
    package var warning: String? {
        let unread = self.issues.filter { issue in
            if case .numberForBoolean = issue.kind { false } else { true }
        }
        let lines = unread.map { $0.position?.line ?? 0 }
        guard let first = zip(unread, lines).min(by: { $0.1 < $1.1 })?.0 else { return nil }
        let place = first.position.map { " of line \($0.line)" } ?? ""
        let more = unread.count > 1 ? ", and \(unread.count - 1) more, do" : " does"
        return "\(first.key)\(place)\(more) not count as written. Lint the file to see why"
    }
}
