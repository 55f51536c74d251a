//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import FleetScan
import HTTPSession
import InterceptingProxy
import NIOCore
import NIOHTTP1
import ServerReports
import ServerTrust
import ServerTrustNIO
import Synchronization

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// The servers that the proxy refuses, for its page. The search for the smallest exception runs for one server at a time.
final class RefusalBoard: InterceptingProxyObserver {
    private struct State {
        var servers: [HTTPURL.Origin: RefusedServer] = [:]
        var leftOut: Set<HTTPURL.Origin> = []
    }

    /// The most servers on the page.
    static let limit = 200

    private let state = Mutex(State())
    private let queue: AsyncStream<HTTPURL.Origin>
    private let waiting: AsyncStream<HTTPURL.Origin>.Continuation

    init() {
        (self.queue, self.waiting) = AsyncStream.makeStream(bufferingPolicy: .bufferingOldest(Self.limit))
    }

    func proxy(_ event: InterceptingProxyEvent) {
        guard case .request(let request) = event, let server = request.server,
            let scheme = HTTPURL.Scheme(rawValue: server.scheme)
        else { return }
        let origin = HTTPURL.Origin(scheme: scheme, host: server.host, port: server.port)
        switch request.verdict {
        case .refused: self.note(request, at: origin)
        // The server was repaired, or another Info.plist applies.
        case .trusted: self.state.withLock { $0.servers[origin] = nil }
        case .failed: break
        }
    }

    private func note(_ request: ProxiedRequest, at origin: HTTPURL.Origin) {
        let isNew = self.state.withLock { state in
            let isNew = state.servers[origin] == nil
            guard !isNew || state.servers.count < Self.limit else {
                if state.leftOut.count < Self.limit { state.leftOut.insert(origin) }
                return false
            }
            var server =
                state.servers[origin]
                ?? RefusedServer(server: "\(origin)", rule: "", reason: "", urlError: nil, at: request.start)
            (server.rule, server.reason) = (request.rule ?? "", request.reason ?? "")
            server.remedy = request.remedy ?? ""
            (server.urlError, server.last) = (request.appleCode, request.start)
            server.count += 1
            state.servers[origin] = server
            return isNew
        }
        if isNew { self.waiting.yield(origin) }
    }

    /// Searches for exceptions until the task is cancelled.
    ///
    /// - Parameters:
    ///   - search: The search.
    ///   - proxy: Resolves servers, so that the search connects only to addresses that the proxy may connect to.
    func run(_ search: ExceptionSearch, _ proxy: InterceptingProxy) async {
        for await origin in self.queue {
            let found = await self.look(at: origin, search, proxy)
            self.state.withLock { $0.servers[origin]?.search = found }
        }
    }

    private func look(
        at origin: HTTPURL.Origin, _ search: ExceptionSearch, _ proxy: InterceptingProxy
    ) async -> RefusedServer.Search {
        do {
            guard origin.scheme == .https else { return .found(try await search.suggestion("\(origin)", through: nil)) }
            guard let address = await proxy.addresses(of: origin).first, let text = address.ipAddress else {
                return .none("The proxy knows no address of it. Run `servertrust ats suggest` for it.")
            }
            let endpoint = try TLSEndpoint(
                host: origin.host.text, port: address.port ?? origin.port, connectAddress: text)
            return .found(try await search.suggestion("\(origin)", through: endpoint))
        } catch {
            return .none("\(error)")
        }
    }

    /// The page, with the latest refusal first.
    var page: RefusedServersPage {
        let (servers, leftOut) = self.state.withLock { (Array($0.servers.values), $0.leftOut.count) }
        return RefusedServersPage(
            servers.sorted { ($0.last, $0.server) > ($1.last, $1.server) }, leftOut: leftOut, at: Date())
    }

    /// Answers a request for the page.
    ///
    /// - Parameters:
    ///   - head: The request.
    ///   - host: The address of the page.
    ///   - port: The port of the page.
    func answer(_ head: HTTPRequestHead, host: Host, port: Int) -> PageServer.Page {
        // Another name for this address is not the page's name (DNS rebinding).
        let names =
            ["\(host.textInURL):\(port)", "localhost:\(port)"] + (port == 80 ? [host.textInURL, "localhost"] : [])
        let given = head.headers["host"]
        guard given.count == 1, names.contains(given[0].lowercased()) else {
            return PageServer.Page(.misdirectedRequest, "This page is at http://\(names[0])/\n")
        }
        switch head.uri.prefix(while: { $0 != "?" }) {
        case "/":
            return PageServer.Page(
                .ok, self.page.html, type: "text/html; charset=utf-8", fields: RefusedServersPage.fields)
        case "/refused.json":
            let fields = RefusedServersPage.fields.filter { $0.0 != "refresh" }
            return PageServer.Page(.ok, self.page.json, type: "application/json", fields: fields)
        default: return PageServer.Page(.notFound, "/ and /refused.json are all there is\n")
        }
    }
}
