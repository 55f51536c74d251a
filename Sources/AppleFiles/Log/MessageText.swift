//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// The octets of a message, with methods that search them.
struct MessageText {
    private let octets: ArraySlice<UInt8>

    init(_ text: String) { self.octets = ArraySlice(text.utf8) }
    private init(_ octets: ArraySlice<UInt8>) { self.octets = octets }

    var isEmpty: Bool { self.octets.isEmpty }
    var string: String { String(decoding: self.octets, as: UTF8.self) }
    var trimmed: MessageText { MessageText(self.octets.drop { $0 == 0x20 }) }

    func hasPrefix(_ word: String) -> Bool { self.octets.starts(with: word.utf8) }
    func hasSuffix(_ word: String) -> Bool { self.octets.reversed().starts(with: word.utf8.reversed()) }
    func contains(_ word: String) -> Bool { self.octets.firstRange(of: word.utf8) != nil }

    /// The most occurrences of a word that are returned, more than a message has.
    private static let maximumPlaces = 16

    /// Returns the offsets after each occurrence of a word.
    func ends(of word: String) -> [Int] {
        var ends: [Int] = []
        var rest = self.octets
        while ends.count < Self.maximumPlaces, let range = rest.firstRange(of: word.utf8) {
            ends.append(range.upperBound - self.octets.startIndex)
            rest = rest[range.upperBound...]
        }
        return ends
    }

    var hasOpenQuote: Bool { self.octets.count { $0 == UInt8(ascii: "\"") } % 2 == 1 }

    func after(_ offset: Int) -> MessageText { MessageText(self.octets.dropFirst(offset)) }
    func before(_ offset: Int) -> MessageText { MessageText(self.octets.prefix(offset)) }

    func split(at word: String) -> (MessageText, MessageText)? {
        guard let range = self.octets.firstRange(of: word.utf8) else { return nil }
        return (MessageText(self.octets[..<range.lowerBound]), MessageText(self.octets[range.upperBound...]))
    }

    func between(_ first: String, _ second: String) -> String? {
        guard let (_, rest) = self.split(at: first) else { return nil }
        return rest.split(at: second)?.0.string
    }

    /// Returns the first number that directly follows an occurrence of a word.
    func number(after word: String) -> Int? {
        self.ends(of: word).lazy.compactMap { self.after($0).leadingNumber }.first
    }

    /// The number at the beginning of the text, of at most nine digits.
    var leadingNumber: Int? {
        let sign = self.octets.first == UInt8(ascii: "-") ? 1 : 0
        let digits = self.octets.dropFirst(sign).prefix { $0 >= 0x30 && $0 <= 0x39 }
        guard !digits.isEmpty, digits.count <= 9 else { return nil }
        return Int(String(decoding: self.octets.prefix(sign + digits.count), as: UTF8.self))
    }
}

// MARK: - Servers and certificates

extension MessageText {
    /// The server at the beginning of the text: a name or an address, with a port if there is one.
    var server: String? {
        let name = self.trimmed.octets.prefix(while: Self.isOfServer)
        let text = String(decoding: name, as: UTF8.self).lowercased()
        let trimmed = text.hasSuffix(".") || text.hasSuffix(":") ? String(text.dropLast()) : text
        return trimmed.isEmpty || trimmed.utf8.count > Self.longestServer ? nil : trimmed
    }

    /// The server of the URL at the beginning of the text, without the port 443 of an https URL.
    var urlServer: String? {
        guard let (scheme, rest) = self.split(at: "://"), ["http", "https"].contains(scheme.string.lowercased()) else {
            return nil
        }
        let authority = rest.octets.prefix { !Self.endsAuthority($0) }
        let host = authority.lastIndex(of: UInt8(ascii: "@")).map { authority[($0 + 1)...] } ?? authority
        guard let server = MessageText(host).server else { return nil }
        return server.hasSuffix(":443") && scheme.string == "https" ? String(server.dropLast(4)) : server
    }

    private static let longestServer = 262

    /// Returns `true` for letters, digits, the punctuation of names, addresses and ports, and all octets beyond ASCII.
    private static func isOfServer(_ octet: UInt8) -> Bool {
        switch octet {
        case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"),
            UInt8(ascii: ":"), UInt8(ascii: "["), UInt8(ascii: "]"):
            true
        default: octet >= 0x80
        }
    }

    private static func endsAuthority(_ octet: UInt8) -> Bool { "/?#,;})\"' ".utf8.contains(octet) || octet == 0xE2 }

    /// The identifier of the URL loading task in `Task <ID>.<4>`.
    var task: String? { self.between("Task <", ">.<").map(\.shortened) }

    /// The text in the braces of `UserInfo`, or `nil` if the closing brace is missing.
    var braced: MessageText? {
        guard let (_, rest) = self.split(at: "UserInfo={") else { return nil }
        var depth = 1
        for index in rest.octets.indices {
            switch rest.octets[index] {
            case UInt8(ascii: "{"): depth += 1
            case UInt8(ascii: "}"): depth -= 1
            default: break
            }
            if depth == 0 { return MessageText(rest.octets[..<index]) }
        }
        return nil
    }

    /// The chain of an error, in which each certificate is written as `<cert(0x…) s: SUBJECT i: ISSUER>`.
    var chain: [NamedCertificate] {
        guard let start = self.ends(of: "NSErrorPeerCertificateChainKey=(").first else { return [] }
        var rest = self.after(start)
        var chain: [NamedCertificate] = []
        while chain.count < Self.longestChain, let (_, certificate) = rest.split(at: "<cert("),
            let subject = certificate.between("s: ", " i: "), let issuer = certificate.between(" i: ", ">")
        {
            chain.append(NamedCertificate(subject: subject.shortened, issuer: issuer.shortened))
            guard let (_, next) = certificate.split(at: ">") else { break }
            rest = next
        }
        return chain
    }

    private static let longestChain = 16
}

extension String {
    var shortened: String { String(self.prefix(200)) }
}
