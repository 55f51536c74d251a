//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import ArgumentParser
import HTTPSession
import HTTPTypes
import ServerTrust

/// The options for the request, with curl's names.
struct GetRequestOptions: ParsableArguments {
    @Option(
        name: [.customShort("X"), .customLong("request")], parsing: .unconditional,
        help: ArgumentHelp("The method. Redirects keep it.", valueName: "method"))
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
            "Content of a POST, as forms have it. Several are joined by '&'. @FILE reads a file, without its line ends, and @- standard "
                + "input.", valueName: "data"))
    var data: [String] = []

    @Option(
        name: .customLong("data-binary"), parsing: .unconditionalSingleValue,
        help: ArgumentHelp("The same, and a file keeps its line ends.", valueName: "data"))
    var binaryData: [String] = []

    @Option(
        name: [.customShort("T"), .customLong("upload-file")], parsing: .unconditionalSingleValue,
        help: ArgumentHelp(
            "Send a file by PUT. One for each URL, in order, and URLs beyond them send none. '-' and '.' are standard input. A URL that "
                + "ends in '/' gets the file's name.", valueName: "file"),
        completion: .file())
    var uploadedFiles: [String] = []

    @Option(
        name: [.customShort("e"), .customLong("referer")], parsing: .unconditional,
        help: ArgumentHelp(
            "The value of Referer. With ';auto' behind it, redirects name the URL before.", valueName: "url"))
    var referer: String?

    @Option(
        name: [.customShort("A"), .customLong("user-agent")], parsing: .unconditional,
        help: ArgumentHelp("The value of User-Agent. An empty one sends none.", valueName: "name"))
    var userAgent: String?

    @Option(
        name: [.customShort("r"), .customLong("range")], parsing: .unconditional,
        help: ArgumentHelp("Octets to ask for, such as 0-499.", valueName: "range"))
    var range: String?

    @Option(
        name: [.customShort("C"), .customLong("continue-at")], parsing: .unconditional,
        help: ArgumentHelp(
            "Go on behind so many bytes. '-' takes the size of the output file. With --upload-file, send the rest of the file.",
            valueName: "offset|-"))
    var offset: ResumeOffset?

    @Flag(name: .customLong("compressed"), help: "Ask for compressed content (gzip, deflate), and decompress it.")
    var isCompressed = false

    @Flag(
        name: [.customShort("g"), .customLong("globoff")],
        help: "Take braces and brackets in URLs for themselves, as without the option.")
    var takesURLsAsTheyAre = false

    func validate() throws {
        if !self.uploadedFiles.isEmpty, self.hasForm {
            throw ValidationError("--upload-file and --data both say what to send. Give one of them")
        }
        if self.asksForHead, self.hasForm || !self.uploadedFiles.isEmpty {
            throw ValidationError(
                "--head asks for a head, and sends no content. Leave it out, or --data and --upload-file")
        }
        if self.uploadedFiles.count(where: TransferInput.isStandardInput) > 1 {
            throw ValidationError("--upload-file sends standard input once. Name files for the other URLs")
        }
        if self.offset != nil, self.range != nil {
            throw ValidationError("--continue-at and --range both say what to ask for. Give one of them")
        }
        if let method, HTTPRequest.Method(method) == nil {
            throw ValidationError("'\(method)' is no method: give a word such as DELETE")
        }
        if self.offset != nil, self.hasForm {
            throw ValidationError("--continue-at is about files. Leave it out, or --data")
        }
        // Files are read only when the command runs, because standard input can be read only once.
        let lines = self.headers.filter { !$0.hasPrefix("@") }
        _ = try GetRequestInput(headerLines: lines, referer: self.referringURL, form: nil).fields()
    }
}

/// The offset at which a transfer resumes.
enum ResumeOffset: Hashable, ExpressibleByArgument {
    case octets(Int)
    /// The size of the output file.
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
    /// The URL of --referer without curl's `;auto`.
    var referringURL: String? {
        self.referer.map { $0.hasSuffix(Self.automatic) ? String($0.dropLast(Self.automatic.count)) : $0 }
    }

    /// `true` if redirected requests name the previous URL.
    var setsReferer: Bool { self.referer?.hasSuffix(Self.automatic) ?? false }

    private static let automatic = ";auto"

    /// Returns the method that the options imply without --request.
    ///
    /// - Parameter sendsFile: `true` if the URL has a file of --upload-file.
    func meantMethod(sendsFile: Bool = false) -> HTTPRequest.Method {
        if self.asksForHead { return .head }
        if sendsFile { return .put }
        return self.hasForm ? .post : .get
    }

    var hasForm: Bool { !self.data.isEmpty || !self.binaryData.isEmpty }

    /// The prefix that marks values of --data-binary among those of --data. Arguments of a process cannot contain it.
    static let binaryMark: Character = "\0"
}
