//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import ServerReports
import ServerTrust
import ServerTrustNIO
import TLSProbe
package import TLSWire

/// A server to scan and the way to connect to it.
package struct ScanTarget: Sendable {
    let endpoint: TLSEndpoint
    /// The name for server name indication in place of the host. An empty string sends none.
    var serverName: String?
    var startTLS: StartTLSProtocol?

    /// Creates a target.
    ///
    /// - Throws: `InvalidReferenceIdentity` or `FleetError` if the server name is not usable. Their descriptions state the remedy.
    init(_ endpoint: TLSEndpoint, serverName: String? = nil, startTLS: StartTLSProtocol? = nil) throws {
        if let serverName, !serverName.isEmpty { try serverName.checkServerName() }
        self.endpoint = endpoint
        self.serverName = serverName
        self.startTLS = startTLS
    }

    /// Which target it is, as distinct from others; as the record of a result has it.
    var identity: TargetIdentity {
        var record = ScanRecord(line: 0, date: "", outcome: .init())
        (record.host, record.port) = (self.endpoint.host.text, self.endpoint.port)
        (record.connectTo, record.sni) = (self.endpoint.connectAddress?.text, self.serverName.map(DisplayText.text))
        record.startTLS = self.startTLS?.rawValue
        return record.identity
    }

    /// The settings for servers that their line does not override.
    package struct Defaults: Sendable {
        var connectAddress: String?
        var serverName: String?
        var startTLS: StartTLSProtocol?

        /// Creates defaults. Without arguments, the host's own name is used for the connection and for SNI, and TLS starts at once.
        package init(connectAddress: String? = nil, serverName: String? = nil, startTLS: StartTLSProtocol? = nil) {
            self.connectAddress = connectAddress
            self.serverName = serverName
            self.startTLS = startTLS
        }
    }
}

/// A line of a list: a server, or the error that the line has.
struct ScanEntry: Sendable {
    /// The line number, from 1.
    let line: Int
    /// The escaped text of the line, cut to 200 characters.
    let text: String
    let target: Result<ScanTarget, ScanEntryError>
    /// The complete JSON object of the line, or `nil` if the line is a name.
    var input: RawJSON?
}

/// An error of a line that names no server, or of a server that cannot be evaluated.
struct ScanEntryError: Error, Equatable {
    let code: Code
    let message: String

    /// The kind of an error.
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
        // In JSON, a number sign may be part of a string.
        let line = trimmed.first == "{" ? trimmed : trimmed.prefix { $0 != "#" }
        return String(line.reversed().drop(while: \.isWhitespace).reversed())
    }
}

extension ScanTarget {
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
