//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// The failures that a user or program decided to accept for one certificate: the result of Apple's `SecTrustCopyExceptions`.
///
/// ``Trust/currentExceptions()`` records them, and ``Trust/setExceptions(_:)`` puts them in force. The type is Codable, so that a
/// program can save them in any format. Certificates are identified by their SHA-256 digests, where Apple's data have SHA-1.
public struct TrustExceptions: Sendable, Hashable {
    private var entries: [Entry]

    /// More certificates than any path has.
    private static let maximumCount = 128

    fileprivate struct Entry: Sendable, Hashable {
        /// SHA-256 of the certificate, 32 octets.
        var digest: [UInt8]
        /// Apple's names of the failed checks that are excepted.
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

    /// Returns the exceptions without the last certificates if these have none. The leaf always stays.
    private func trimmed() -> TrustExceptions {
        var trimmed = self
        while trimmed.entries.count > 1, trimmed.entries.last?.checks.isEmpty == true { trimmed.entries.removeLast() }
        return trimmed
    }

    /// The SHA-256 digest of the leaf for which the exceptions were recorded.
    public var leafDigest: [UInt8]? { self.entries.first?.digest }

    /// Returns `true` if an exception exists for the same check of the same certificate at the same place (SecPolicyServer.c
    /// `SecPVCIsExceptedError`).
    func covers(_ reason: TrustFailureReason, of certificate: Certificate) -> Bool {
        guard reason.severity == .recoverable, self.entries.indices.contains(reason.certificateIndex) else {
            return false
        }
        let entry = self.entries[reason.certificateIndex]
        return entry.checks.contains(reason.check.rawValue) && entry.digest == certificate.sha256Fingerprint
    }
}

extension TrustExceptions {
    /// Returns the exceptions without those that the closure rejects.
    ///
    /// - Parameter isKept: Returns `true` if a check stays excepted. The second argument is the position of the certificate on the
    ///   path, 0 for the leaf.
    /// - Returns: The remaining exceptions.
    public func filtered(_ isKept: (TrustCheck, Int) -> Bool) -> TrustExceptions {
        var filtered = self
        for (index, entry) in self.entries.enumerated() {
            filtered.entries[index].checks = entry.checks.filter { name in
                TrustCheck(rawValue: name).map { isKept($0, index) } ?? false
            }
        }
        return filtered.trimmed()
    }

    /// Adds earlier exceptions for the same certificates at the same places.
    ///
    /// - Parameter earlier: The earlier exceptions. Those for another leaf add nothing.
    /// - Returns: The combined exceptions.
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
    /// - Throws: `DecodingError` for data that no evaluation records: a digest of another length than 32 octets, an unknown or
    ///   repeated check, or more entries than a path has certificates.
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

    /// Writes the digest of each certificate with the names of its excepted checks.
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
