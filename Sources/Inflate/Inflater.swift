//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// Why compressed octets cannot be read.
public enum InflateError: Error, Sendable, Hashable {
    /// They end too early.
    case truncated
    /// They are not compressed data of the format.
    case malformed
    /// The checksum or the length of what they hold is another one.
    case wrongChecksum
    /// They hold more than was allowed.
    case tooLarge
}

/// Decompresses DEFLATE (RFC 1951), strictly and with a limit.
///
/// The package has no other use for compression than to read it, and a program that is linked statically has no zlib.
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
    /// How many octets came of the data.
    private var count = 0
    /// What came of the data and was not taken, behind what the data may still refer to.
    private(set) var output: [UInt8] = []
    /// How many octets of the output were taken.
    private var taken = 0

    /// How far back data refer (RFC 1951 §2).
    private static let window = 32 << 10

    /// - Parameters:
    ///   - octets: The compressed data, or their beginning, and what follows them.
    ///   - limit: The most octets that may come of them.
    init(_ octets: ArraySlice<UInt8>, limit: Int) {
        self.input = BitReader(octets)
        self.limit = limit
    }

    /// Decompresses data that are there as a whole.
    ///
    /// - Returns: What follows the compressed data.
    mutating func run() throws(InflateError) -> ArraySlice<UInt8> {
        guard try self.advance(upTo: .max) else { throw .truncated }
        return self.rest
    }

    /// Adds to the data.
    mutating func receive(_ octets: some Collection<UInt8>) { self.input.append(octets) }

    /// What follows the compressed data, after their end.
    var rest: ArraySlice<UInt8> { self.input.rest }

    /// Takes what came of the data since the last time.
    mutating func takeOutput() -> ArraySlice<UInt8> {
        let octets = self.output[self.taken...]
        self.taken = self.output.count
        let surplus = self.output.count - Self.window
        // Seldom, as what stays is moved.
        if surplus > Self.window {
            self.output.removeFirst(surplus)
            self.taken -= surplus
        }
        return octets
    }

    /// Decompresses as much as is there.
    ///
    /// - Parameter size: How much is made at once, about.
    /// - Returns: Whether the compressed data are at their end; otherwise there is output to take, or more input is needed.
    mutating func advance(upTo size: Int) throws(InflateError) -> Bool {
        while self.output.count - self.taken < size {
            // What cannot be read whole is read again when there is more.
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

    /// The order in which the lengths of the code for lengths are written (§3.2.7).
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
        // Without a word for the end of the block it would not end.
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

    /// Decodes symbols until a block ends, the input does, or enough is made.
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

    /// Repeats earlier output, which may overlap what is written.
    private mutating func copy(_ length: Int, from distance: Int) throws(InflateError) {
        guard distance <= self.output.count else { throw .malformed }
        guard length <= self.limit - self.count else { throw .tooLarge }
        let start = self.output.count - distance
        for index in start..<start + length { self.output.append(self.output[index]) }
        self.count += length
    }
}
