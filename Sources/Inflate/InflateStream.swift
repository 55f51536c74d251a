//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// A decompressor for data that arrive piece by piece, in bounded memory.
///
/// Add each piece with ``receive(_:)``, take the decompressed octets with ``next()`` until it returns `nil`, and call ``finish()``
/// after the last piece.
///
/// ```swift
/// var stream = InflateStream(.gzip, limit: 1 << 30)
/// stream.receive(octets)
/// while let decompressed = try stream.next() { … }
/// try stream.finish()  // After the last octets.
/// ```
public struct InflateStream: Sendable {
    /// The format around the compressed data.
    public enum Format: Sendable, Hashable {
        /// gzip of one or several members (RFC 1952).
        case gzip
        /// zlib (RFC 1950) or plain DEFLATE (RFC 1951). HTTP's `deflate` means both in practice (RFC 9110 §8.4.1.2).
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
    /// The received octets. The first `taken` of them are consumed.
    private var buffer: [UInt8] = []
    private var taken = 0
    /// The number of octets that the inflater receives next.
    private var pieceSize = Self.firstPiece
    private var left: Int
    private var sum: UInt32 = 0
    private var size: UInt32 = 0
    private var hasMembers = false

    /// The approximate number of octets that one call decompresses.
    private static let chunkSize = 64 << 10
    /// The maximum size of a header, larger than any in real responses. A header that arrives octet by octet is parsed again with
    /// each octet, so the limit also bounds that work.
    private static let maximumHeader = 8 << 10
    /// The inflater copies the octets that it receives, and those after the end of its data are copied back. It therefore receives
    /// a small piece first, and twice as much each time: many small members cost no more than one large member.
    private static let (firstPiece, largestPiece) = (256, 64 << 10)

    /// Creates a stream.
    ///
    /// - Parameters:
    ///   - format: The format around the compressed data.
    ///   - limit: The maximum number of decompressed octets.
    public init(_ format: Format, limit: Int) { (self.format, self.left) = (format, limit) }

    /// Adds compressed data.
    ///
    /// Take the decompressed octets with ``next()`` before adding more, so that memory stays bounded.
    public mutating func receive(_ octets: some Collection<UInt8>) {
        self.buffer.removeFirst(self.taken)
        self.taken = 0
        self.buffer.append(contentsOf: octets)
    }

    private var rest: ArraySlice<UInt8> { self.buffer[self.taken...] }

    /// Returns the next decompressed octets, or `nil` if more data are needed or the data have ended.
    ///
    /// - Throws: ``InflateError``
    public mutating func next() throws(InflateError) -> ArraySlice<UInt8>? {
        while true {
            switch self.state {
            case .header:
                guard try self.readHeader() else { return nil }
            case .data(let inflater, let trailer):
                // The inflater must have a single owner here. Otherwise its buffers are copied.
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

    /// Ends the stream.
    ///
    /// - Throws: ``InflateError/truncated`` if the compressed data are not complete.
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

    /// - Returns: `nil` if more data are needed. An empty slice means that the data have ended or that the inflater received more.
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

    /// Passes the next piece of the received octets to an inflater that needs more.
    ///
    /// - Returns: `false` if no octets were left.
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
