//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import ServerDiagnosis
import ServerReports
import ServerTrust

extension CommandTrust {
    /// Reports on the files with roots if the answer itself does not: unused files, ignored contents and certificates that were
    /// left out.
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
