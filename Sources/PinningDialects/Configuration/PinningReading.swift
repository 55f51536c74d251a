//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import ConfigurationDocuments

/// The result of reading a file: a configuration and the diagnostics.
///
/// ``PinningReader/read(_:)`` returns one. Show the diagnostics to people even if there is a configuration, because a warning may
/// be about a setting without an effect.
public struct PinningReading: Sendable, Hashable {
    /// The configuration, or `nil` if the file has an error. A partial configuration would leave some hosts unpinned.
    public let configuration: PinningConfiguration?

    /// All diagnostics in the order of the file.
    public let diagnostics: [PinningDiagnostic]

    init(_ configuration: PinningConfiguration?, _ diagnostics: [PinningDiagnostic]) {
        let isUsable = diagnostics.allSatisfy { $0.severity != .error }
        self.configuration = isUsable ? configuration : nil
        self.diagnostics = diagnostics.sorted { left, right in
            (left.position?.line ?? 0, left.position?.column ?? 0) < (
                right.position?.line ?? 0, right.position?.column ?? 0
            )
        }
    }
}

extension PinningReading {
    /// Returns the reading with more findings, in the order of the file. A finding is left out if the reader reported the same
    /// code for the same line. The result has at most a thousand diagnostics.
    public func adding(_ findings: [PinningDiagnostic]) -> PinningReading {
        let known = Set(self.diagnostics.map { [$0.code.rawValue, "\($0.position?.line ?? 0)"] })
        let new = findings.filter {
            $0.position == nil || !known.contains([$0.code.rawValue, "\($0.position?.line ?? 0)"])
        }
        let room = max(0, PinningDiagnostic.maximumCount - self.diagnostics.count)
        return PinningReading(self.configuration, self.diagnostics + new.prefix(room))
    }
}
