//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// The reason that compressed data cannot be read.
///
/// ``Inflate`` and ``InflateStream`` throw it. Data with an error must not be used, even if a part of them was decompressed.
public enum InflateError: Error, Sendable, Hashable {
    /// The data end too early.
    case truncated
    /// The data do not follow their format.
    case malformed
    /// The checksum or the length of the decompressed data differs from the one in the file.
    case wrongChecksum
    /// The decompressed data exceed the limit.
    case tooLarge
}

/// A strict decompressor for DEFLATE (RFC 1951) with a limit on its output.
///
/// The package only ever decompresses, and a statically linked program has no zlib.
struct Inflater {
    private enum State {
        case header
        case stored(left: Int)
        case block(literals: HuffmanCode, distances: HuffmanCode)
        case end
    }

    private var input: BitReader
    private var state = State.header
    private var isLast = false
    private let limit: Int
    private var count = 0
    /// The decompressed octets not yet taken, preceded by those that the data may still refer to.
    private(set) var output: [UInt8] = []
    /// The number of octets in `output` already taken.
    private var taken = 0

    /// The largest distance of a reference (RFC 1951 §2), in octets.
    private static let window = 32 << 10

    /// - Parameters:
    ///   - octets: The compressed data, or their beginning, and any octets after them.
    ///   - limit: The maximum number of decompressed octets.
    init(_ octets: ArraySlice<UInt8>, limit: Int) {
        self.input = BitReader(octets)
        self.limit = limit
    }

    /// Decompresses data that are in memory as a whole.
    ///
    /// - Returns: The octets after the compressed data.
    mutating func run() throws(InflateError) -> ArraySlice<UInt8> {
        guard try self.advance(upTo: .max) else { throw .truncated }
        return self.rest
    }

    mutating func receive(_ octets: some Collection<UInt8>) { self.input.append(octets) }

    var rest: ArraySlice<UInt8> { self.input.rest }

    /// Returns the octets decompressed since the last call.
    mutating func takeOutput() -> ArraySlice<UInt8> {
        let octets = self.output[self.taken...]
        self.taken = self.output.count
        let surplus = self.output.count - Self.window
        // Only beyond twice the window, because removing moves the remaining octets.
        if surplus > Self.window {
            self.output.removeFirst(surplus)
            self.taken -= surplus
        }
        return octets
    }

    /// Decompresses until enough octets are ready or the input runs out.
    ///
    /// - Parameter size: The approximate number of octets to decompress.
    /// - Returns: `true` at the end of the compressed data. If `false`, there is output to take or more input is needed.
    mutating func advance(upTo size: Int) throws(InflateError) -> Bool {
        while self.output.count - self.taken < size {
            // An incomplete item is read again from its start when more input has arrived.
            let place = self.input.place
            do throws(InflateError) {
                switch self.state {
                case .header: try self.beginBlock()
                case .stored(let left): try self.stored(left)
                case .block(let literals, let distances): try self.symbols(literals, distances, upTo: size)
                case .end: return true
                }
            } catch {
                guard error == .truncated else { throw error }
                if case .block = self.state { return false }
                self.input.goBack(to: place)
                return false
            }
        }
        return false
    }

    private mutating func beginBlock() throws(InflateError) {
        if self.isLast {
            self.input.alignToOctet()
            self.state = .end
            return
        }
        let isLast = try self.input.bits(1) == 1
        switch try self.input.bits(2) {
        case 0:
            self.input.alignToOctet()
            let length = try self.input.bits(16)
            guard try self.input.bits(16) == ~length & 0xFFFF else { throw .malformed }
            self.state = .stored(left: length)
        case 1: try self.begin(Self.fixedCode)
        case 2: try self.begin(try self.dynamicCodes())
        default: throw .malformed
        }
        self.isLast = isLast
    }

    private mutating func begin(_ codes: (literals: HuffmanCode?, distances: HuffmanCode?)) throws(InflateError) {
        guard let literals = codes.literals, let distances = codes.distances else { throw .malformed }
        self.state = .block(literals: literals, distances: distances)
    }

    private mutating func stored(_ left: Int) throws(InflateError) {
        guard left > 0 else {
            self.state = .header
            return
        }
        let count = min(left, self.input.octetCount)
        guard count > 0 else { throw .truncated }
        guard count <= self.limit - self.count else { throw .tooLarge }
        self.output += try self.input.octets(count)
        self.count += count
        self.state = .stored(left: left - count)
    }

    // MARK: Codes

    private static let fixedCode: (literals: HuffmanCode?, distances: HuffmanCode?) = {
        let lengths: [UInt8] = (0..<288).map { $0 < 144 ? 8 : $0 < 256 ? 9 : $0 < 280 ? 7 : 8 }
        return (HuffmanCode(lengths: lengths), HuffmanCode(lengths: [UInt8](repeating: 5, count: 32)))
    }()

    /// The order in which the lengths of the code length code are stored (§3.2.7).
    private static let lengthOrder = [16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15]

    private mutating func dynamicCodes() throws(InflateError) -> (HuffmanCode?, HuffmanCode?) {
        let literals = try self.input.bits(5) + 257
        let distances = try self.input.bits(5) + 1
        let count = try self.input.bits(4) + 4
        guard literals <= 286, distances <= 30 else { throw .malformed }
        var order = [UInt8](repeating: 0, count: Self.lengthOrder.count)
        for place in Self.lengthOrder.prefix(count) { order[place] = UInt8(try self.input.bits(3)) }
        guard let code = HuffmanCode(lengths: order, mayBeIncomplete: false) else { throw .malformed }
        let lengths = try self.lengths(literals + distances, code)
        // A block without a word for its end would never end.
        guard lengths[256] != 0 else { throw .malformed }
        return (HuffmanCode(lengths: lengths[..<literals]), HuffmanCode(lengths: lengths[literals...]))
    }

    private mutating func lengths(_ count: Int, _ code: HuffmanCode) throws(InflateError) -> [UInt8] {
        var lengths: [UInt8] = []
        while lengths.count < count {
            let symbol = try code.symbol(&self.input)
            guard symbol >= 16 else {
                lengths.append(UInt8(symbol))
                continue
            }
            let (value, times): (UInt8, Int)
            switch symbol {
            case 16:
                guard let last = lengths.last else { throw .malformed }
                (value, times) = (last, try self.input.bits(2) + 3)
            case 17: (value, times) = (0, try self.input.bits(3) + 3)
            default: (value, times) = (0, try self.input.bits(7) + 11)
            }
            guard times <= count - lengths.count else { throw .malformed }
            lengths += repeatElement(value, count: times)
        }
        return lengths
    }

    // MARK: Blocks

    private static let lengthBases = [
        3, 4, 5, 6, 7, 8, 9, 10, 11, 13, 15, 17, 19, 23, 27, 31, 35, 43, 51, 59, 67, 83, 99, 115, 131, 163, 195, 227,
        258,
    ]
    private static let lengthBits = [
        0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 3, 4, 4, 4, 4, 5, 5, 5, 5, 0,
    ]
    private static let distanceBases = [
        1, 2, 3, 4, 5, 7, 9, 13, 17, 25, 33, 49, 65, 97, 129, 193, 257, 385, 513, 769, 1_025, 1_537, 2_049, 3_073,
        4_097,
        6_145, 8_193, 12_289, 16_385, 24_577,
    ]
    private static let distanceBits = [
        0, 0, 0, 0, 1, 1, 2, 2, 3, 3, 4, 4, 5, 5, 6, 6, 7, 7, 8, 8, 9, 9, 10, 10, 11, 11, 12, 12, 13, 13,
    ]

    /// Decodes symbols until the block ends, the input ends, or enough octets are ready.
    private mutating func symbols(
        _ literals: HuffmanCode, _ distances: HuffmanCode, upTo size: Int
    ) throws(InflateError) {
        while self.output.count - self.taken < size {
            let place = self.input.place
            do throws(InflateError) {
                let symbol = try literals.symbol(&self.input)
                guard symbol != 256 else {
                    self.state = .header
                    return
                }
                guard symbol < 256 else {
                    try self.copy(try self.length(symbol - 257), from: try self.distance(distances))
                    continue
                }
                guard self.count < self.limit else { throw InflateError.tooLarge }
                self.output.append(UInt8(symbol))
                self.count += 1
            } catch {
                if error == .truncated { self.input.goBack(to: place) }
                throw error
            }
        }
    }

    private mutating func length(_ place: Int) throws(InflateError) -> Int {
        guard place < Self.lengthBases.count else { throw .malformed }
        return Self.lengthBases[place] + (try self.input.bits(Self.lengthBits[place]))
    }

    private mutating func distance(_ code: HuffmanCode) throws(InflateError) -> Int {
        let place = try code.symbol(&self.input)
        guard place < Self.distanceBases.count else { throw .malformed }
        return Self.distanceBases[place] + (try self.input.bits(Self.distanceBits[place]))
    }

    /// Copies earlier output to the end. Source and destination may overlap.
    private mutating func copy(_ length: Int, from distance: Int) throws(InflateError) {
        guard distance <= self.output.count else { throw .malformed }
        guard length <= self.limit - self.count else { throw .tooLarge }
        let start = self.output.count - distance
        for index in start..<start + length { self.output.append(self.output[index]) }
        self.count += length
    }
}
