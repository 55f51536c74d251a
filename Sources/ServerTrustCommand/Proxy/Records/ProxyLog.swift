//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import HTTPTypes
import InterceptingProxy
import ServerReports
import ServerTrust
import Synchronization
import SystemPackage

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// The log of a proxy's decisions: a line of JSON in a file for each, and a sentence on standard error for each refusal.
final class ProxyLog: InterceptingProxyObserver {
    private struct State {
        var file: FileDescriptor?
        /// `true` if a line could not be written. This is reported once.
        var hasFailed = false
        /// The hosts for which the untrusted root has been reported.
        var untrusting: Set<String> = []
    }

    /// The most hosts that are reported on standard error. Further hosts are only in the log.
    private static let maximumUntrusting = 50

    private let path: String
    private let complain: @Sendable (String) -> Void
    private let state: Mutex<State>

    /// Creates a log.
    ///
    /// - Parameters:
    ///   - path: The file, or `nil` for no file. A new file is readable only for this user.
    ///   - complain: Receives messages about refusals and lost lines.
    /// - Throws: ``CommandError`` if the file cannot be opened for writing.
    init(_ path: String?, complain: @escaping @Sendable (String) -> Void) throws {
        self.path = path ?? ""
        self.complain = complain
        guard let path else {
            self.state = Mutex(State())
            return
        }
        do {
            // A pipe without a reader is an error, because it would block the proxy's start and its end.
            let file = try FileDescriptor.open(
                path, .writeOnly, options: [.create, .append, .closeOnExec, .nonBlocking],
                permissions: [.ownerReadWrite])
            self.state = Mutex(State(file: file))
        } catch Errno.noSuchAddressOrDevice {
            throw CommandError(
                "cannot write the log \(path): nothing reads it. Start its reader first, or name a file")
        } catch {
            throw CommandError("cannot write the log \(path): \(error)")
        }
    }

    deinit { try? self.state.withLock { $0.file }?.close() }

    func proxy(_ event: InterceptingProxyEvent) {
        switch event {
        case .connection(let connection):
            self.write(ConnectionLine(connection))
            if connection.endedBeforeTLS { self.tellOfRoot(connection) }
        case .request(let request):
            self.write(RequestLine(request))
            // Status 407 is not a refusal: the answer asks programs for a password.
            guard request.verdict != .trusted, request.status != 407, let reason = request.reason else { return }
            let place = request.server.map { "\($0.scheme)://\($0.host.textInURL):\($0.port)" } ?? "a request"
            let text = [reason, request.remedy ?? ""].filter { !$0.isEmpty }.joined(separator: " ")
            self.complain("\(request.verdict.rawValue) \(place): \(text) [\(request.rule ?? "")]")
        }
    }

    /// Reports once for each host that a program does not trust the root. Such a program shows no answer and retries repeatedly.
    private func tellOfRoot(_ connection: ProxiedConnection) {
        guard let host = connection.host, let problem = connection.problem else { return }
        let count = self.state.withLock { state -> Int? in
            guard state.untrusting.count < Self.maximumUntrusting,
                state.untrusting.insert(host.textInURL).inserted
            else { return nil }
            return state.untrusting.count
        }
        guard let count else { return }
        let rest = count < Self.maximumUntrusting ? "" : " More such hosts are in the log alone."
        self.complain(
            "tunnel to \(host.textInURL):\(connection.port ?? 443): \(problem). Have the program trust the root: "
                + "`servertrust proxy root --export FILE` writes it, and --install-hint KIND says how. This host is not named again.\(rest)"
        )
    }

    private func write(_ document: @autoclosure () -> some Encodable) {
        self.state.withLock { state in
            guard let file = state.file else { return }
            do {
                // One call writes one line, so that programs that share the file do not mix their lines. After a failure a
                // partial line may be in the file, so the next line starts with a newline.
                let start = state.hasFailed ? [UInt8(ascii: "\n")] : []
                _ = try file.writeAll(start + (try JSONText.line(document())) + [UInt8(ascii: "\n")])
                state.hasFailed = false
            } catch {
                if !state.hasFailed { self.complain("a line of the log \(self.path) is lost: \(error)") }
                state.hasFailed = true
            }
        }
    }
}

/// The line for a connection.
private struct ConnectionLine: Encodable {
    private let format = "servertrust.proxy/1"
    private let kind = "connection"
    private let time: String
    private let connection: Int
    private let host: String?
    private let port: Int?
    private let requests: Int
    private let problem: String?

    init(_ connection: ProxiedConnection) {
        self.time = "\(Timestamp(connection.start))"
        self.connection = connection.number
        self.host = connection.host?.text
        self.port = connection.port
        self.requests = connection.requestCount
        self.problem = connection.problem
    }
}

/// The line for a request.
private struct RequestLine: Encodable {
    private let format = "servertrust.proxy/1"
    private let kind = "request"
    private let time: String
    private let connection: Int
    private let version: String
    private let method, scheme, host: String?
    private let port: Int?
    private let verdict: String
    private let status: Int?
    private let rule: String?
    private let reason, remedy: String?
    private let urlError: Int?
    private let exception, note: String?
    private let requestSize, responseSize: Int
    private let isComplete: Bool

    init(_ request: ProxiedRequest) {
        self.time = "\(Timestamp(request.start))"
        self.connection = request.connection
        self.version = request.version.rawValue
        self.method = request.method?.rawValue
        self.scheme = request.server?.scheme
        self.host = request.server?.host.text
        self.port = request.server?.port
        self.verdict = request.verdict.rawValue
        self.status = request.status
        self.rule = request.rule
        self.reason = request.reason
        self.remedy = request.remedy
        self.urlError = request.appleCode
        self.exception = request.exception
        self.note = request.note
        self.requestSize = request.requestSize
        self.responseSize = request.responseSize
        self.isComplete = request.isComplete
    }
}
