//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

package import ServerReports

/// Makes the record of a host that passes, with what a test changes of it.
package func passingRecord(_ change: (inout ScanRecord) -> Void = { _ in }) -> ScanRecord {
    var record = ScanRecord(line: 1, date: "now", outcome: .init(ats: "passed", fcp: nil, trust: "passed"))
    (record.host, record.port, record.plan) = ("a.test", 443, "ats")
    (record.versions, record.cipherSuites) = (["TLS 1.3"], ["TLS_AES_128_GCM_SHA256"])
    change(&record)
    return record
}
