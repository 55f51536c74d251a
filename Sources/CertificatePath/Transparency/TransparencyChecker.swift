//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// Finds out what the timestamps of a leaf are worth.
struct TransparencyChecker {
    let leaf: CertificateView
    /// The key of the leaf's issuer; `nil` for a leaf that is itself the anchor.
    let issuerKey: PublicKeySource?
    let request: TransparencyRequest
    let time: Timestamp
    /// Responses about the leaf from anywhere: CertificateTransparency.m does not ask who signed them, or when.
    let responses: [OCSPResponse]
    /// What was verified before.
    let cache: SignatureCache?

    /// The report of a path on which nothing is required.
    ///
    /// - Parameter work: What may still be spent; reduced by what was.
    func report(spending work: inout TransparencyWork) -> TransparencyReport {
        let rules = self.request.rules
        let needed = rules.neededLogs(from: self.leaf.notBefore, to: self.leaf.notAfter)
        var tally = TransparencyTally(rules, needed: needed, at: self.time)
        var entries: [TransparencyReport.Entry] = []
        for var delivery in self.delivered() {
            for item in delivery.items {
                let judged = self.judge(item, of: &delivery, spending: &work)
                entries.append(judged.entry)
                if let log = judged.log, let time = judged.milliseconds {
                    tally.count(log, time, from: delivery.source)
                } else if judged.entry.status == .unknownLog {
                    tally.noteUnknown(judged.entry)
                }
            }
        }
        let standing = tally.standing
        return TransparencyReport(
            entries: entries, meetsPolicy: tally.meetsPolicy, couldMeetPolicy: tally.couldMeetPolicy, isRequired: false,
            isUndetermined: false, neededLogs: standing.needed, countedLogs: standing.counted,
            countedOperators: tally.operators)
    }

    // MARK: What was delivered

    /// A list of timestamps, and what logs signed for all of them, which is made for the first one of a log that is known.
    private struct Delivery {
        let source: TransparencyReport.Source
        let items: [ArraySlice<UInt8>]
        let makeEntry: () -> TransparencyEntry?
        lazy var entry = self.makeEntry()

        init(_ source: TransparencyReport.Source, _ list: ArraySlice<UInt8>, entry: @escaping () -> TransparencyEntry?)
        {
            (self.source, self.items, self.makeEntry) = (source, TimestampList.items(of: list), entry)
        }
    }

    private func delivered() -> [Delivery] {
        var deliveries: [Delivery] = []
        let leaf = self.leaf
        if let issuerKey, let body = PrecertificateBody(leaf), let list = body.timestampList(in: leaf.bytes) {
            deliveries.append(
                Delivery(.certificate, list) { TransparencyEntry(body, of: leaf, issuerKey: issuerKey) })
        }
        for list in self.responses.compactMap(self.timestampList) {
            deliveries.append(Delivery(.response, list) { TransparencyEntry(certificate: leaf) })
        }
        for list in self.request.timestampLists {
            deliveries.append(Delivery(.handshake, list[...]) { TransparencyEntry(certificate: leaf) })
        }
        return deliveries
    }

    /// The list in the first answer about the leaf.
    private func timestampList(in response: OCSPResponse) -> ArraySlice<UInt8>? {
        guard let issuerKey else { return nil }
        let reading = OCSPReading(of: response, about: self.leaf, issuerKey: issuerKey)
        return reading.answers.first?.timestampList.flatMap {
            PrecertificateBody.octetString($0, in: response.bytes)
        }
    }

    // MARK: One timestamp

    private struct Judged {
        let entry: TransparencyReport.Entry
        /// The log that signed it, when it counts.
        var log: TransparencyLog?
        var milliseconds: UInt64?
    }

    private func judge(
        _ octets: ArraySlice<UInt8>, of delivery: inout Delivery, spending work: inout TransparencyWork
    ) -> Judged {
        let source = delivery.source
        guard let timestamp = SignedCertificateTimestamp(octets) else {
            return Judged(
                entry: .init(source: source, logIdentifier: [], logName: nil, time: nil, status: .malformed))
        }
        let log = self.request.logs.log(named: timestamp.logIdentifier)
        var status = self.status(of: timestamp, from: source, log: log)
        if status == .valid, let log, let entry = delivery.entry, let algorithm = timestamp.algorithm {
            if work.takes(entry) {
                let message = timestamp.signedOctets(entry)
                let isSigned = self.isSigned(message, timestamp.signature, algorithm: algorithm, by: log)
                status = isSigned ? .valid : .badSignature
            } else {
                status = .notExamined
            }
        } else if status == .valid {
            status = .badSignature
        }
        let seconds = Int64(clamping: timestamp.milliseconds / 1_000)
        let told = TransparencyReport.Entry(
            source: source, logIdentifier: Array(timestamp.logIdentifier), logName: log?.name,
            time: Timestamp(secondsSinceEpoch: seconds), status: status)
        guard status == .valid else { return Judged(entry: told) }
        return Judged(entry: told, log: log, milliseconds: timestamp.milliseconds)
    }

    /// Everything but the signature (CertificateTransparency.m `isSCTValidForLogData`).
    private func status(
        of timestamp: SignedCertificateTimestamp, from source: TransparencyReport.Source, log: TransparencyLog?
    ) -> TransparencyReport.Status {
        guard timestamp.version == SignedCertificateTimestamp.version1 else { return .unknownVersion }
        guard timestamp.milliseconds <= TransparencyTally.milliseconds(self.time) else { return .future }
        guard let log else { return timestamp.algorithm == nil ? .unsupportedAlgorithm : .unknownLog }
        switch log.state {
        case .usable: break
        case .retired: guard source == .certificate else { return .retiredLog }
        case .readOnly(let since):
            guard Int64(clamping: timestamp.milliseconds / 1_000) <= since.secondsSinceEpoch else {
                return .readOnlyLog
            }
        }
        guard log.takes(expiry: self.leaf.notAfter) else { return .outsideInterval }
        return timestamp.algorithm == nil ? .unsupportedAlgorithm : .valid
    }

    private func isSigned(
        _ message: [UInt8], _ signature: ArraySlice<UInt8>, algorithm: SignatureAlgorithm, by log: TransparencyLog
    ) -> Bool {
        let digest = self.cache.map { _ in
            TimestampDigest(message, signature, algorithm: algorithm, signedBy: log.key)
        }
        if let cache, let digest, cache.contains(digest) { return true }
        let outcome = SignatureVerifier.verify(
            signature: signature, of: message[...], algorithm: algorithm, with: log.key)
        if outcome == .valid, let digest { cache?.insert(digest) }
        return outcome == .valid
    }
}

/// What one evaluation spends on timestamps, whatever paths it finds: a stranger writes the lists, and the leaf too.
struct TransparencyWork {
    /// More than any server delivers.
    private(set) var verifications = 16
    /// What the logs sign is hashed once for each timestamp.
    private var octets = 1 << 20

    /// Whether there is enough left for one more timestamp of an entry, which is then spent.
    mutating func takes(_ entry: TransparencyEntry) -> Bool {
        guard self.verifications > 0, entry.octets.count <= self.octets else { return false }
        self.verifications -= 1
        self.octets -= entry.octets.count
        return true
    }
}
