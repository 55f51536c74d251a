//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import ConfigurationDocuments

/// What was read from a file, and what there is to say about it.
public struct PinningReading: Sendable, Hashable {
    /// The configuration; `nil` when there is an error in the file, for half a configuration would pin half the hosts.
    public let configuration: PinningConfiguration?

    /// Everything that was found, in the order of the file.
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
    /// The same with what else was found, in the order of the file; what the file's reader said of a place is not said
    /// again. At most a thousand are listed.
    public func adding(_ findings: [PinningDiagnostic]) -> PinningReading {
        let known = Set(self.diagnostics.map { [$0.code.rawValue, "\($0.position?.line ?? 0)"] })
        let new = findings.filter {
            $0.position == nil || !known.contains([$0.code.rawValue, "\($0.position?.line ?? 0)"])
        }
        let room = max(0, PinningDiagnostic.maximumCount - self.diagnostics.count)
        return PinningReading(self.configuration, self.diagnostics + new.prefix(room))
    }
}
