//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

public import NIOCore

/// The content of a request: none, octets, a file or a stream.
public struct HTTPRequestBody: Sendable {
    enum Storage: Sendable {
        case none
        case octets(ByteBuffer)
        case stream(length: Int?, isReplayable: Bool, @Sendable () -> Octets)
    }

    /// A stream of octets.
    public typealias Octets = AsyncThrowingStream<ByteBuffer, any Error>

    let storage: Storage

    private init(_ storage: Storage) { self.storage = storage }

    /// No content.
    public static let none = HTTPRequestBody(.none)

    /// Returns a content of octets.
    public static func octets(_ octets: ByteBuffer) -> HTTPRequestBody { HTTPRequestBody(.octets(octets)) }

    /// Returns a content of text in UTF-8.
    public static func text(_ text: String) -> HTTPRequestBody { HTTPRequestBody(.octets(ByteBuffer(string: text))) }

    /// Returns a content that is generated while it is sent.
    ///
    /// - Parameters:
    ///   - length: The number of octets, or `nil` if it is unknown. The content is then sent in chunks.
    ///   - isReplayable: `true` if the content can be generated again for a redirect or challenge. Otherwise such a request fails.
    ///   - octets: A closure that generates the content from the beginning.
    public static func stream(
        length: Int?, isReplayable: Bool, _ octets: @escaping @Sendable () -> Octets
    ) -> HTTPRequestBody {
        HTTPRequestBody(.stream(length: length, isReplayable: isReplayable, octets))
    }

    /// The number of octets, or `nil` if it is unknown.
    public var length: Int? {
        switch self.storage {
        case .none: 0
        case .octets(let octets): octets.readableBytes
        case .stream(let length, _, _): length
        }
    }

    /// `true` if there is content, even if it has no octets.
    public var isPresent: Bool { if case .none = self.storage { false } else { true } }

    /// `true` if the content can be sent again.
    public var isReplayable: Bool {
        if case .stream(_, let isReplayable, _) = self.storage { isReplayable } else { true }
    }
}
