//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import SystemPackage
import Testing

@testable import ServerTrustCommand

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

@Suite("A terminal that hides what is typed", .timeLimit(.minutes(20)))
struct TerminalEchoTests {
    private static func shows(_ file: CInt) -> Bool {
        var settings = termios()
        return tcgetattr(file, &settings) == 0 && settings.c_lflag & tcflag_t(ECHO) != 0
    }

    /// A terminal of the test's own, which the process was not started from.
    private static func withTerminal(_ body: (SystemPackage.FileDescriptor) throws -> Void) throws {
        var (outer, inner): (CInt, CInt) = (-1, -1)
        try #require(openpty(&outer, &inner, nil, nil, nil) == 0)
        defer {
            close(outer)
            close(inner)
        }
        try body(FileDescriptor(rawValue: inner))
    }

    @Test("It shows it again once something is read, and at the end of the process in the middle of that")
    func restored() throws {
        try Self.withTerminal { file in
            let echo = TerminalEcho()
            #expect(Self.shows(file.rawValue))
            let read = echo.off(file) {
                #expect(!Self.shows(file.rawValue))
                return "x"
            }
            #expect(read == "x" && Self.shows(file.rawValue))
            _ = echo.off(file) {
                echo.keep()
                #expect(Self.shows(file.rawValue))
                return nil
            }
            #expect(Self.shows(file.rawValue))
        }
    }

    @Test("Nothing is hidden after that, and nothing is read from what is no terminal")
    func kept() throws {
        try Self.withTerminal { file in
            let echo = TerminalEcho()
            echo.keep()
            #expect(echo.isKept)
            #expect(echo.off(file) { "x" } == nil)
        }
        let file = try FileDescriptor.open("/dev/null", .readOnly)
        try file.closeAfter { #expect(TerminalEcho().off(file) { "x" } == nil) }
    }
}
