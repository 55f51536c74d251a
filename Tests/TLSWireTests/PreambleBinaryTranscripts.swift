//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import TLSWire

private let ldap: [UInt8] = [0x30, 0x1D, 2, 1, 1, 0x77, 0x18, 0x80, 0x16] + Array("1.3.6.1.4.1.1466.20037".utf8)

/// An extended response: its number, its code and its text.
private func response(_ number: UInt8 = 1, code: UInt8, _ text: String = "", long: Bool = false) -> [UInt8] {
    let text = Array(text.utf8)
    let inner: [UInt8] = [0x0A, 1, code, 4, 0, 4, UInt8(text.count)] + text
    let body: [UInt8] = [2, 1, number, 0x78, UInt8(inner.count)] + inner
    return (long ? [0x30, 0x84, 0, 0, 0] : [0x30]) + [UInt8(body.count)] + body
}

/// MySQL's greeting.
private func greeting(_ capabilities: UInt16, version: String = "8.0.36") -> [UInt8] {
    let salt = [UInt8](repeating: 0x41, count: 8)
    let low: [UInt8] = [UInt8(capabilities & 0xFF), UInt8(capabilities >> 8)]
    let tail: [UInt8] = [0x21, 2, 0, 0xFF, 0xC1, 21] + [UInt8](repeating: 0, count: 10) + salt + [0]
    let payload = [10] + Array(version.utf8) + [0, 7, 0, 0, 0] + salt + [0] + low + tail
    return [UInt8(payload.count), 0, 0, 0] + payload
}

private let mysqlRequest: [UInt8] = [32, 0, 0, 1, 0, 0x8A, 0, 0, 0, 0, 0, 1, 45] + [UInt8](repeating: 0, count: 23)
private let postgres: [UInt8] = [0, 0, 0, 8, 0x04, 0xD2, 0x16, 0x2F]
private let garbled = PreambleTranscript.Outcome.refused(.unexpectedAnswer(beginning: ""))

/// Conversations in protocols without lines, those that come to nothing first.
let binaryTranscripts: [PreambleTranscript] = [
    .init(.ldap, "not known", bytes: [response(code: 2)], client: ldap, .refused(.notOffered)),
    .init(
        .ldap, "refused", bytes: [response(code: 52, "n\u{7}o")], client: ldap,
        .refused(.rejected(reply: "result code 52 n.o"))),
    .init(
        .ldap, "farewell", bytes: [response(0, code: 2, "bye")], client: ldap,
        .refused(.rejected(reply: "result code 2 bye"))),
    .init(.ldap, "another number", bytes: [response(9, code: 0)], client: ldap, garbled),
    .init(
        .ldap, "success unasked", bytes: [response(0, code: 0)], client: ldap,
        .refused(.rejected(reply: "result code 0 "))),
    .init(.ldap, "text", bytes: [Array("HTTP/1.1".utf8)], client: ldap, garbled),
    .init(.ldap, "no definite length", bytes: [[0x30, 0x80, 2]], client: ldap, garbled),
    .init(.ldap, "a length of five bytes", bytes: [[0x30, 0x85, 0, 0, 0, 0, 5]], client: ldap, garbled),
    .init(
        .ldap, "4 GiB", bytes: [[0x30, 0x84, 0xFF, 0xFF, 0xFF, 0xFF]], client: ldap,
        .refused(.tooMuch(limit: 4096))),
    .init(.ldap, "lengths inside that do not fit", bytes: [[0x30, 5, 2, 1, 1, 0x78, 0x7F]], client: ldap, garbled),
    .init(.ldap, "nothing inside", bytes: [[0x30, 0]], client: ldap, garbled),
    .init(
        .ldap, "a code of two bytes", bytes: [[0x30, 13, 2, 1, 1, 0x78, 8, 0x0A, 2, 0, 1, 4, 0, 4, 0]], client: ldap,
        garbled),
    .init(.ldap, "half", bytes: [[0x30, 0x0C, 2]], client: ldap, .waiting),
    .init(.ldap, "more", bytes: [response(code: 0) + [0x30]], client: ldap, .refused(.extraBytes)),
    .init(.ldap, "success", bytes: [response(code: 0)], client: ldap, .ready),
    .init(.ldap, "success with long lengths", bytes: [response(code: 0, long: true)], client: ldap, .ready),
    .init(.postgres, "not offered", bytes: [Array("N".utf8)], client: postgres, .refused(.notOffered)),
    .init(
        .postgres, "an error", bytes: [Array("EFATAL".utf8)], client: postgres,
        .refused(.rejected(reply: "an error instead of an answer"))),
    .init(.postgres, "HTTP", bytes: [Array("HTTP/1.1".utf8)], client: postgres, garbled),
    .init(.postgres, "more", bytes: [Array("SR".utf8)], client: postgres, .refused(.extraBytes)),
    .init(.postgres, "yes", bytes: [Array("S".utf8)], client: postgres, .ready),
    .init(.mysql, "not offered", bytes: [greeting(0xF7FF)], .refused(.notOffered)),
    .init(
        .mysql, "an error", bytes: [[12, 0, 0, 0, 0xFF, 0x69, 4] + Array("Host 'a' \u{1}".utf8.prefix(9))],
        .refused(.rejected(reply: "Host 'a' "))),
    .init(.mysql, "protocol 9", bytes: [[2, 0, 0, 0, 9, 0]], .refused(.unexpectedAnswer(beginning: ".."))),
    .init(.mysql, "nothing inside", bytes: [[0, 0, 0, 0]], garbled),
    .init(
        .mysql, "a version without end", bytes: [[3, 0, 0, 0, 10, 56, 56]],
        .refused(.unexpectedAnswer(beginning: ".88"))),
    .init(
        .mysql, "cut short", bytes: [[4, 0, 0, 0, 10, 56, 0, 1]], .refused(.unexpectedAnswer(beginning: ".8.."))),
    .init(.mysql, "16 MiB", bytes: [[0xFF, 0xFF, 0xFF, 0, 10]], .refused(.unexpectedAnswer(beginning: "...."))),
    .init(.mysql, "SSH", bytes: [Array("SSH-2.0".utf8)], .refused(.unexpectedAnswer(beginning: "SSH-"))),
    .init(.mysql, "more", bytes: [greeting(0xFFFF) + [0]], .refused(.extraBytes)),
    .init(.mysql, "half", bytes: [Array(greeting(0xFFFF).dropLast())], .waiting),
    .init(.mysql, "TLS", bytes: [greeting(0xFFFF)], client: mysqlRequest, .ready),
    .init(.mysql, "MariaDB", bytes: [greeting(0xFFFE, version: "5.5.5-10.11.6-MariaDB")], client: mysqlRequest, .ready),
]
