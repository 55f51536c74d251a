//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import ServerReports
import ServerTrust
import ServerTrustNIO
import TLSProbe
package import TLSWire

/// A server to be asked, and how.
package struct ScanTarget: Sendable {
    let endpoint: TLSEndpoint
    /// The name to ask for in place of the host; an empty one asks for none.
    var serverName: String?
    var startTLS: StartTLSProtocol?

    /// - Throws: `InvalidReferenceIdentity` or `FleetError` for the server name, whose descriptions say what to write instead.
    init(_ endpoint: TLSEndpoint, serverName: String? = nil, startTLS: StartTLSProtocol? = nil) throws {
        if let serverName, !serverName.isEmpty { try serverName.checkServerName() }
        self.endpoint = endpoint
        self.serverName = serverName
        self.startTLS = startTLS
    }

    /// What is asked of every server whose line says nothing else.
    package struct Defaults: Sendable {
        var connectAddress: String?
        var serverName: String?
        var startTLS: StartTLSProtocol?

        /// Defaults; without any, a server is reached at its own name, and TLS comes first.
        package init(connectAddress: String? = nil, serverName: String? = nil, startTLS: StartTLSProtocol? = nil) {
            self.connectAddress = connectAddress
            self.serverName = serverName
            self.startTLS = startTLS
        }
    }
}

/// A line of a list: a server, or why it names no server.
struct ScanEntry: Sendable {
    /// The line, from 1.
    let line: Int
    /// The line as it was written, escaped, and no more of it than fits.
    let text: String
    let target: Result<ScanTarget, ScanEntryError>
    /// The JSON object that the line was, with everything in it; `nil` where it was a name.
    var input: RawJSON?
}

/// What keeps a line from naming a server.
struct ScanEntryError: Error, Equatable {
    /// A short, stable name for programs.
    let code: Code
    /// What is wrong and what to write instead.
    let message: String

    /// What keeps a line from naming a server that can be judged.
    enum Code: String, CaseIterable {
        case lineTooLong = "line-too-long"
        case notText = "not-text"
        case notJSON = "not-json"
        case notAServer = "not-a-server"
        case notJudged = "not-judged"
    }
}

extension ScanEntry {
    private static let shownText = 200

    /// Reads a line.
    ///
    /// - Returns: `nil` for blank lines and comments.
    init?(_ line: LineSplitter.Line, _ defaults: ScanTarget.Defaults) {
        let hasMark = line.number == 1 && line.bytes.starts(with: [0xEF, 0xBB, 0xBF])
        let bytes = line.bytes.dropFirst(hasMark ? 3 : 0)
        self.line = line.number
        self.text = DisplayText.text(
            String(
                String(decoding: bytes.prefix(4 * Self.shownText), as: UTF8.self)
                    .prefix(Self.shownText)))
        do throws(ScanEntryError) {
            let text = try Self.text(of: bytes, isTooLong: line.isTooLong)
            guard !text.isEmpty else { return nil }
            if text.first == "{" {
                let input = try RawJSON(object: text)
                self.input = input
                self.target = .success(try ScanTarget(input, defaults))
            } else {
                self.target = .success(try ScanTarget(text: text, defaults))
            }
        } catch {
            self.target = .failure(error)
        }
    }

    /// The line without a comment and the space around it.
    private static func text(of bytes: ArraySlice<UInt8>, isTooLong: Bool) throws(ScanEntryError) -> String {
        guard !isTooLong else {
            throw ScanEntryError(code: .lineTooLong, message: "the line has more than \(LineInput.lineLimit) bytes")
        }
        guard !bytes.contains(0) else {
            throw ScanEntryError(code: .notText, message: "the line has a zero byte. A list is text in UTF-8")
        }
        guard let text = String(validating: bytes, as: UTF8.self) else {
            throw ScanEntryError(code: .notText, message: "the line is not UTF-8. Save the list as UTF-8")
        }
        let trimmed = text.drop(while: \.isWhitespace)
        // In JSON the sign may be part of a text.
        let line = trimmed.first == "{" ? trimmed : trimmed.prefix { $0 != "#" }
        return String(line.reversed().drop(while: \.isWhitespace).reversed())
    }
}

extension ScanTarget {
    /// Reads what a person wrote.
    init(text: String, _ defaults: Defaults) throws(ScanEntryError) {
        do {
            let endpoint = try TLSEndpoint(
                parsing: text, connectAddress: defaults.connectAddress,
                defaultPort: defaults.startTLS?.defaultPort ?? TLSEndpoint.defaultPort)
            self = try ScanTarget(endpoint, serverName: defaults.serverName, startTLS: defaults.startTLS)
        } catch {
            throw ScanEntryError(code: .notAServer, message: DisplayText.text("\(error)"))
        }
    }
}
