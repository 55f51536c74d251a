//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// Short options as curl's users write them: `-sLo FILE`, `-XPOST`, `-uuser:password`.
enum CurlArguments {
    /// Short options that a value follows.
    private static let withValue = Set("AbcCdeHmoruTUxX")

    /// Long options that a value follows which may begin with a hyphen.
    private static let longWithValue: Set<String> = [
        "--request", "--header", "--data", "--data-binary", "--upload-file", "--referer", "--user-agent", "--range",
        "--continue-at", "--user", "--oauth2-bearer", "--cookie", "--cookie-jar", "--proxy", "--proxy-user",
        "--noproxy",
        "--resolve", "--connect-to", "--output", "--cacert", "--pinnedpubkey", "--max-redirs", "--max-time",
        "--connect-timeout", "--max-filesize", "--retry", "--cert", "--key", "--p12", "--pass", "--pass-file",
        "--cert-type", "--netrc-file",
    ]

    /// The arguments with each short option, and each value, apart.
    static func separated(_ arguments: [String]) -> [String] {
        var (separated, rest) = ([String](), arguments[...])
        while let argument = rest.popFirst() {
            if argument == "--" { return separated + [argument] + rest }
            if argument.hasPrefix("--") {
                separated += Self.long(argument, &rest)
            } else if argument.hasPrefix("-"), argument != "-" {
                separated += Self.short(argument.dropFirst(), &rest)
            } else {
                separated.append(argument)
            }
        }
        return separated
    }

    private static func long(_ argument: String, _ rest: inout ArraySlice<String>) -> [String] {
        if Self.longWithValue.contains(argument), let value = rest.popFirst() { return Self.option(argument, value) }
        guard argument.hasPrefix("\(Self.binaryData)=") else { return [argument] }
        return Self.option(Self.binaryData, String(argument.dropFirst(Self.binaryData.count + 1)))
    }

    private static let binaryData = "--data-binary"

    /// An option with its value, which the parser takes for none where nothing stands behind the equals sign.
    private static func option(_ name: String, _ value: String) -> [String] {
        // The order of --data and --data-binary is that of the content, and the parser keeps it within one option alone.
        let isBinary = name == Self.binaryData
        let (name, value) = isBinary ? ("--data", "\(GetRequestOptions.binaryMark)\(value)") : (name, value)
        return value.isEmpty ? [name, value] : ["\(name)=\(value)"]
    }

    /// The letters behind one hyphen. What follows a letter with a value is the value, whatever it looks like.
    private static func short(_ letters: Substring, _ rest: inout ArraySlice<String>) -> [String] {
        var (separated, letters) = ([String](), letters)
        while let letter = letters.popFirst() {
            separated.append("-\(letter)")
            guard Self.withValue.contains(letter) else { continue }
            if !letters.isEmpty {
                separated.append(String(letters))
            } else if let value = rest.popFirst() {
                separated.append(value)
            }
            break
        }
        return separated
    }
}
