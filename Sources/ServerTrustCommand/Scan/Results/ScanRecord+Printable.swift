//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

extension ScanRecord {
    /// The same with everything escaped that a terminal, or a page, would not show as it is. Files of results come from
    /// anywhere.
    var printable: ScanRecord {
        var record = self
        record.host = self.host.map(PrintableText.text)
        record.connectTo = self.connectTo.map(PrintableText.text)
        record.text = self.text.map(PrintableText.text)
        record.address = self.address.map(PrintableText.text)
        record.date = PrintableText.text(self.date)
        record.reasons = self.reasons.map(PrintableText.text)
        record.findings = self.findings.map(\.printable)
        record.error = self.error?.printable
        record.versions = self.versions.map(PrintableText.text)
        record.cipherSuites = self.cipherSuites.map(PrintableText.text)
        record.groups = self.groups.map(PrintableText.text)
        record.certificate = self.certificate?.printable
        // Sums of these must not overflow.
        record.connections = min(max(0, self.connections), 1_000_000_000)
        record.milliseconds = min(max(0, self.milliseconds), 1_000_000_000)
        return record
    }
}

extension ScanFinding {
    fileprivate var printable: ScanFinding {
        ScanFinding(
            code: PrintableText.text(self.code), message: PrintableText.text(self.message),
            remedy: self.remedy.map(PrintableText.text), questions: self.questions?.map(PrintableText.text))
    }
}

extension ScanCertificate {
    fileprivate var printable: ScanCertificate {
        ScanCertificate(
            subject: PrintableText.text(self.subject), issuer: PrintableText.text(self.issuer),
            notAfter: PrintableText.text(self.notAfter), daysLeft: self.daysLeft, key: PrintableText.text(self.key),
            sha256: PrintableText.text(self.sha256), spkiSHA256: PrintableText.text(self.spkiSHA256))
    }
}
