//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

public import CertificatePath

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// A list of the logs of certificate transparency: `log_list.json` in Apple's format (schema 5) or Google's (version 3).
///
/// Apple's list has no date, so the caller must know its age. Any malformed entry is an error, like in the program that builds
/// Apple's list (BuildTrustedCTLogsPlist.py).
public struct LogList: Sendable {
    /// The logs whose timestamps may count, in the order of the list. Pending and rejected logs are left out.
    public let logs: [TransparencyLog]
    /// The version that the list states.
    public let version: String
    /// The date that the list states, or `nil` if it has none, like Apple's.
    public let date: Date?

    init(_ logs: [TransparencyLog], version: String) { (self.logs, self.version, self.date) = (logs, version, nil) }

    /// The URL of the schema of Apple's lists.
    public static let schema = "https://valid.apple.com/ct/log_list/schema_versions/log_list_schema_v5.json"
    /// More octets than any list has.
    private static let maximumSize = 8 << 20

    /// Reads a list.
    ///
    /// - Parameter contents: The contents of the file.
    /// - Throws: ``LogListError``, which names the fault of the list.
    public init(contents: [UInt8]) throws(LogListError) {
        guard contents.count <= Self.maximumSize else { throw LogListError("the file is larger than 8 MB") }
        do {
            self = try JSONDecoder().decode(LogList.self, from: Data(contents))
        } catch let error as LogListError {
            throw error
        } catch {
            throw LogListError("it is not JSON of the schema \(Self.schema), nor of Google's version 3")
        }
    }
}

/// An error for a log list that cannot be used.
///
/// Its description recommends a new download.
public struct LogListError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The fault of the list.
    public let reason: String

    init(_ reason: String) { self.reason = reason }

    /// The fault and its remedy, in a sentence.
    public var description: String { "The list of logs cannot be used: \(self.reason). Fetch log_list.json again." }
}

extension LogList: Decodable {
    private enum CodingKeys: String, CodingKey {
        case schema = "$schema"
        case date = "log_list_timestamp"
        case version, operators
    }

    /// Reads a list that is an element of a larger JSON document.
    ///
    /// - Parameter decoder: The decoder of the element.
    /// - Throws: ``LogListError``, which names the fault of the list, and `DecodingError`.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        // Google's lists have a date in place of a schema.
        let date = try container.decodeIfPresent(String.self, forKey: .date)
        let schema = try container.decodeIfPresent(String.self, forKey: .schema)
        guard schema == Self.schema || (schema == nil && date != nil) else {
            throw LogListError("its $schema is not \(Self.schema)")
        }
        self.date = try date.map { Date(try Self.time($0)) }
        self.version = try container.decodeIfPresent(String.self, forKey: .version) ?? ""
        self.logs = try container.decode([Operator].self, forKey: .operators).flatMap { entry in
            guard let tiled = entry.tiled_logs ?? (schema == nil ? [] : nil) else {
                throw LogListError("an operator has no tiled_logs")
            }
            let name = entry.name ?? ""
            return try entry.logs.compactMap { try $0.log(of: name) }
                + tiled.compactMap { try $0.log(of: name, isStatic: true) }
        }
    }

    private struct Operator: Decodable {
        let name: String?
        let logs: [Entry]
        let tiled_logs: [Entry]?
    }

    private struct Entry: Decodable {
        let description: String?
        let key: String?
        let log_id: String?
        let state: [String: Since]
        let temporal_interval: Interval?
        let previous_operators: [Past]?

        struct Past: Decodable {
            let name: String
            let end_time: String
        }

        struct Since: Decodable { let timestamp: String? }

        struct Interval: Decodable {
            let start_inclusive: String
            let end_exclusive: String
        }

        /// `nil` for a log whose timestamps are of an unknown log.
        func log(of operatorName: String, isStatic: Bool = false) throws -> TransparencyLog? {
            if self.state["pending"] != nil || self.state["rejected"] != nil { return nil }
            let interval = try self.temporal_interval.map {
                (try LogList.time($0.start_inclusive), try LogList.time($0.end_exclusive))
            }
            guard let key = self.key.flatMap({ Data(base64Encoded: $0) }), !key.isEmpty else {
                throw LogListError("the log \(self.name) has no key in Base64")
            }
            do {
                var log = try TransparencyLog(
                    subjectPublicKeyInfo: Array(key), identifier: try self.identifier(), name: self.name,
                    operatorName: operatorName, state: try self.standing(), firstExpiry: interval?.0,
                    endOfExpiry: interval?.1)
                log.isStatic = isStatic
                log.previousOperators = try self.pastOperators()
                return log
            } catch is DERError {
                throw LogListError("the key of the log \(self.name) cannot be read")
            }
        }

        private var name: String { PrintableText.text(of: self.description ?? "without a description") }

        private func identifier() throws -> [UInt8]? {
            guard let log_id else { return nil }
            guard let data = Data(base64Encoded: log_id), !data.isEmpty else {
                throw LogListError("the log_id of the log \(self.name) is not Base64")
            }
            return Array(data)
        }

        /// Returns the previous operators, the earliest first.
        private func pastOperators() throws -> [TransparencyLog.PreviousOperator] {
            try (self.previous_operators ?? []).map { past in
                TransparencyLog.PreviousOperator(name: past.name, end: try LogList.time(past.end_time))
            }.sorted { $0.end < $1.end }
        }

        private func standing() throws -> TransparencyLog.State {
            if let since = self.state["readonly"] { return .readOnly(since: try self.time(since)) }
            if let since = self.state["retired"] { return .retired(since: try self.time(since)) }
            guard self.state["qualified"] != nil || self.state["usable"] != nil else {
                throw LogListError("the log \(self.name) has none of the states of the schema")
            }
            return .usable
        }

        private func time(_ since: Since) throws -> Timestamp {
            guard let text = since.timestamp else { throw LogListError("the state of \(self.name) has no timestamp") }
            return try LogList.time(text)
        }
    }

    /// Parses a time in the only format of the lists: `2025-10-04T00:00:00Z`.
    private static func time(_ text: String) throws -> Timestamp {
        guard let time = Timestamp(text) else {
            throw LogListError("\"\(PrintableText.text(of: text))\" is not a time such as 2025-10-04T00:00:00Z")
        }
        return time
    }
}
