//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import CertificatePath
import Crypto
import Synchronization

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// A cache of fetched issuers, OCSP responses and revocation lists for later evaluations, in memory and optionally in a folder.
///
/// The contents are not trusted: every use verifies them like newly fetched data. The folder belongs to the user. It is created
/// with mode 0700 and its files with 0600. A folder that others can write to is refused, as they could keep an old answer in place
/// of a newer one with a revocation. Only answers that were of use are kept, until the next one is due and at most a day. Issuers
/// are kept a week.
///
/// It is safe to share between threads.
public final class ResourceCache: Sendable {
    private let state = Mutex(State())
    private let maximumSize: Int
    private let folder: ResourceFolder?

    private struct Item: Sendable {
        let bytes: [UInt8]
        let end: Timestamp
    }

    private struct State: Sendable {
        var young: [Entry: Item] = [:]
        var old: [Entry: Item] = [:]
        var youngSize = 0
    }

    /// The key of a cached item: the kind, the URL, and the certificates it is about.
    struct Entry: Sendable, Hashable {
        let kind: ResourceKind
        let digest: [UInt8]

        init(_ kind: ResourceKind, _ url: String, certificates: [Certificate]) {
            var hasher = SHA256()
            hasher.update(data: Array(kind.rawValue.utf8) + [0] + Array(url.utf8) + [0])
            for certificate in certificates { hasher.update(data: certificate.sha256Fingerprint) }
            self.kind = kind
            self.digest = Array(hasher.finalize())
        }
    }

    /// Creates a cache in memory.
    ///
    /// - Parameter maximumSize: The maximum size of the cache in memory, in octets.
    public init(maximumSize: Int = 64 << 20) {
        self.maximumSize = max(0, maximumSize)
        self.folder = nil
    }

    /// Creates a cache in memory and in a folder, which is created if it does not exist.
    ///
    /// - Parameters:
    ///   - folder: The folder. Only regular files with the cache's own names are overwritten and removed: the kind, a dash, 64
    ///     hexadecimal digits and `.resource`.
    ///   - maximumSize: The maximum size of the cache in memory, in octets. The folder has at most 1,024 files of 32 MiB.
    /// - Throws: ``FileError`` if the folder does not exist and cannot be created, if it belongs to another user, or if others can
    ///   write to it.
    public init(folder: String, maximumSize: Int = 64 << 20) throws(FileError) {
        self.maximumSize = max(0, maximumSize)
        self.folder = try ResourceFolder(folder)
    }

    /// Removes everything from memory, and the cache's own files from the folder.
    public func removeAll() {
        self.state.withLock { $0 = State() }
        self.folder?.removeAll()
    }

    func data(for entry: Entry, at now: Date) -> [UInt8]? {
        let moment = Timestamp(now)
        let (young, old) = self.state.withLock { ($0.young[entry], $0.old.removeValue(forKey: entry)) }
        if let known = young ?? old {
            // An item stored while the clock was ahead has an end that is too late.
            guard moment < known.end, known.end <= Self.latestEnd(of: entry.kind, from: moment) else { return nil }
            if young == nil { self.keep(known, for: entry) }
            return known.bytes
        }
        guard let (bytes, end) = self.folder?.read(entry), moment < end,
            end <= Self.latestEnd(of: entry.kind, from: moment)
        else { return nil }
        self.keep(Item(bytes: bytes, end: end), for: entry)
        return bytes
    }

    /// Stores an answer until the next one is due. An answer without such a date is not stored unless it is an issuer.
    func store(_ bytes: [UInt8], for entry: Entry, at now: Date, until next: Timestamp? = nil) {
        guard next != nil || entry.kind == .issuer else { return }
        let latest = Self.latestEnd(of: entry.kind, from: Timestamp(now))
        let end = min(next ?? latest, latest)
        guard Timestamp(now) < end else { return }
        self.keep(Item(bytes: bytes, end: end), for: entry)
        self.folder?.write(bytes, until: end, entry: entry)
    }

    private static func latestEnd(of kind: ResourceKind, from now: Timestamp) -> Timestamp {
        let day: Int64 = 86_400
        let (seconds, overflow) = now.secondsSinceEpoch.addingReportingOverflow(kind == .issuer ? 7 * day : day)
        return Timestamp(secondsSinceEpoch: overflow ? now.secondsSinceEpoch : seconds)
    }

    /// Keeps an item in the younger of two generations. If it is full, the older one is dropped with all items not used since.
    private func keep(_ item: Item, for entry: Entry) {
        let half = self.maximumSize / 2
        guard item.bytes.count <= half else { return }
        self.state.withLock { state in
            if state.youngSize > half - item.bytes.count {
                (state.old, state.young, state.youngSize) = (state.young, [:], 0)
            }
            state.youngSize += item.bytes.count
            if let replaced = state.young.updateValue(item, forKey: entry) { state.youngSize -= replaced.bytes.count }
        }
    }
}

extension FetchOptions {
    var moment: Date { self.now ?? Date() }
}

extension ResourceCache: Hashable {
    /// Returns `true` if both are the same instance.
    public static func == (left: ResourceCache, right: ResourceCache) -> Bool { left === right }

    /// Hashes the identity of the instance.
    public func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}
