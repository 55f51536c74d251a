//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import AppTransportSecurity
import Foundation
import Testing

@Suite("App Transport Security from decoders")
struct DecodedDictionaryTests {
    static func decode(_ text: String) throws -> ATSDictionary {
        try JSONDecoder().decode(ATSDictionary.self, from: Data(text.utf8))
    }

    static func nested(_ depth: Int) -> String {
        String(repeating: "[", count: depth) + String(repeating: "]", count: depth)
    }

    @Test("More levels or values than a property list may have are an error")
    func limits() throws {
        for depth in [65, 400] {
            #expect(throws: DecodingError.self) { try Self.decode("{\"NSExceptionDomains\":\(Self.nested(depth))}") }
        }
        let many = [String](repeating: "1", count: 500_001).joined(separator: ",")
        #expect(throws: DecodingError.self) { try Self.decode("{\"NSExceptionDomains\":[\(many)]}") }
        #expect(throws: Never.self) { try Self.decode("{\"NSExceptionDomains\":\(Self.nested(60))}") }
        #expect(throws: Never.self) { try Self.decode("{\"NSAllowsArbitraryLoads\":true}") }
    }
}
