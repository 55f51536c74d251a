//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import ArgumentParser
import HTTPSession
import HTTPTypes
import NIOCore
import ServerTrust

/// What is asked, with curl's names.
struct GetRequestOptions: ParsableArguments {
    @Option(
        name: [.customShort("X"), .customLong("request")], parsing: .unconditional,
        help: ArgumentHelp("The method; redirects keep it.", valueName: "method"))
    var method: String?

    @Flag(name: [.customShort("I"), .customLong("head")], help: "Ask for the head alone (HEAD), and print it.")
    var asksForHead = false

    @Option(
        name: [.customShort("H"), .customLong("header")], parsing: .unconditionalSingleValue,
        help: ArgumentHelp(
            "A field: 'Name: value' in place of the program's own; 'Name:' leaves it out; 'Name;' sends it empty; @FILE has one in "
                + "each line.", valueName: "field"))
    var headers: [String] = []

    @Option(
        name: [.customShort("d"), .customLong("data")], parsing: .unconditionalSingleValue,
        help: ArgumentHelp(
            "Content of a POST, as forms have it; several are joined by '&'. @FILE reads a file, without its line ends, and @- standard "
                + "input.", valueName: "data"))
    var data: [String] = []

    @Option(
        name: .customLong("data-binary"), parsing: .unconditionalSingleValue,
        help: ArgumentHelp("The same, and a file keeps its line ends.", valueName: "data"))
    var binaryData: [String] = []

    @Option(
        name: [.customShort("T"), .customLong("upload-file")], parsing: .unconditional,
        help: ArgumentHelp(
            "Send a file by PUT; '-' is standard input. A URL that ends in '/' gets the file's name.", valueName: "file"
        ),
        completion: .file())
    var uploadedFile: String?

    @Option(
        name: [.customShort("e"), .customLong("referer")], parsing: .unconditional,
        help: ArgumentHelp(
            "The value of Referer; with ';auto' behind it, redirects name the URL before.", valueName: "url"))
    var referer: String?

    @Option(
        name: [.customShort("A"), .customLong("user-agent")], parsing: .unconditional,
        help: ArgumentHelp("The value of User-Agent; an empty one sends none.", valueName: "name"))
    var userAgent: String?

    @Option(
        name: [.customShort("r"), .customLong("range")], parsing: .unconditional,
        help: ArgumentHelp("Octets to ask for, such as 0-499.", valueName: "range"))
    var range: String?

    @Option(
        name: [.customShort("C"), .customLong("continue-at")], parsing: .unconditional,
        help: ArgumentHelp(
            "Go on behind so many bytes; '-' takes the size of the output file. With --upload-file, send the rest of the file.",
            valueName: "offset|-"))
    var offset: ResumeOffset?

    @Flag(name: .customLong("compressed"), help: "Ask for compressed content (gzip, deflate), and decompress it.")
    var isCompressed = false

    func validate() throws {
        if self.uploadedFile != nil, !self.data.isEmpty || !self.binaryData.isEmpty {
            throw ValidationError("--upload-file and --data both say what to send; give one of them")
        }
        if self.offset != nil, self.range != nil {
            throw ValidationError("--continue-at and --range both say what to ask for; give one of them")
        }
        if let method, HTTPRequest.Method(method) == nil {
            throw ValidationError("'\(method)' is no method: give a word such as DELETE")
        }
        _ = try self.fields()
    }
}

/// Where a transfer goes on.
enum ResumeOffset: Hashable, ExpressibleByArgument {
    case octets(Int)
    /// Behind what the output file has.
    case outputFile

    init?(argument: String) {
        if argument == "-" {
            self = .outputFile
        } else if let count = Int(argument), count >= 0 {
            self = .octets(count)
        } else {
            return nil
        }
    }
}

extension GetRequestOptions {
    /// Fields that are set, and those that are left out.
    func fields() throws -> (set: HTTPFields, omitted: Set<HTTPField.Name>) {
        var set = HTTPFields()
        var omitted: Set<HTTPField.Name> = []
        for line in try self.headerLines() {
            guard let (text, mark, value) = Self.parts(line) else { continue }
            guard let name = HTTPField.Name(String(text)) else {
                throw CommandError("--header '\(line)' is no field; write 'Name: value'")
            }
            guard !value.utf8.contains(where: { $0 == 0 || $0 == 10 || $0 == 13 }) else {
                throw CommandError("--header '\(name.rawName)': the value has a line end in it; remove it")
            }
            if mark == ":", value.isEmpty {
                omitted.insert(name)
            } else {
                set.append(HTTPField(name: name, lenientValue: value.utf8))
            }
        }
        if let referer = self.referringURL, !referer.isEmpty, !set.contains(.referer), !omitted.contains(.referer) {
            set[.referer] = referer
        }
        return (set, omitted)
    }

    /// The texts of --header that are no fields, which curl passes over, too.
    func textsWithoutField() throws -> [String] { try self.headerLines().filter { Self.parts($0) == nil } }

    /// A name, what stands behind it, and the value; `nil` for text without a name or a colon. A semicolon stands for one where
    /// nothing is behind it.
    private static func parts(_ line: String) -> (name: Substring, mark: Character, value: Substring)? {
        let isBlank: (Character) -> Bool = { $0 == " " || $0 == "\t" }
        let mark = line.firstIndex(of: ":") ?? line.firstIndex(of: ";")
        guard let mark, mark > line.startIndex else { return nil }
        let value = line[line.index(after: mark)...].drop(while: isBlank)
        return line[mark] == ":" || value.isEmpty ? (line[..<mark], line[mark], value) : nil
    }

    /// The URL of --referer without curl's `;auto`.
    private var referringURL: String? {
        self.referer.map { $0.hasSuffix(Self.automatic) ? String($0.dropLast(Self.automatic.count)) : $0 }
    }

    /// Whether redirected requests name the URL before.
    var setsReferer: Bool { self.referer?.hasSuffix(Self.automatic) ?? false }

    private static let automatic = ";auto"

    /// The method that the options mean without --request.
    var meantMethod: HTTPRequest.Method {
        if self.asksForHead { return .head }
        if self.uploadedFile != nil { return .put }
        return self.data.isEmpty && self.binaryData.isEmpty ? .get : .post
    }

    private func headerLines() throws -> [String] {
        try self.headers.flatMap { header -> [String] in
            guard header.hasPrefix("@") else { return [header] }
            let text = String(decoding: try GetInput.octets(of: String(header.dropFirst())), as: UTF8.self)
            return text.split(whereSeparator: \.isNewline).map(String.init).filter { !$0.isEmpty }
        }
    }

    /// The content of --data; `nil` without.
    func form() throws -> ByteBuffer? {
        guard !self.data.isEmpty || !self.binaryData.isEmpty else { return nil }
        let texts = self.data + self.binaryData.map { "\(Self.binaryMark)\($0)" }
        return ByteBuffer(bytes: try texts.map(Self.part).joined(separator: [UInt8(ascii: "&")]))
    }

    /// What stands before the values of --data-binary among those of --data. No argument of a process has it.
    static let binaryMark: Character = "\0"

    private static func part(_ text: String) throws -> [UInt8] {
        let isBinary = text.first == Self.binaryMark
        let value = isBinary ? text.dropFirst() : text[...]
        guard value.hasPrefix("@") else { return Array(value.utf8) }
        let octets = try GetInput.octets(of: String(value.dropFirst()))
        return isBinary ? octets : octets.filter { $0 != 0 && $0 != 10 && $0 != 13 }
    }
}
