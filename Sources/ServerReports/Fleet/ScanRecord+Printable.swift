//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

extension ScanRecord {
    /// The record with all control characters escaped for terminals and pages. A results file may come from an untrusted source.
    package var printable: ScanRecord {
        var record = self
        record.host = self.host.map(DisplayText.text)
        record.connectTo = self.connectTo.map(DisplayText.text)
        record.text = self.text.map(DisplayText.text)
        record.address = self.address.map(DisplayText.text)
        record.date = DisplayText.text(self.date)
        record.reasons = self.reasons.map(DisplayText.text)
        record.findings = self.findings.map(\.printable)
        record.error = self.error?.printable
        record.versions = self.versions.map(DisplayText.text)
        record.cipherSuites = self.cipherSuites.map(DisplayText.text)
        record.groups = self.groups.map(DisplayText.text)
        record.notes = self.notes?.map { DisplayText.text($0) }
        record.addresses = self.addresses?.map(\.printable)
        record.addressContradictions = self.addressContradictions?.map(\.printable)
        record.certificate = self.certificate?.printable
        // The sums of these values must not overflow.
        record.connections = min(max(0, self.connections), 1_000_000_000)
        record.milliseconds = min(max(0, self.milliseconds), 1_000_000_000)
        return record
    }
}

extension ScanFinding {
    fileprivate var printable: ScanFinding {
        ScanFinding(
            code: DisplayText.text(self.code), message: DisplayText.text(self.message),
            remedy: self.remedy.map(DisplayText.text), questions: self.questions?.map(DisplayText.text))
    }
}

extension ScanCertificate {
    /// The same with everything escaped that a page would not show as it is.
    var printable: ScanCertificate {
        var copy = ScanCertificate(
            subject: DisplayText.text(self.subject), issuer: DisplayText.text(self.issuer),
            notAfter: DisplayText.text(self.notAfter), daysLeft: self.daysLeft, key: DisplayText.text(self.key),
            sha256: DisplayText.text(self.sha256), spkiSHA256: DisplayText.text(self.spkiSHA256))
        copy.notBefore = self.notBefore.map(DisplayText.text)
        (copy.percentLeft, copy.expiry) = (self.percentLeft, self.expiry)
        return copy
    }
}
