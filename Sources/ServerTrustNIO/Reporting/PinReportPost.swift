//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import NIOCore
import ServerTrust

/// One report on its way to one server.
struct PinReportPost: Sendable {
    let url: HTTPURL
    let content: OneTimeExchange.Content
    let configuration: PinReportPoster.Configuration
    let trust: ReportServerTrust
    let deadline: NIODeadline

    /// Sends the report, and a second time if it seems worth it.
    func run() async -> PinReportPoster.Outcome {
        let outcome = await self.attempt()
        guard case .failed(let failure) = outcome, failure.mayPass, let delay = self.configuration.retryDelay,
            NIODeadline.now() + TimeAmount(bounding: delay) < self.deadline
        else { return outcome }
        do {
            try await Task.sleep(for: delay)
        } catch {
            return .failed(PinReportPoster.Failure(ResourceError(.cancelled, "it was cancelled")))
        }
        return await self.attempt()
    }

    private func attempt() async -> PinReportPoster.Outcome {
        let refusal = ReportServerRefusal()
        do {
            var deadline = self.deadline
            let rest = Duration(deadline - .now())
            let host = self.url.host.text
            let found = try await NameResolver.system.addresses(of: host, until: &deadline, patience: rest)
            let connection = JudgedConnection(
                host: host, found: found, port: self.url.port, addresses: self.configuration.addresses,
                connectTimeout: self.configuration.connectTimeout, deadline: deadline)
            let answer = try await connection.run { self.send(on: $0, refusal) }
            let isAccepted = (200...299).contains(answer.status)
            return isAccepted ? .accepted(status: answer.status) : .refused(status: answer.status)
        } catch {
            return .failed(refusal.failure ?? PinReportPoster.Failure(error))
        }
    }

    /// Begins a handshake where there is to be one; what is written waits for the end of it.
    private func send(on channel: any Channel, _ refusal: ReportServerRefusal) -> EventLoopFuture<HTTPAnswer> {
        let exchange = OneTimeExchange(
            url: self.url, content: self.content, maximumHeaderSize: self.configuration.maximumAnswerSize,
            maximumSize: nil)
        do {
            if self.url.scheme == .https {
                let endpoint = try TLSEndpoint(host: self.url.host.text, port: self.url.port)
                try JudgedTLS(endpoint: endpoint) { chain in
                    refusal.failure = self.trust.refusal(of: chain, from: endpoint)
                    return refusal.failure == nil
                }.start(on: channel)
            }
            return exchange.run(on: channel)
        } catch {
            return channel.eventLoop.makeFailedFuture(error)
        }
    }
}
