//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import ServerReports
import ServerTrust

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// One update: reads data whole, and takes them into use where they are plausible.
struct AppleDataUpdate {
    private let target: String
    private let folder: String
    private let name: String
    private let date: Date?
    private let acceptsDoubtful: Bool

    /// What became of it.
    enum Outcome {
        /// The data are in use: what to say of them.
        case taken(String)
        /// The data are not plausible, and nothing has changed.
        case doubtful(String)
    }

    /// Clocks differ by less than a day.
    private static let clockDifference = 86_400.0

    /// - Parameters:
    ///   - target: The folder to write.
    ///   - folder: The folder with the new data.
    ///   - name: What was given, which may be an archive that the folder was unpacked from.
    ///   - date: When the data were fetched; `nil` for what they say, or else now.
    ///   - acceptsDoubtful: Whether data are taken that are not plausible.
    init(of target: String, from folder: String, named name: String, date: Date?, acceptsDoubtful: Bool) {
        self.target = target
        self.folder = folder
        self.name = name
        self.date = date
        self.acceptsDoubtful = acceptsDoubtful
    }

    /// Takes the data.
    ///
    /// - Parameter now: The present.
    /// - Throws: ``CommandError`` or `AppleTrustDataError`; what was there is then as it was.
    func run(now: Date) throws -> Outcome {
        // Data that cannot be read are what an update mends.
        let current = (try? AppleTrustData(folder: self.target, completedBy: .builtIn)) ?? .builtIn
        let data = try self.data(besides: current, now: now)
        let dates = [data.parts.roots, data.parts.logList, data.parts.rootStatus].compactMap { $0?.date }
        if let date = dates.max(), date > now.addingTimeInterval(Self.clockDifference) {
            throw CommandError(
                "the date \(ISO8601.text(date)) is in the future. Give the moment when the data were fetched: --date")
        }
        if !self.acceptsDoubtful, let doubt = AppleDataWarning.sentence(about: data, besides: current, now: now) {
            return .doubtful(doubt)
        }
        try AppleDataFolder(self.target).replace(with: data, from: self.folder)
        return .taken(self.text(about: data))
    }

    private var hasDate: Bool {
        ([""] + AppleTrustFolder.parts.map { $0 + "/" }).contains {
            BoundedFile.exists("\(self.folder)/\($0)\(AppleTrustData.dateFile)")
        }
    }

    private func data(besides current: AppleTrustData, now: Date) throws -> AppleTrustData {
        do throws(AppleTrustDataError) {
            return try AppleTrustData(
                folder: self.folder, date: self.date ?? (self.hasDate ? nil : now), completedBy: current)
        } catch {
            guard self.folder != self.name else { throw error }
            let advice =
                error.file.hasSuffix(AppleTrustData.dateFile)
                ? "give the moment when it was made: --date" : "fetch it again"
            throw CommandError("\(DisplayText.text(self.name)): \(error.file): \(error.reason); \(advice)")
        }
    }

    private func text(about data: AppleTrustData) -> String {
        let dated =
            self.date == nil && !self.hasDate
            ? "The data have no file DATE, so they are dated now. If they are older, repeat with --date.\n" : ""
        return "\(DisplayText.text(self.target)) has \(data.serverRoots.count) roots for TLS servers, as of "
            + "\(ISO8601.text(data.parts.roots.date)), and \(data.logList.logs.count) logs, as of "
            + "\(ISO8601.text(data.parts.logList.date)).\n\(dated)"
    }
}
