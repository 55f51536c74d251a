//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import NIOCore

/// Finds the ServerHello in the first bytes a server sends, however they are cut into records and reads.
///
/// It reads plaintext only and gives up at the first encrypted record. It buffers at most one record and
/// ``maximumMessageBytes`` of messages, and cannot trap whatever the bytes are.
struct ServerHelloReader {
    /// What was found.
    enum Finding: Hashable {
        /// The ServerHello, after any HelloRetryRequest.
        case serverHello(ServerHello)
        /// A plaintext alert came instead, with this number.
        case alert(UInt8)
        /// The bytes are not TLS records.
        case notTLS
        /// TLS records without a ServerHello.
        case nothing
    }

    private enum ContentType {
        static let changeCipherSpec: UInt8 = 20
        static let alert: UInt8 = 21
        static let handshake: UInt8 = 22
        static let applicationData: UInt8 = 23
    }

    /// A ServerHello has a few hundred bytes.
    static let maximumMessageBytes = 1 << 16

    /// The largest record: RFC 5246, section 6.2.3 allows 2^14 + 2048 bytes.
    private static let maximumRecordLength = (1 << 14) + 2048

    private var records = ByteBuffer()
    private var messages = ByteBuffer()

    /// Reads the next bytes.
    ///
    /// - Parameter bytes: Bytes as they came from the network.
    /// - Returns: What was found, after which no more bytes need to be given, or `nil` while more are needed.
    mutating func read(_ bytes: ByteBuffer) -> Finding? {
        self.records.writeImmutableBuffer(bytes)
        while self.records.readableBytes > 0 {
            guard self.startsLikeRecord else {
                return .notTLS
            }
            guard let (type, content) = self.nextRecord() else {
                return self.records.readableBytes > 5 + Self.maximumRecordLength ? .nothing : nil
            }
            if let finding = self.readRecord(of: type, content: content) {
                return finding
            }
        }
        return nil
    }

    /// Whether what there is of the next record's header can be one: a known type, then major version 3.
    private var startsLikeRecord: Bool {
        let start = self.records.readerIndex
        let type = self.records.getInteger(at: start, as: UInt8.self) ?? 0
        let majorVersion = self.records.readableBytes > 1 ? self.records.getInteger(at: start + 1, as: UInt8.self) : 3
        return (ContentType.changeCipherSpec...ContentType.applicationData).contains(type) && majorVersion == 3
    }

    /// The next record, if all of it is there.
    private mutating func nextRecord() -> (type: UInt8, content: ByteBuffer)? {
        var rest = self.records
        guard
            let type = rest.readInteger(as: UInt8.self),
            rest.readInteger(as: UInt16.self) != nil,
            let length = rest.readInteger(as: UInt16.self),
            let content = rest.readSlice(length: Int(length))
        else {
            return nil
        }
        self.records = rest
        return (type, content)
    }

    private mutating func readRecord(of type: UInt8, content: ByteBuffer) -> Finding? {
        switch type {
        case ContentType.handshake:
            self.messages.writeImmutableBuffer(content)
            return self.readMessages()
        case ContentType.alert:
            return self.readAlert(content)
        case ContentType.changeCipherSpec:
            // Sent for the sake of middleboxes after a HelloRetryRequest (RFC 8446, appendix D.4).
            return nil
        default:
            return .nothing
        }
    }

    /// A fatal alert is a finding; after a warning, such as old servers send for an unknown name, the server goes on.
    private func readAlert(_ content: ByteBuffer) -> Finding? {
        var content = content
        guard let level = content.readInteger(as: UInt8.self), let number = content.readInteger(as: UInt8.self) else {
            return .nothing
        }
        return level == 1 ? nil : .alert(number)
    }

    private mutating func readMessages() -> Finding? {
        while let (type, body) = self.nextMessage() {
            guard type == 2, let hello = ServerHello(body: body) else {
                return .nothing
            }
            if !hello.isRetryRequest {
                return .serverHello(hello)
            }
        }
        return self.messages.readableBytes > Self.maximumMessageBytes ? .nothing : nil
    }

    /// The next handshake message, if all of it is there.
    private mutating func nextMessage() -> (type: UInt8, body: ByteBuffer)? {
        var rest = self.messages
        guard
            let header = rest.readInteger(as: UInt32.self),
            let body = rest.readSlice(length: Int(header & 0xFF_FFFF))
        else {
            return nil
        }
        self.messages = rest
        return (UInt8(truncatingIfNeeded: header >> 24), body)
    }
}
