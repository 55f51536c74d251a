//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// Failures that someone decided to accept for one certificate: what `SecTrustCopyExceptions` returns.
///
/// Codable, to be saved in whatever format the program saves its settings in. Certificates are known by their SHA-256
/// digests, where Apple's cookie has SHA-1.
public struct TrustExceptions: Sendable, Hashable {
    private var entries: [Entry]

    /// More certificates than a path has.
    private static let maximumCount = 128

    fileprivate struct Entry: Sendable, Hashable {
        /// SHA-256 of the certificate, 32 octets.
        var digest: [UInt8]
        /// Apple's names of the failed checks.
        var checks: Set<String>
    }

    /// Records the recoverable failures of a result, the leaf's entry always first (SecTrust.c `SecTrustCopyExceptions`).
    init(_ result: TrustResult) {
        self.entries = result.path.enumerated().map { index, certificate in
            let failed = result.allReasons.filter { $0.certificateIndex == index && $0.severity == .recoverable }
            return Entry(digest: certificate.sha256Fingerprint, checks: Set(failed.map(\.check.rawValue)))
        }
        self = self.trimmed()
    }

    /// Without the certificates at the end that have no exceptions; the leaf stays.
    private func trimmed() -> TrustExceptions {
        var trimmed = self
        while trimmed.entries.count > 1, trimmed.entries.last?.checks.isEmpty == true { trimmed.entries.removeLast() }
        return trimmed
    }

    /// The SHA-256 digest of the leaf the exceptions are for.
    public var leafDigest: [UInt8]? { self.entries.first?.digest }

    /// SecPolicyServer.c `SecPVCIsExceptedError`: same place, same certificate, same check.
    func covers(_ reason: TrustFailureReason, of certificate: Certificate) -> Bool {
        guard reason.severity == .recoverable, self.entries.indices.contains(reason.certificateIndex) else {
            return false
        }
        let entry = self.entries[reason.certificateIndex]
        return entry.checks.contains(reason.check.rawValue) && entry.digest == certificate.sha256Fingerprint
    }
}

extension TrustExceptions {
    /// Leaves out what shall not be passed over.
    ///
    /// - Parameter isKept: Whether a check stays excepted, by the check and the place of its certificate on the path, the
    ///   leaf's 0.
    /// - Returns: The exceptions that stay.
    public func filtered(_ isKept: (TrustCheck, Int) -> Bool) -> TrustExceptions {
        var filtered = self
        for (index, entry) in self.entries.enumerated() {
            filtered.entries[index].checks = entry.checks.filter { name in
                TrustCheck(rawValue: name).map { isKept($0, index) } ?? false
            }
        }
        return filtered.trimmed()
    }

    /// Adds exceptions that were recorded before, where they are for the same certificates at the same places.
    ///
    /// - Parameter earlier: Exceptions; those for another leaf add nothing.
    /// - Returns: Both.
    public func merging(_ earlier: TrustExceptions) -> TrustExceptions {
        guard earlier.leafDigest == self.leafDigest else { return self }
        var merged = self
        for (index, entry) in earlier.entries.enumerated() {
            guard index < merged.entries.count else {
                merged.entries.append(entry)
                continue
            }
            guard merged.entries[index].digest == entry.digest else { continue }
            merged.entries[index].checks.formUnion(entry.checks)
        }
        return merged
    }
}

extension TrustExceptions: Codable {
    private enum CodingKeys: String, CodingKey {
        case entries
    }

    /// Reads exceptions that ``encode(to:)`` wrote.
    ///
    /// - Throws: `DecodingError` for what no evaluation records: a digest that has not 32 octets, a check that is not known,
    ///   or more entries than a path has certificates.
    public init(from decoder: any Decoder) throws {
        var container = try decoder.container(keyedBy: CodingKeys.self).nestedUnkeyedContainer(forKey: .entries)
        self.entries = []
        while !container.isAtEnd {
            guard self.entries.count < Self.maximumCount else {
                throw DecodingError.dataCorruptedError(
                    in: container, debugDescription: "more than \(Self.maximumCount) certificates have exceptions")
            }
            self.entries.append(try container.decode(Entry.self))
        }
    }

    /// Writes the certificates' digests, and the names of the checks that are passed over for each.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(self.entries, forKey: .entries)
    }
}

extension TrustExceptions.Entry: Codable {
    private enum CodingKeys: String, CodingKey {
        case digest
        case checks
    }

    init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        self.digest = try Self.octets(in: container)
        var names = try container.nestedUnkeyedContainer(forKey: .checks)
        self.checks = []
        while !names.isAtEnd {
            let name = try names.decode(String.self)
            guard TrustCheck(rawValue: name) != nil, self.checks.insert(name).inserted else {
                throw DecodingError.dataCorruptedError(
                    in: names, debugDescription: "a check is not known, or is there twice")
            }
        }
    }

    private static func octets(in container: KeyedDecodingContainer<CodingKeys>) throws -> [UInt8] {
        var octets = try container.nestedUnkeyedContainer(forKey: .digest)
        var digest: [UInt8] = []
        while !octets.isAtEnd, digest.count <= Pin.digestLength { digest.append(try octets.decode(UInt8.self)) }
        guard digest.count == Pin.digestLength else {
            throw DecodingError.dataCorruptedError(
                forKey: .digest, in: container,
                debugDescription: "the SHA-256 digest of a certificate has \(Pin.digestLength) octets")
        }
        return digest
    }
}
