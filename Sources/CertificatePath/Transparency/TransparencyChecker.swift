//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// Finds out what the timestamps of a leaf are worth, and whether it needs them.
struct TransparencyChecker {
    /// The path, the leaf first.
    let certificates: [CertificateView]
    /// The key of the leaf's issuer; `nil` for a leaf that is itself the anchor.
    let issuerKey: PublicKeySource?
    let request: TransparencyRequest
    let time: Timestamp
    /// Responses about the leaf from anywhere: CertificateTransparency.m does not ask who signed them, or when.
    let responses: [OCSPResponse]
    /// What was verified before.
    let cache: SignatureCache?

    /// More than any server delivers: each costs a verification.
    private static let maximumVerifications = 24

    /// - Parameter isRequired: Whether the leaf is refused without enough of them.
    func report(isRequired: Bool) -> TransparencyReport {
        var tally = TransparencyPolicy.Tally()
        var verifications = 0
        var entries: [TransparencyReport.Entry] = []
        for (source, entry, items) in self.delivered() {
            for item in items {
                let isTooMuch = verifications >= Self.maximumVerifications
                let judged = self.judge(item, from: source, entry: entry, isTooMuch: isTooMuch, &verifications)
                entries.append(judged.entry)
                if let log = judged.log, let time = judged.milliseconds {
                    Self.count(log, time, source, in: &tally)
                }
            }
        }
        let leaf = self.certificates.first
        let needed = leaf.map { TransparencyPolicy.neededLogs(from: $0.notBefore, to: $0.notAfter) } ?? .max
        return TransparencyReport(
            entries: entries, meetsPolicy: tally.meetsPolicy(needed: needed, at: self.time), isRequired: isRequired,
            neededLogs: needed, countedLogs: tally.countedLogs(at: self.time))
    }

    private static func count(
        _ log: TransparencyLog, _ time: UInt64, _ source: TransparencyReport.Source,
        in tally: inout TransparencyPolicy.Tally
    ) {
        if log.isCurrent { tally.current[log.identifier] = min(tally.current[log.identifier] ?? time, time) }
        guard source == .certificate else {
            tally.hasDelivered = true
            return
        }
        let earlier = tally.embedded[log.identifier]?.time ?? time
        tally.embedded[log.identifier] = (min(earlier, time), log)
    }

    // MARK: What was delivered

    private typealias Delivery = (TransparencyReport.Source, TransparencyEntry?, [ArraySlice<UInt8>])

    private func delivered() -> [Delivery] {
        guard let leaf = self.certificates.first else { return [] }
        var deliveries: [Delivery] = []
        if let issuerKey, let list = PrecertificateBody.timestampList(of: leaf) {
            let entry = TransparencyEntry(precertificateOf: leaf, issuerKey: issuerKey)
            deliveries.append((.certificate, entry, TimestampList.items(of: list)))
        }
        let lists = self.responses.isEmpty ? [] : self.responses.compactMap(self.timestampList)
        guard !lists.isEmpty || !self.request.timestampLists.isEmpty else { return deliveries }
        let entry = TransparencyEntry(certificate: leaf)
        for list in lists { deliveries.append((.response, entry, TimestampList.items(of: list))) }
        for list in self.request.timestampLists {
            deliveries.append((.handshake, entry, TimestampList.items(of: list[...])))
        }
        return deliveries
    }

    /// The list in the first answer about the leaf.
    private func timestampList(in response: OCSPResponse) -> ArraySlice<UInt8>? {
        guard let leaf = self.certificates.first, let issuerKey else { return nil }
        let bytes = response.bytes
        var issuer = IssuerDigests(leaf, issuerKey)
        var reader = DERReader(response.fields.responses, in: bytes.span)
        while !reader.isAtEnd {
            guard let element = try? reader.next(.sequence, in: bytes.span) else { return nil }
            var single = DERReader(element.content, in: bytes.span)
            guard let identifier = try? OCSPIdentifier(&single, in: bytes.span) else { return nil }
            guard identifier.names(leaf, &issuer, in: bytes) == true else { continue }
            return Self.timestampList(inAnswer: single, bytes)
        }
        return nil
    }

    /// 1.3.6.1.4.1.11129.2.4.5 among the extensions of one answer.
    private static let timestampsInResponse = PackedOID([0x2B, 0x06, 0x01, 0x04, 0x01, 0xD6, 0x79, 0x02, 0x04, 0x05])

    private static func timestampList(inAnswer answer: DERReader, _ bytes: [UInt8]) -> ArraySlice<UInt8>? {
        var reader = answer
        while !reader.isAtEnd {
            guard let element = try? reader.next(in: bytes.span) else { return nil }
            guard element.tag == .constructed(1), reader.isAtEnd else { continue }
            var field = DERReader(element.content, in: bytes.span)
            guard let list = try? field.next(.sequence, in: bytes.span).content else { return nil }
            var items = DERReader(list, in: bytes.span)
            while !items.isAtEnd {
                guard let item = try? ExtensionItem(&items, in: bytes.span) else { return nil }
                guard PackedOID(item.identifier, in: bytes.span) == Self.timestampsInResponse else { continue }
                return PrecertificateBody.octetString(item.value, in: bytes)
            }
        }
        return nil
    }

    // MARK: One timestamp

    private struct Judged {
        let entry: TransparencyReport.Entry
        /// The log that signed it, when it counts.
        var log: TransparencyLog?
        var milliseconds: UInt64?
    }

    private func judge(
        _ octets: ArraySlice<UInt8>, from source: TransparencyReport.Source, entry: TransparencyEntry?,
        isTooMuch: Bool, _ verifications: inout Int
    ) -> Judged {
        guard let timestamp = SignedCertificateTimestamp(octets) else {
            return Judged(
                entry: .init(source: source, logIdentifier: [], logName: nil, time: nil, status: .malformed))
        }
        let log = self.request.logs.log(named: timestamp.logIdentifier)
        var status = self.status(of: timestamp, from: source, log: log)
        if status == .valid, let log, let entry, let algorithm = timestamp.algorithm {
            if isTooMuch {
                status = .notExamined
            } else {
                verifications += 1
                let message = timestamp.signedOctets(entry)
                let isSigned = self.isSigned(message, timestamp.signature, algorithm: algorithm, by: log)
                status = isSigned ? .valid : .badSignature
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
        guard let log else { return .unknownLog }
        guard timestamp.milliseconds <= TransparencyPolicy.Tally.milliseconds(self.time) else { return .future }
        switch log.state {
        case .usable: break
        case .retired: guard source == .certificate else { return .retiredLog }
        case .readOnly(let since):
            guard Int64(clamping: timestamp.milliseconds / 1_000) <= since.secondsSinceEpoch else {
                return .readOnlyLog
            }
        }
        guard let leaf = self.certificates.first, log.takes(expiry: leaf.notAfter) else { return .outsideInterval }
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
