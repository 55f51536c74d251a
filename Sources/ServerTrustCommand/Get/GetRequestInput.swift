//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import HTTPSession
import HTTPTypes
import NIOCore

/// The contents of a request's options, including the files and the standard input that they name. They are read once for all
/// URLs.
struct GetRequestInput {
    private let headerLines: [String]
    private let referer: String?
    /// The content of --data and --data-binary, or `nil` without these options.
    let form: ByteBuffer?
    /// The file of users and passwords, or `nil` if there is none.
    var netrc: NetrcText?

    init(headerLines: [String], referer: String?, form: ByteBuffer?) {
        self.headerLines = headerLines
        self.referer = referer
        self.form = form
    }

    /// Reads the files that the options name.
    ///
    /// - Throws: ``CommandError`` if a file cannot be read.
    init(_ options: GetRequestOptions) throws {
        let lines = try options.headers.flatMap(Self.lines)
        let texts = options.data + options.binaryData.map { "\(GetRequestOptions.binaryMark)\($0)" }
        let form = try options.hasForm ? texts.map(Self.part).joined(separator: [UInt8(ascii: "&")]) : nil
        self.init(headerLines: lines, referer: options.referringURL, form: form.map { ByteBuffer(bytes: $0) })
    }

    private static func lines(of header: String) throws -> [String] {
        guard header.hasPrefix("@") else { return [header] }
        let text = String(decoding: try TransferInput.octets(of: String(header.dropFirst())), as: UTF8.self)
        return text.split(whereSeparator: \.isNewline).map(String.init).filter { !$0.isEmpty }
    }

    private static func part(_ text: String) throws -> [UInt8] {
        let isBinary = text.first == GetRequestOptions.binaryMark
        let value = isBinary ? text.dropFirst() : text[...]
        guard value.hasPrefix("@") else { return Array(value.utf8) }
        let octets = try TransferInput.octets(of: String(value.dropFirst()))
        return isBinary ? octets : octets.filter { $0 != 0 && $0 != 10 && $0 != 13 }
    }

    /// Returns the fields to set and the names of the fields to omit.
    func fields() throws -> (set: HTTPFields, omitted: Set<HTTPField.Name>) {
        var set = HTTPFields()
        var omitted: Set<HTTPField.Name> = []
        for line in self.headerLines {
            guard let (text, mark, value) = Self.parts(line) else { continue }
            guard let name = HTTPField.Name(String(text)) else {
                throw CommandError("--header '\(line)' is no field. Write 'Name: value'")
            }
            guard !value.utf8.contains(where: { $0 == 0 || $0 == 10 || $0 == 13 }) else {
                throw CommandError("--header '\(name.rawName)': the value has a line end in it. Remove it")
            }
            if mark == ":", value.isEmpty {
                omitted.insert(name)
            } else {
                set.append(HTTPField(name: name, lenientValue: value.utf8))
            }
        }
        if let referer = self.referer, !referer.isEmpty, !set.contains(.referer), !omitted.contains(.referer) {
            set[.referer] = referer
        }
        return (set, omitted)
    }

    /// The values of --header without a field, which curl ignores too.
    var textsWithoutField: [String] { self.headerLines.filter { Self.parts($0) == nil } }

    /// Splits a header line into its name, its separator and its value, or returns `nil` if it has no name or no separator. A
    /// semicolon is a separator only if no value follows.
    private static func parts(_ line: String) -> (name: Substring, mark: Character, value: Substring)? {
        let isBlank: (Character) -> Bool = { $0 == " " || $0 == "\t" }
        let mark = line.firstIndex(of: ":") ?? line.firstIndex(of: ";")
        guard let mark, mark > line.startIndex else { return nil }
        let value = line[line.index(after: mark)...].drop(while: isBlank)
        return line[mark] == ":" || value.isEmpty ? (line[..<mark], line[mark], value) : nil
    }
}
