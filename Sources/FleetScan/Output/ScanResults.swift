//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

package import ServerReports
import SystemPackage

/// The receivers of a scan's results, as the options request them.
package struct ScanResults {
    package private(set) var receivers: [any ScanReceiver] = []
    /// The writer of changes, or `nil` if nothing is compared.
    package private(set) var changes: ChangeWriter?
    /// The file in which this scan replaces earlier results, or `nil` if there is none.
    package private(set) var replacedFile: String?
    /// The file of earlier results that does not exist, or `nil` if there is none. Each host is then new.
    package private(set) var missingFile: String?

    /// Opens all files.
    ///
    /// - Throws: ``FleetError`` if a file cannot be read or written.
    package init(_ options: ScanDestination, _ files: ScanFiles, progress: ScanProgress) throws {
        guard let compared = options.compared else {
            let stream = try Self.stream(options, files, progress: progress)
            self.receivers = [Self.receiver(options, stream)]
            self.replacedFile = stream.replacesResults ? options.file : nil
            return
        }
        if let path = options.file {
            let file = try files.open(path, as: .output)
            self.receivers = [NDJSONReceiver(stream: try .appending(to: file, path))]
        }
        try files.checkStandardOutput()
        let isText = options.format == .text || (options.format == nil && Descriptor.standardOutput.isTerminal)
        let writer = ChangeWriter(
            ResultStream(progress: progress), isText ? Self.style(options) : nil, criterion: options.criterion)
        let earlier = try EarlierResults(compared)
        self.missingFile = earlier == nil ? compared : nil
        self.receivers.append(ChangeReceiver(writer, earlier, criterion: options.criterion))
        self.changes = writer
    }

    private static func style(_ options: ScanDestination) -> TextStyle {
        options.style ?? .stream(isTerminal: Descriptor.standardOutput.isTerminal)
    }

    private static func receiver(_ options: ScanDestination, _ stream: ResultStream) -> any ScanReceiver {
        switch options.resolvedFormat {
        case .ndjson: NDJSONReceiver(stream: stream)
        case .text:
            TextReceiver(
                stream: stream, style: options.file == nil ? Self.style(options) : .plain, criterion: options.criterion)
        case .csv: CSVReceiver(stream: stream)
        case .html: HTMLReceiver(stream: stream, title: "Servers and App Transport Security")
        }
    }

    private static func stream(
        _ options: ScanDestination, _ files: ScanFiles, progress: ScanProgress
    ) throws -> ResultStream {
        guard let path = options.file ?? options.earlier else {
            try files.checkStandardOutput()
            return ResultStream(progress: progress)
        }
        let file = try files.open(path, as: options.file == nil ? .earlier : .output)
        return try options.resolvedFormat == .ndjson
            ? .appending(to: file, path) : .replacing(file, path, kinds: [.results])
    }
}

extension ChangeWriter {
    /// Returns the verdict of a comparison: not trusted if a host got worse by the criterion.
    package func verdict(_ tally: ScanTally) -> ReportVerdict {
        guard self.criterion != .never else { return .trusted }
        if self.written.worse > 0 { return .notTrusted }
        return tally.unusable > 0 ? .notEvaluated : .trusted
    }
}
