//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// The status of roots between Apple's releases, from the column `Apple Status` of reports of the Common CA Database.
///
/// A root without a row keeps its state in the release.
public struct RootStatusList: Sendable, Hashable {
    /// The status of a root in Apple's program.
    public enum Status: String, Sendable, Hashable, CaseIterable {
        /// A root of the program.
        case included = "Included"
        /// A root that was never in the program.
        case notIncluded = "Not Included"
        /// A root that is no longer in the program.
        case removed = "Removed"
        /// A root that is refused, even if a user trusts it.
        case blocked = "Blocked"

        /// The order of strictness. The strictest of several rows about one root counts.
        fileprivate var strictness: Int {
            switch self {
            case .included: 0
            case .notIncluded: 1
            case .removed: 2
            case .blocked: 3
            }
        }
    }

    /// The entry of one root.
    public struct Entry: Sendable, Hashable {
        /// The status of the root.
        public internal(set) var status: Status
        /// The name of the root in the report.
        public let name: String
        /// `true` unless the report says that the root may not be used for TLS servers.
        public let servesServers: Bool

        init(_ status: Status, name: String, servesServers: Bool = true) {
            self.status = status
            self.name = name
            self.servesServers = servesServers
        }
    }

    /// The entries by the SHA-256 fingerprints of the roots.
    public let entries: [[UInt8]: Entry]

    init(_ entries: [[UInt8]: Entry]) { self.entries = entries }

    /// Returns the fingerprints of the roots with a status.
    public func fingerprints(_ status: Status) -> Set<[UInt8]> {
        Set(self.entries.lazy.filter { $0.value.status == status }.map(\.key))
    }

    /// Reads a report of the Common CA Database, or another table with its columns.
    ///
    /// The columns are found by their headers, in any order: `SHA-256 Fingerprint` and `Apple Status` are required, `Certificate
    /// Name`, `Certificate Record Type` and `TLS Capable` are optional.
    ///
    /// - Parameter contents: The contents of the file: comma-separated values of RFC 4180 in UTF-8.
    /// - Throws: ``RootStatusError``, which names the fault of the file.
    public init(contents: [UInt8]) throws(RootStatusError) {
        var table = try SeparatedValues(contents)
        let columns = try Columns(try table.next() ?? [])
        var entries: [[UInt8]: Entry] = [:]
        while let row = try table.next() {
            guard let (fingerprint, entry) = try columns.entry(row, line: table.line) else { continue }
            if let known = entries[fingerprint], known.status.strictness >= entry.status.strictness { continue }
            entries[fingerprint] = entry
        }
        guard !entries.isEmpty else { throw RootStatusError("it has no root with a status") }
        self.init(entries)
    }

    /// The positions of the columns in a row.
    private struct Columns {
        private let count: Int
        private let fingerprint: Int
        private let status: Int
        private let name: Int?
        private let kind: Int?
        private let servesServers: Int?

        init(_ header: [String]) throws(RootStatusError) {
            let names = header.map(Self.folded)
            func column(_ isMeant: (String) -> Bool) throws(RootStatusError) -> Int? {
                let found = names.indices.filter { isMeant(names[$0]) }
                guard found.count < 2 else { throw RootStatusError("it has the column \(header[found[0]]) twice") }
                return found.first
            }
            // A copy may have the date of the status in its header.
            guard let fingerprint = try column({ $0 == "sha256" || $0 == "sha256fingerprint" }),
                let status = try column({ $0.hasPrefix("applestatus") })
            else { throw RootStatusError("it has no columns SHA-256 Fingerprint and Apple Status") }
            self.count = header.count
            self.fingerprint = fingerprint
            self.status = status
            self.name = try column { ["certificatename", "commonnameorcertificatename", "name"].contains($0) }
            self.kind = try column { $0 == "certificaterecordtype" }
            self.servesServers = try column { $0 == "tlscapable" }
        }

        /// Returns the entry of a row, or `nil` for a row without a status of a root.
        func entry(_ row: [String], line: Int) throws(RootStatusError) -> ([UInt8], Entry)? {
            if row == [""] { return nil }
            guard row.count == self.count else {
                throw RootStatusError("line \(line) has \(row.count) columns, and the header \(self.count)")
            }
            if let kind = self.kind, !row[kind].isEmpty, Self.folded(row[kind]) != "rootcertificate" { return nil }
            let word = row[self.status]
            guard !word.isEmpty else { return nil }
            guard let status = Status.allCases.first(where: { Self.folded($0.rawValue) == Self.folded(word) }) else {
                throw RootStatusError("line \(line) has the unknown status \(PrintableText.text(of: word))")
            }
            guard let fingerprint = Fingerprint.octets(row[self.fingerprint].filter { $0 != ":" }) else {
                throw RootStatusError("line \(line) has no SHA-256 fingerprint")
            }
            let entry = Entry(
                status, name: self.name.map { PrintableText.text(of: row[$0]) } ?? "",
                servesServers: self.servesServers.map { Self.folded(row[$0]) != "false" } ?? true)
            return (fingerprint, entry)
        }

        /// Returns only letters and digits, so that `SHA-256 Fingerprint` and `sha256_fingerprint` are the same column.
        private static func folded(_ text: String) -> String {
            String(decoding: text.utf8.map(\.foldedASCII).filter(Self.isLetterOrDigit), as: UTF8.self)
        }

        private static func isLetterOrDigit(_ octet: UInt8) -> Bool {
            (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(octet)
                || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(octet)
        }
    }
}

/// An error for a status table of roots that cannot be used.
///
/// Its description recommends a new download.
public struct RootStatusError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The fault of the table.
    public let reason: String

    init(_ reason: String) { self.reason = reason }

    static let remedy = "Fetch the report of the Common CA Database again."

    /// The fault and its remedy, in a sentence.
    public var description: String { "The status of roots cannot be used: \(self.reason). \(Self.remedy)" }
}

/// A reader of comma-separated values (RFC 4180), row by row.
private struct SeparatedValues {
    private var rest: ArraySlice<UInt8>
    /// The line in which the last row begins, from 1.
    private(set) var line = 0
    private var nextLine = 1

    /// A limit well above the 20 MB of the reports, which have 150 columns.
    private static let maximumSize = 64 << 20
    private static let maximumColumns = 1_000
    private static let (comma, quote) = (UInt8(ascii: ","), UInt8(ascii: "\""))
    private static let (newline, carriageReturn) = (UInt8(ascii: "\n"), UInt8(ascii: "\r"))

    init(_ contents: [UInt8]) throws(RootStatusError) {
        guard contents.count <= Self.maximumSize else { throw RootStatusError("the file is larger than 64 MB") }
        let mark: [UInt8] = [0xEF, 0xBB, 0xBF]
        self.rest = contents.starts(with: mark) ? contents.dropFirst(mark.count) : contents[...]
    }

    mutating func next() throws(RootStatusError) -> [String]? {
        guard !self.rest.isEmpty else { return nil }
        self.line = self.nextLine
        var row: [String] = []
        while true {
            row.append(try self.field())
            guard row.count <= Self.maximumColumns else {
                throw RootStatusError("line \(self.line) has more than \(Self.maximumColumns) columns")
            }
            guard self.rest.first == Self.comma else { break }
            self.rest.removeFirst()
        }
        if self.rest.first == Self.carriageReturn { self.rest.removeFirst() }
        if self.rest.first == Self.newline {
            self.rest.removeFirst()
            self.nextLine += 1
        } else if !self.rest.isEmpty {
            throw RootStatusError("line \(self.line) is malformed")
        }
        return row
    }

    private mutating func field() throws(RootStatusError) -> String {
        guard self.rest.first == Self.quote else {
            let plain = self.rest.prefix { ![Self.comma, Self.newline, Self.carriageReturn].contains($0) }
            guard !plain.contains(Self.quote) else { throw RootStatusError("line \(self.line) has a stray quote") }
            self.rest = self.rest.dropFirst(plain.count)
            return String(decoding: plain, as: UTF8.self)
        }
        self.rest.removeFirst()
        var octets: [UInt8] = []
        while let end = self.rest.firstIndex(of: Self.quote) {
            octets += self.rest[..<end]
            self.rest = self.rest[(end + 1)...]
            guard self.rest.first == Self.quote else {
                self.nextLine += octets.count { $0 == Self.newline }
                return String(decoding: octets, as: UTF8.self)
            }
            octets.append(Self.quote)
            self.rest.removeFirst()
        }
        throw RootStatusError("a quote of line \(self.line) is not closed")
    }
}
