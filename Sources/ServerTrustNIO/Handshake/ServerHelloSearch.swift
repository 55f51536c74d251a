//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import NIOCore
import TLSWire

/// A search for the ServerHello in the first bytes of a server, for a handler in front of the TLS handler.
///
/// The search ends with the first finding and keeps no bytes after it. It reads plaintext only.
struct ServerHelloSearch {
    /// The result of the search.
    enum Finding: Hashable {
        /// The ServerHello, after any HelloRetryRequest.
        case serverHello(ServerHello)
        /// A plaintext alert in place of the ServerHello.
        case alert(TLSAlertDescription)
        /// Bytes that are not TLS records.
        case notTLS
        /// TLS records without a ServerHello, or with a violation of TLS before it.
        case nothing
    }

    /// 64 KiB. A ServerHello has a few hundred bytes, but warning alerts and a HelloRetryRequest may precede it.
    private static let limit = 1 << 16

    /// The reader, or `nil` once the search has ended.
    private var reader: ServerFlightReader? = ServerFlightReader(limit: Self.limit, endingWith: .serverHello)

    /// Reads the next bytes.
    ///
    /// - Parameter bytes: The bytes from the network.
    /// - Returns: The finding, once. `nil` while more bytes are needed, and after the end.
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
