//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import FleetScan
import ServerReports
import SystemPackage

extension TextStyle {
    /// The style for standard output.
    static func standardOutput() -> TextStyle { .stream(isTerminal: Console.isTerminal) }

    /// The style for standard error.
    static func standardError() -> TextStyle { .stream(isTerminal: Descriptor.standardError.isTerminal) }
}
