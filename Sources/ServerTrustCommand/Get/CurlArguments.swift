//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// Short options in curl's notation: `-sLo FILE`, `-XPOST`, `-uuser:password`.
enum CurlArguments {
    private static let withValue = Set("AbcCdeHmoruTUxX")

    /// The long options with a value that may begin with a hyphen.
    private static let longWithValue: Set<String> = [
        "--request", "--header", "--data", "--data-binary", "--upload-file", "--referer", "--user-agent", "--range",
        "--continue-at", "--user", "--oauth2-bearer", "--cookie", "--cookie-jar", "--proxy", "--proxy-user",
        "--noproxy",
        "--resolve", "--connect-to", "--output", "--cacert", "--pinnedpubkey", "--max-redirs", "--max-time",
        "--connect-timeout", "--max-filesize", "--retry", "--cert", "--key", "--p12", "--pass", "--pass-file",
        "--cert-type", "--netrc-file",
    ]

    /// Returns the arguments with all short options and values separated.
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

    /// Returns an option with its value. The parser does not accept an empty value after an equals sign.
    private static func option(_ name: String, _ value: String) -> [String] {
        // The order of --data and --data-binary is the order of the content, and the parser keeps the order only within one
        // option.
        let isBinary = name == Self.binaryData
        let (name, value) = isBinary ? ("--data", "\(GetRequestOptions.binaryMark)\(value)") : (name, value)
        return value.isEmpty ? [name, value] : ["\(name)=\(value)"]
    }

    /// Separates the letters after one hyphen. All text after a letter with a value is its value.
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
