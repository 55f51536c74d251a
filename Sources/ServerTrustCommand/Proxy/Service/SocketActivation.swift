//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// The socket that systemd passes to a service (sd_listen_fds(3)).
enum SocketActivation {
    /// The descriptor of the first socket.
    private static let first: Int32 = 3

    /// Returns the socket, or `nil` if there is none for this process.
    ///
    /// - Parameters:
    ///   - environment: The environment.
    ///   - process: The identifier of this process. The variables may be meant for its parent process.
    /// - Throws: ``CommandError`` if the number of sockets is not one.
    static func socket(_ environment: [String: String], process: Int32) throws -> Int32? {
        guard let text = environment["LISTEN_PID"], Int32(text) == process else { return nil }
        let (count, names) = (environment["LISTEN_FDS"] ?? "", environment["LISTEN_FDNAMES"])
        guard Int(count) == 1,
            names.map({ $0.split(separator: ":", omittingEmptySubsequences: false).count == 1 }) ?? true
        else {
            throw CommandError("systemd hands over \(count) sockets. The proxy takes one: have one ListenStream")
        }
        return Self.first
    }
}
