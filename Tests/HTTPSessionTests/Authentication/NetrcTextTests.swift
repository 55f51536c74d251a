//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import Testing

@testable import HTTPSession

@Suite("Files of users and passwords")
struct NetrcTextTests {
    @Test(
        "What is for another machine, or for another user, is not shown",
        arguments: [
            ("", nil), ("machine other.test login u password p", nil),
            ("machine HOST.test.evil login u password p", nil),
            ("machine host.test login other password p", "user"), ("machine host.test", nil),
            ("login u password p", nil), ("macdef host.test\nmachine host.test login u password p", nil),
            ("macdef m\nmachine host.test login u password p\n \nmachine host.test login u password p", nil),
            ("# machine host.test login u password p", nil), ("machine \"host.test login u password p", nil),
            ("machine other.test #\nlogin u password p", nil), ("machine machine host.test login u password p", nil),
        ] as [(String, String?)])
    func others(text: String, user: String?) throws {
        #expect(try NetrcText(text.utf8).credential(forHost: "host.test", user: user) == nil)
    }

    @Test(
        "The first entry of a machine counts, and that of every other machine behind it",
        arguments: [
            ("machine host.test login u password p", nil, "u", "p"),
            ("machine HOST.TEST\n\tlogin u\n\tpassword p\r\n", nil, "u", "p"),
            ("machine host.test password p login u", nil, "u", "p"), ("machine host.test login u", nil, "u", ""),
            ("machine host.test password p", nil, "", "p"), ("machine host.test password p", "user", "user", "p"),
            ("machine host.test login u password p password q", nil, "u", "p"),
            ("machine other.test login x password y default login u password p", nil, "u", "p"),
            ("default login u password p machine host.test login x password y", nil, "u", "p"),
            ("machine host.test login x password y machine host.test login u password p", "u", "u", "p"),
            ("machine host.test account a login u password p", nil, "u", "p"),
            ("MACHINE host.test Login u PASSWORD p", nil, "u", "p"),
            ("macdef m\nmachine host.test login x\n\nmachine host.test login u password p", nil, "u", "p"),
            ("machine host.test login u # x\npassword p#q # r", nil, "u", "p#q"),
            (#"machine "host.test" login "u v" password "p\"q\\r\t#""#, nil, "u v", "p\"q\\r\t#"),
            ("machine host.test login \"\" password \"\"", nil, "", ""),
            ("machine host.test login \u{FC} password \u{E4}", nil, "\u{FC}", "\u{E4}"),
        ] as [(String, String?, String, String)])
    func entries(text: String, user: String?, expectedUser: String, password: String) throws {
        // A tab is a control character, which no scheme takes.
        if password.contains("\t") {
            #expect(throws: HTTPAuthenticationError.controlCharacter) {
                try NetrcText(text.utf8).credential(forHost: "host.test", user: user)
            }
            return
        }
        let found = try NetrcText(text.utf8).credential(forHost: "host.test", user: user)
        #expect(try found == credential(expectedUser, password))
    }

    @Test("Its description and its reflection hold nothing of it")
    func description() {
        let text = NetrcText("machine host.test login user password secret".utf8)
        #expect(
            "\(text) \(String(reflecting: text)) \(Array(Mirror(reflecting: text).children))".contains("secret")
                == false)
    }
}
