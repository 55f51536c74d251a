//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import FleetScan
import SystemPackage

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// The width that help is laid out for.
enum TerminalWidth {
    /// The least width in which help can be laid out.
    private static let minimum = 40

    /// Has help laid out for a readable width on narrower terminals: ArgumentParser leaves descriptions out below 27 columns, and
    /// ends the process in debug builds. Asks libc for the one variable: Foundation would first copy every one, at each start.
    static func raiseToReadable() {
        let named = getenv("COLUMNS").flatMap { Int(String(cString: $0)) }
        guard let width = named ?? FileDescriptor.standardOutput.terminalWidth, width < Self.minimum else { return }
        setenv("COLUMNS", "\(Self.minimum)", 1)
    }
}
