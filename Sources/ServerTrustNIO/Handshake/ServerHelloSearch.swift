//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import NIOCore
import TLSWire

/// Finds the ServerHello in the first bytes a server sends, for a handler in front of the TLS handler.
///
/// The search ends with the first finding and keeps no bytes after it. It reads plaintext only.
struct ServerHelloSearch {
    /// What was found.
    enum Finding: Hashable {
        /// The ServerHello, after any HelloRetryRequest.
        case serverHello(ServerHello)
        /// A plaintext alert came instead.
        case alert(TLSAlertDescription)
        /// The bytes are not TLS records.
        case notTLS
        /// TLS records that hold no ServerHello, or break the rules of TLS before it.
        case nothing
    }

    /// A ServerHello has a few hundred bytes; warnings and a HelloRetryRequest may precede it.
    private static let limit = 1 << 16

    /// `nil` once something was found.
    private var reader: ServerFlightReader? = ServerFlightReader(limit: Self.limit, endingWith: .serverHello)

    /// Reads the next bytes.
    ///
    /// - Parameter bytes: Bytes as they came from the network.
    /// - Returns: What was found, once; `nil` while more bytes are needed, and after the end.
    mutating func read(_ bytes: ByteBuffer) -> Finding? {
        guard let finding = self.reader?.finding(in: bytes) else { return nil }
        self.reader = nil
        return finding
    }
}

extension ServerFlightReader {
    fileprivate mutating func finding(in bytes: ByteBuffer) -> ServerHelloSearch.Finding? {
        do {
            switch try self.read(octets: Array(buffer: bytes)) {
            case .unfinished: return nil
            case .notTLS: return .notTLS
            case .finished: break
            }
        } catch {
            return .nothing
        }
        if self.flight.isComplete, let hello = self.flight.hello { return .serverHello(hello) }
        // RFC 8446 §6.1: close_notify only announces the end of the connection.
        return self.flight.alert.flatMap { $0 == .closeNotify ? nil : .alert($0) } ?? .nothing
    }
}
