//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import ServerDiagnosis
import ServerReports
import ServerTrust

extension CommandTrust {
    /// Says of the files of roots what became of them, where the answer has no place for it: those that no path ended at, what
    /// was passed over in them, and the certificates that were left out.
    func warnOfRoots() {
        for position in self.trust.storeUse?.unused ?? [] where self.files.indices.contains(position) {
            Console.complain(
                "\(self.files[position].name) was used for nothing: no path ends at a certificate of it")
        }
        for file in self.files {
            if let besides = file.besides { Console.complain("\(file.name): \(besides) in it was passed over") }
        }
        let shown = 4
        for issue in self.storeIssues.prefix(shown) { Console.complain("left out of the anchors: \(issue)") }
        let more = self.storeIssues.count - shown
        if more > 0 { Console.complain("left out of the anchors: \(more) more certificates") }
    }
}
