//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

public import NIOCore

/// The content of a request.
public struct HTTPRequestBody: Sendable {
    enum Storage: Sendable {
        case none
        case octets(ByteBuffer)
        case stream(length: Int?, isReplayable: Bool, @Sendable () -> Octets)
    }

    /// Octets as they come.
    public typealias Octets = AsyncThrowingStream<ByteBuffer, any Error>

    let storage: Storage

    private init(_ storage: Storage) { self.storage = storage }

    /// No content.
    public static let none = HTTPRequestBody(.none)

    /// Octets.
    public static func octets(_ octets: ByteBuffer) -> HTTPRequestBody { HTTPRequestBody(.octets(octets)) }

    /// Text in UTF-8.
    public static func text(_ text: String) -> HTTPRequestBody { HTTPRequestBody(.octets(ByteBuffer(string: text))) }

    /// Octets that are made while they are sent.
    ///
    /// - Parameters:
    ///   - length: How many; `nil` where that is not known, which sends them in chunks.
    ///   - isReplayable: Whether they can be made again, for a redirect or a challenge. Where they cannot, such a request fails.
    ///   - octets: Makes them from the beginning.
    public static func stream(
        length: Int?, isReplayable: Bool, _ octets: @escaping @Sendable () -> Octets
    ) -> HTTPRequestBody {
        HTTPRequestBody(.stream(length: length, isReplayable: isReplayable, octets))
    }

    /// The number of octets; `nil` where it is not known.
    public var length: Int? {
        switch self.storage {
        case .none: 0
        case .octets(let octets): octets.readableBytes
        case .stream(let length, _, _): length
        }
    }

    /// Whether there is content, also of no octets.
    public var isPresent: Bool { if case .none = self.storage { false } else { true } }

    /// Whether it can be sent again.
    public var isReplayable: Bool {
        if case .stream(_, let isReplayable, _) = self.storage { isReplayable } else { true }
    }
}
