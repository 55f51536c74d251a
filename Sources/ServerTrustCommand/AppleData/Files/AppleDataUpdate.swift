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

/// One update of the data, which reads the new data completely and installs them if they are plausible.
struct AppleDataUpdate {
    private let target: String
    private let folder: String
    private let name: String
    private let date: Date?
    private let isFetched: Bool
    private let acceptsDoubtful: Bool

    /// The outcome of an update.
    enum Outcome {
        /// The new data are installed. The text describes them.
        case taken(String)
        /// The new data are not plausible, and nothing has changed. The text states the reason.
        case doubtful(String)
    }

    /// The tolerated difference between clocks, in seconds.
    private static let clockDifference = 86_400.0

    /// Creates an update.
    ///
    /// - Parameters:
    ///   - target: The folder to write.
    ///   - folder: The folder with the new data.
    ///   - name: The name of the source, which may be the archive that was unpacked to the folder.
    ///   - date: The download date, or `nil` for the date in the data.
    ///   - isFetched: `true` for data that were fetched now. Without a date in them, that is now.
    ///   - acceptsDoubtful: `true` to install implausible data.
    init(
        of target: String, from folder: String, named name: String, date: Date?, isFetched: Bool, acceptsDoubtful: Bool
    ) {
        self.target = target
        self.folder = folder
        self.name = name
        self.date = date
        self.isFetched = isFetched
        self.acceptsDoubtful = acceptsDoubtful
    }

    /// Installs the data.
    ///
    /// - Parameter now: The current date.
    /// - Throws: ``CommandError`` or `AppleTrustDataError`. The old data then remain unchanged.
    func run(now: Date) throws -> Outcome {
        // An update repairs data that cannot be read.
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
            let fetched = self.isFetched && !self.hasDate ? now : nil
            return try AppleTrustData(folder: self.folder, date: self.date ?? fetched, completedBy: current)
        } catch {
            let isOfDate = error.file.hasSuffix(AppleTrustData.dateFile)
            guard self.folder != self.name || isOfDate else { throw error }
            let advice = isOfDate ? "Give the moment when the data were fetched: --date" : "Fetch it again"
            throw CommandError("\(DisplayText.text(self.name)): \(error.file): \(error.reason). \(advice)")
        }
    }

    private func text(about data: AppleTrustData) -> String {
        "\(DisplayText.text(self.target)) has \(data.serverRoots.count) roots for TLS servers, as of "
            + "\(ISO8601.text(data.parts.roots.date)), and \(data.logList.logs.count) logs, as of "
            + "\(ISO8601.text(data.parts.logList.date)).\n"
    }
}
