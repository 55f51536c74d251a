//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import Testing

/// The hello that was captured of Safari 26.3, as octets; `nil` stands for what is drawn by lot.
///
/// The order of its parts is that of the capture.
enum CapturedHello {
    static let suites: [UInt16] = [
        0x1302, 0x1303, 0x1301, 0xC02C, 0xC02B, 0xCCA9, 0xC030, 0xC02F, 0xCCA8, 0xC00A, 0xC009, 0xC014, 0xC013, 0x009D,
        0x009C, 0x0035, 0x002F, 0xC008, 0xC012, 0x000A,
    ]

    /// Expects a hello to be the captured one.
    ///
    /// - Parameters:
    ///   - octets: The hello with its record.
    ///   - versions: The versions in the extension for them.
    ///   - moreSuites: What stands behind the captured suites.
    static func expect(_ octets: [UInt8], versions: [UInt16], moreSuites: [UInt16] = []) throws {
        let expected = self.octets(versions: versions, moreSuites: moreSuites)
        try #require(octets.count == expected.count)
        for (place, (octet, wanted)) in zip(octets, expected).enumerated() where wanted != nil {
            #expect(octet == wanted, "octet \(place)")
        }
        let places = self.greasePlaces(versions: versions, moreSuites: moreSuites)
        let values = places.map { UInt16(octets[$0]) << 8 | UInt16(octets[$0 + 1]) }
        // RFC 8701 §2, and §3.1: the same for a group and its key, and never the same for both extensions.
        #expect(values.allSatisfy { $0 & 0x0F0F == 0x0A0A && $0 >> 8 == $0 & 0xFF })
        #expect(values[2] == values[3] && values[1] != values[5])
    }

    private static let lot: [UInt8?] = [nil, nil]

    private static func octets(versions: [UInt16], moreSuites: [UInt16]) -> [UInt8?] {
        let suites = self.lot + self.numbers(self.suites + moreSuites)
        let extensions = self.extensions(versions: versions).joined()
        let body: [UInt8?] =
            [3, 3] + self.chance(32) + [32] + self.chance(32) + self.vector(suites) + [1, 0]
            + self.vector(Array(extensions))
        let message: [UInt8?] = [1, 0] + self.vector(body)
        return [22, 3, 1] + self.vector(message)
    }

    private static func extensions(versions: [UInt16]) -> [[UInt8?]] {
        let name = Array("www.example.com".utf8).map { Optional($0) }
        let protocols = [2] + Array("h2".utf8) + [8] + Array("http/1.1".utf8)
        let keys: [UInt8?] =
            self.lot + [0, 1, 0] + self.numbers([0x11EC, 1216]) + self.chance(1216) + self.numbers([0x001D, 32])
            + self.chance(32)
        return [
            self.lot + [0, 0],
            self.part(0x0000, self.vector([0] + self.vector(name))),
            self.part(0x0017, []),
            self.part(0xFF01, [0]),
            self.part(0x000A, self.vector(self.lot + self.numbers([0x11EC, 0x001D, 0x0017, 0x0018, 0x0019]))),
            self.part(0x000B, [1, 0]),
            self.part(0x0010, self.vector(protocols.map { Optional($0) })),
            self.part(0x0005, [1, 0, 0, 0, 0]),
            self.part(
                0x000D,
                self.vector(
                    self.numbers([
                        0x0403, 0x0804, 0x0401, 0x0503, 0x0805, 0x0805, 0x0501, 0x0806, 0x0601, 0x0201,
                    ]))),
            self.part(0x0012, []),
            self.part(0x0033, self.vector(keys)),
            self.part(0x002D, [1, 1]),
            self.part(0x002B, [UInt8(2 * versions.count + 2)] + self.lot + self.numbers(versions)),
            self.part(0x001B, [2, 0, 1]),
            self.lot + [0, 1, 0],
        ]
    }

    /// Where the values of RFC 8701 stand: of suites, extension, groups, key share, versions, extension.
    private static func greasePlaces(versions: [UInt16], moreSuites: [UInt16]) -> [Int] {
        let parts = self.extensions(versions: versions)
        let suites = 5 + 4 + 2 + 32 + 1 + 32 + 2
        let first = suites + 2 + 2 * (self.suites + moreSuites).count + 2 + 2
        let starts = parts.indices.map { index in first + parts[..<index].reduce(0) { $0 + $1.count } }
        return [suites, starts[0], starts[4] + 6, starts[10] + 6, starts[12] + 5, starts[14]]
    }

    private static func part(_ type: UInt16, _ content: [UInt8?]) -> [UInt8?] {
        self.numbers([type]) + self.vector(content)
    }

    private static func vector(_ octets: [UInt8?]) -> [UInt8?] { self.numbers([UInt16(octets.count)]) + octets }
    private static func chance(_ count: Int) -> [UInt8?] { [UInt8?](repeating: nil, count: count) }
    private static func numbers(_ numbers: [UInt16]) -> [UInt8?] {
        numbers.flatMap { [UInt8($0 >> 8), UInt8($0 & 0xFF)] }
    }
}
