//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import NIOCore
import ServerTrustNIO

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// A notifier that reports the state of a service of `Type=notify` to systemd (sd_notify(3)).
struct ServiceNotice: Sendable {
    /// The reported states.
    enum State: String, Sendable {
        case ready = "READY=1"
        case stopping = "STOPPING=1"
    }

    /// The name of the socket: a path, or a name that begins with NUL (unix(7)).
    private let name: [UInt8]
    private let shown: String
    private let complain: @Sendable (String) -> Void

    /// Reads the socket from the environment. Returns `nil` if no service manager waits for notifications.
    ///
    /// - Parameters:
    ///   - environment: The environment.
    ///   - complain: Receives messages about failed notifications.
    init?(_ environment: [String: String], complain: @escaping @Sendable (String) -> Void) {
        guard let text = environment["NOTIFY_SOCKET"], let first = text.utf8.first else { return nil }
        self.shown = text
        self.complain = complain
        self.name = first == UInt8(ascii: "@") ? [0] + text.utf8.dropFirst() : Array(text.utf8)
    }

    /// Reports a state. A failure is reported to people, and the service continues.
    func tell(_ state: State) {
        do {
            try self.send(Array(state.rawValue.utf8))
        } catch {
            self.complain("systemd is not told \(state.rawValue), at \(self.shown): \(error.systemText)")
        }
    }

    private func send(_ text: [UInt8]) throws(IOError) {
        let socket = socket(AF_UNIX, Self.datagram, 0)
        guard socket >= 0 else { throw Self.error("socket") }
        defer { close(socket) }
        // A service manager that does not respond must not block the service.
        var time = timeval(tv_sec: 5, tv_usec: 0)
        setsockopt(socket, SOL_SOCKET, SO_SNDTIMEO, &time, socklen_t(MemoryLayout<timeval>.size))
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        // A path ends with NUL. An abstract name has no terminator and counts in full.
        let isAbstract = self.name.first == 0
        guard self.name.count + (isAbstract ? 0 : 1) <= MemoryLayout.size(ofValue: address.sun_path) else {
            throw IOError(errnoCode: ENAMETOOLONG, reason: "sockaddr_un")
        }
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: self.name) }
        let before = MemoryLayout<sockaddr_un>.offset(of: \.sun_path) ?? MemoryLayout<sa_family_t>.size
        let size = socklen_t(before + self.name.count + (isAbstract ? 0 : 1))
        let sent = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { sendto(socket, text, text.count, 0, $0, size) }
        }
        guard sent == text.count else { throw Self.error("sendto") }
    }

    private static func error(_ function: String) -> IOError { IOError(errnoCode: errno, reason: function) }

    #if canImport(Glibc)
    private static let datagram = Int32(SOCK_DGRAM.rawValue)
    #else
    private static let datagram = SOCK_DGRAM
    #endif
}
