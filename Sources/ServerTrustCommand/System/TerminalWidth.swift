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

/// The width of help texts.
enum TerminalWidth {
    private static let minimum = 40

    /// Raises the width of help texts on narrow terminals. Below 27 columns ArgumentParser omits descriptions, and ends the
    /// process in debug builds. The variable is read by libc, because Foundation would first copy the whole environment at each
    /// start.
    static func raiseToReadable() {
        guard let width = Self.known, width < Self.minimum else { return }
        setenv("COLUMNS", "\(Self.minimum)", 1)
    }

    /// The width of the terminal, or the usual width if there is none.
    static var columns: Int { Self.known.flatMap { $0 > 0 ? $0 : nil } ?? 80 }

    private static var known: Int? {
        getenv("COLUMNS").flatMap { Int(String(cString: $0)) } ?? FileDescriptor.standardOutput.terminalWidth
    }
}
