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

/// Keeps fetched issuers, OCSP responses and revocation lists for later evaluations, in memory and in a folder if one is
/// given.
///
/// Nothing is believed for being in it: what it holds is verified on every use as if it had just been fetched. The folder
/// is the user's own: it is made with mode 0700 and its files with 0600, and one that others can write to is refused,
/// because they could withhold news of a revocation until the old answer ends. Only answers that told something are kept,
/// until the next one is due and never longer than a day, issuers a week.
///
/// Safe to share between threads.
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

    /// What an item is kept under: the kind, the URL, and the certificates it is about.
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

    /// A cache in memory.
    ///
    /// - Parameter maximumSize: The most octets it keeps, in memory.
    public init(maximumSize: Int = 64 << 20) {
        self.maximumSize = max(0, maximumSize)
        self.folder = nil
    }

    /// A cache in memory and in a folder, which is made if it is not there.
    ///
    /// - Parameters:
    ///   - folder: The folder. Only regular files with the cache's own names are overwritten and removed: the kind, a dash,
    ///     64 hexadecimal digits and `.resource`.
    ///   - maximumSize: The most octets it keeps in memory. The folder keeps at most 1,024 files of 32 MiB.
    /// - Throws: ``FileError`` when there is no folder and none can be made, when it belongs to another user, or when others
    ///   can write to it.
    public init(folder: String, maximumSize: Int = 64 << 20) throws(FileError) {
        self.maximumSize = max(0, maximumSize)
        self.folder = try ResourceFolder(folder)
    }

    /// Forgets what is in memory, and removes the cache's own files from the folder.
    public func removeAll() {
        self.state.withLock { $0 = State() }
        self.folder?.removeAll()
    }

    func data(for entry: Entry, at now: Date) -> [UInt8]? {
        let moment = Timestamp(now)
        let (young, old) = self.state.withLock { ($0.young[entry], $0.old.removeValue(forKey: entry)) }
        if let known = young ?? old {
            // What was kept while the clock ran ahead ends later than it may.
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

    /// Keeps an answer until the next one is due; an answer that does not say is not kept, but for an issuer.
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

    /// Two generations: what was not used while half the room was filled is dropped at once.
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
    /// The moment for the cache's lifetimes.
    var moment: Date { self.now ?? Date() }
}

extension ResourceCache: Hashable {
    /// Whether they are one cache.
    public static func == (left: ResourceCache, right: ResourceCache) -> Bool { left === right }

    /// Feeds what is compared.
    public func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}
