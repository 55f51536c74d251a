//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// The evaluation of a leaf's timestamps.
struct TransparencyChecker {
    let leaf: CertificateView
    /// The key of the leaf's issuer, or `nil` if the leaf is the anchor.
    let issuerKey: PublicKeySource?
    let request: TransparencyRequest
    let time: Timestamp
    /// The responses about the leaf from any source. CertificateTransparency.m does not check their signer or their time.
    let responses: [OCSPResponse]
    /// The signatures that earlier evaluations verified.
    let cache: SignatureCache?

    /// Evaluates the timestamps and returns a report for a path that does not require them.
    ///
    /// - Parameter work: The work left, which the evaluation reduces.
    func report(spending work: inout TransparencyWork) -> TransparencyReport {
        let rules = self.request.rules
        let needed = rules.neededLogs(from: self.leaf.notBefore, to: self.leaf.notAfter)
        var tally = TransparencyTally(rules, needed: needed, at: self.time)
        var entries: [TransparencyReport.Entry] = []
        var logged = LoggedEntries(self.leaf, issuerKey: self.issuerKey)
        for (source, items) in self.delivered(logged.body) {
            for item in items {
                let judged = self.judge(item, from: source, as: &logged, spending: &work)
                entries.append(judged.entry)
                if let log = judged.log, let time = judged.milliseconds {
                    tally.count(log, time, from: source)
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

    // MARK: Lists of timestamps

    private func delivered(_ body: PrecertificateBody?) -> [(TransparencyReport.Source, [ArraySlice<UInt8>])] {
        let embedded = self.issuerKey.flatMap { _ in body?.timestampList(in: self.leaf.bytes) }
        return [embedded].compactMap(\.self).map { (.certificate, TimestampList.items(of: $0)) }
            + self.responses.compactMap(self.timestampList).map { (.response, TimestampList.items(of: $0)) }
            + self.request.timestampLists.map { (.handshake, TimestampList.items(of: $0[...])) }
    }

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
        /// The log that signed the timestamp, if the timestamp counts.
        var log: TransparencyLog?
        var milliseconds: UInt64?
    }

    private func judge(
        _ octets: ArraySlice<UInt8>, from source: TransparencyReport.Source, as logged: inout LoggedEntries,
        spending work: inout TransparencyWork
    ) -> Judged {
        guard let timestamp = SignedCertificateTimestamp(octets) else {
            return Judged(
                entry: .init(source: source, logIdentifier: [], logName: nil, time: nil, status: .malformed))
        }
        let log = self.request.logs.log(named: timestamp.logIdentifier)
        var status = self.status(of: timestamp, from: source, log: log)
        if status == .valid, let log, let entry = logged.entry(for: source), let algorithm = timestamp.algorithm {
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

    /// Checks everything except the signature (CertificateTransparency.m `isSCTValidForLogData`).
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

/// The entries that logs may have signed for a leaf. Each is made once, for the first timestamp of a known log,
/// regardless of the number of lists.
private struct LoggedEntries {
    private let leaf: CertificateView
    private let issuerKey: PublicKeySource?
    let body: PrecertificateBody?
    private lazy var precertificate = self.issuerKey.flatMap {
        TransparencyEntry(self.body, of: self.leaf, issuerKey: $0)
    }
    private lazy var certificate = TransparencyEntry(certificate: self.leaf)

    init(_ leaf: CertificateView, issuerKey: PublicKeySource?) {
        self.leaf = leaf
        self.issuerKey = issuerKey
        self.body = PrecertificateBody(leaf)
    }

    mutating func entry(for source: TransparencyReport.Source) -> TransparencyEntry? {
        source == .certificate ? self.precertificate : self.certificate
    }
}

/// The work that one evaluation may spend on timestamps on all its paths. An attacker may write the lists, and the leaf too.
struct TransparencyWork {
    /// The limit on verifications, above the number of timestamps that a server sends.
    private(set) var verifications = 16
    /// The limit on octets that are hashed, once for each timestamp.
    private var octets = 1 << 20

    /// Takes the work for one more timestamp of an entry. Returns `false` if not enough is left.
    mutating func takes(_ entry: TransparencyEntry) -> Bool {
        guard self.verifications > 0, entry.octets.count <= self.octets else { return false }
        self.verifications -= 1
        self.octets -= entry.octets.count
        return true
    }
}
