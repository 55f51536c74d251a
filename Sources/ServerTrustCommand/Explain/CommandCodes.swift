//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import FleetScan
import InterceptingProxy
import PinningDialects
import ServerReports

/// All codes that a command prints: the codes of reports, of server lists and of files with pins.
enum CommandCodes {
    static let all =
        CodeIndex.all + ScanEntryCodes.all + RefusalCode.explained
        + PinningDiagnostic.Code.allCases.map(Self.pins)

    private static func pins(_ code: PinningDiagnostic.Code) -> ExplainedCode {
        ExplainedCode(
            .pinFile, code.rawValue, sentence: code.sentence,
            remedy: "`servertrust pins check FILE` names the line, and what to write in its place.")
    }
}
