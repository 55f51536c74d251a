//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// Decompresses data as they come, in bounded memory.
///
/// ```swift
/// var stream = InflateStream(.gzip, limit: 1 << 30)
/// stream.receive(octets)
/// while let decompressed = try stream.next() { … }
/// try stream.finish()  // Behind the last octets.
/// ```
public struct InflateStream: Sendable {
    /// What is around the data.
    public enum Format: Sendable, Hashable {
        /// gzip, of one member or several (RFC 1952).
        case gzip
        /// zlib (RFC 1950), or DEFLATE alone (RFC 1951), which HTTP's `deflate` is in practice (RFC 9110 §8.4.1.2).
        case deflate
    }

    private enum State: Sendable {
        case header
        case data(Inflater, trailer: Trailer)
        case trailer(Trailer)
        case end
    }

    private enum Trailer: Sendable {
        case gzip
        case zlib
        case none

        var size: Int { self == .gzip ? 8 : self == .zlib ? 4 : 0 }
        var checksum: Checksum { self == .gzip ? .crc32 : .adler32 }
    }

    private let format: Format
    private var state = State.header
    /// What came, and how much of it was taken.
    private var buffer: [UInt8] = []
    private var taken = 0
    /// How much the inflater is given next.
    private var pieceSize = Self.firstPiece
    private var left: Int
    private var sum: UInt32 = 0
    private var size: UInt32 = 0
    private var hasMembers = false

    /// How much is made at once, about.
    private static let chunkSize = 64 << 10
    /// More than headers have in responses. One that comes octet by octet is read anew with each.
    private static let maximumHeader = 8 << 10
    /// What an inflater is given is copied, and copied back where its data end. So it gets little first, and then twice as much each
    /// time: many small members cost no more than one large.
    private static let (firstPiece, largestPiece) = (256, 64 << 10)

    /// A stream.
    ///
    /// - Parameters:
    ///   - format: What is around the data.
    ///   - limit: The most octets that may come of them.
    public init(_ format: Format, limit: Int) { (self.format, self.left) = (format, limit) }

    /// Adds compressed data. Take what comes of them with ``next()`` before adding more, so that memory stays bounded.
    public mutating func receive(_ octets: some Collection<UInt8>) {
        self.buffer.removeFirst(self.taken)
        self.taken = 0
        self.buffer.append(contentsOf: octets)
    }

    /// What came and was not taken.
    private var rest: ArraySlice<UInt8> { self.buffer[self.taken...] }

    /// The next decompressed octets; `nil` where more data are needed, or nothing follows.
    ///
    /// - Throws: ``InflateError``
    public mutating func next() throws(InflateError) -> ArraySlice<UInt8>? {
        while true {
            switch self.state {
            case .header:
                guard try self.readHeader() else { return nil }
            case .data(let inflater, let trailer):
                // One owner, so that nothing is copied.
                self.state = .end
                guard let output = try self.inflate(inflater, trailer) else { return nil }
                if !output.isEmpty { return output }
            case .trailer(let trailer):
                guard try self.readTrailer(trailer) else { return nil }
            case .end:
                guard self.rest.isEmpty else { throw .malformed }
                return nil
            }
        }
    }

    /// Says that nothing follows.
    ///
    /// - Throws: ``InflateError/truncated`` where something should.
    public func finish() throws(InflateError) {
        switch self.state {
        case .end: return
        case .header where self.hasMembers && self.rest.isEmpty: return
        case .header, .data, .trailer: throw .truncated
        }
    }

    private mutating func readHeader() throws(InflateError) -> Bool {
        let rest = self.rest
        guard !rest.isEmpty else { return false }
        switch self.format {
        case .gzip:
            guard let content = try GzipHeader.content(of: rest) else {
                guard rest.count <= Self.maximumHeader else { throw .malformed }
                return false
            }
            self.begin(at: content.startIndex, .gzip)
        case .deflate:
            guard rest.count >= 2 else { return false }
            let isZlib = Inflate.isZlib(rest)
            self.begin(at: rest.startIndex + (isZlib ? 2 : 0), isZlib ? .zlib : .none)
        }
        return true
    }

    private mutating func begin(at place: Int, _ trailer: Trailer) {
        self.state = .data(Inflater([], limit: self.left), trailer: trailer)
        self.taken = place
        self.pieceSize = Self.firstPiece
        self.sum = trailer.checksum.start
        self.size = 0
    }

    /// - Returns: `nil` where more data are needed; empty where the data have ended, or the inflater was given more.
    private mutating func inflate(
        _ inflater: consuming Inflater, _ trailer: Trailer
    ) throws(InflateError) -> ArraySlice<UInt8>? {
        let isEnd = try inflater.advance(upTo: Self.chunkSize)
        let output = inflater.takeOutput()
        if trailer != .none { self.sum = trailer.checksum.continued(self.sum, with: output) }
        self.size &+= UInt32(truncatingIfNeeded: output.count)
        self.left -= output.count
        if isEnd {
            self.taken -= inflater.rest.count
            self.state = .trailer(trailer)
            return output
        }
        let isAtEnd = output.isEmpty && !self.feed(&inflater)
        self.state = .data(inflater, trailer: trailer)
        return isAtEnd ? nil : output
    }

    /// Gives an inflater that needs more a piece of what came.
    ///
    /// - Returns: Whether there was any.
    private mutating func feed(_ inflater: inout Inflater) -> Bool {
        let piece = self.rest.prefix(self.pieceSize)
        guard !piece.isEmpty else { return false }
        inflater.receive(piece)
        self.taken = piece.endIndex
        self.pieceSize = min(self.pieceSize * 2, Self.largestPiece)
        return true
    }

    private mutating func readTrailer(_ trailer: Trailer) throws(InflateError) -> Bool {
        guard self.rest.count >= trailer.size else { return false }
        let octets = self.rest.prefix(trailer.size)
        self.taken = octets.endIndex
        switch trailer {
        case .none: self.state = .end
        case .zlib:
            guard octets.reduce(0 as UInt32, { $0 << 8 | UInt32($1) }) == self.sum else { throw .wrongChecksum }
            self.state = .end
        case .gzip:
            let numbers = octets.reversed().reduce(0 as UInt64) { $0 << 8 | UInt64($1) }
            guard UInt32(truncatingIfNeeded: numbers) == self.sum, numbers >> 32 == UInt64(self.size) else {
                throw .wrongChecksum
            }
            self.state = .header
            self.hasMembers = true
        }
        return true
    }
}
