//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import TLSProbe
import TLSWire
import Testing

private let alert = TLSAlertDescription(rawValue: 80)

private let flightErrors: [FlightError] = [
    .recordTooLong(20_000), .emptyRecord, .tooMuch(limit: 1), .messageTooLong(type: 11, length: 1 << 23),
    .unexpected("a heartbeat"), .undecodable("a certificate"), .tooManyRecords,
    .tooManyCertificates,
]

private let unreachable = ProxyRefusal(
    Proxy(.http, at: "proxy.test", port: 3128), .unreachable(ConnectionFailure.connectionRefused.message))

private let probeFailures: [ConnectionFailure] =
    [
        .hostNotFound, .connectionRefused, .unreachable("no route"), .timedOut(.resolving), .timedOut(.connecting),
        .timedOut(.silent), .timedOut(.underWay), .closed, .reset, .alert(alert), .notTLS(beginning: "SSH"),
        .startTLS(StartTLSRefusal(.smtp, .rejected(reply: "454 TLS is not available"))), .proxy(unreachable),
        .preamble("no STARTTLS"), .preamble("It ends in a period."), .handshake("why"), .exhausted, .cancelled,
    ] + [.malformed(.emptyRecord)]

private let refusals: [ProbeRefusal] = [.alert(alert), .otherVersion(.tls12), .silence]

private let anomalies: [ProbeAnomaly] = [
    .notTLS(beginning: "SSH"), .malformed(.emptyRecord), .slow(bytes: 3), .choseUnoffered("TLS 1.4"),
    .contradiction("TLS_AES_128_GCM_SHA256"), .warningAlert(alert), .intolerantOfManySuites, .intolerantOfNewVersions,
    .intolerantOfLargeHellos(.reset), .failsAtHello(.statusRequest, .closed),
    .needsKeyShare,
    .intolerantOfExtensions, .refusesSilently, .limitsConnections, .longChain(count: 40), .chainUnknown(.closed),
    .unrecognizedName, .chainDependsOnVersion, .manyChains,
]

@Suite("What facts are called")
struct MessageTests {
    /// Of everything that has a code, a message and a remedy.
    private let texts: [(code: String, message: String, remedy: String)] =
        flightErrors.map { ($0.code, $0.message, $0.remedy) } + probeFailures.map { ($0.code, $0.message, $0.remedy) }
        + refusals.map { ($0.code, $0.message, $0.remedy) } + anomalies.map { ($0.code, $0.message, $0.remedy) }

    @Test("Everything has a code for programs, a sentence, and a remedy")
    func complete() {
        for text in self.texts {
            #expect(text.code.utf8.allSatisfy { $0 == 0x2D || (0x61...0x7A).contains($0) }, "\(text.code)")
            for sentence in [text.message, text.remedy] {
                #expect(sentence.hasSuffix(".") && sentence.first?.isUppercase == true, "\(sentence)")
                #expect(!sentence.hasSuffix(".."), "\(sentence)")
            }
        }
    }

    @Test("Codes name one thing each")
    func unique() {
        #expect(Set(flightErrors.map(\.code)).count == flightErrors.count)
        #expect(Set(probeFailures.map(\.code)).count == probeFailures.count - 2)
        #expect(Set(refusals.map(\.code)).count == refusals.count)
        #expect(Set(anomalies.map(\.code)).count == anomalies.count)
    }

    @Test(
        "What is more than is read breaks no rule",
        arguments: [
            .tooMuch(limit: 1), .messageTooLong(type: 11, length: 1 << 23), .tooManyCertificates,
        ] as [FlightError])
    func limits(error: FlightError) {
        for message in [ConnectionFailure.malformed(error).message, ProbeAnomaly.malformed(error).message] {
            #expect(message.contains("is more than is read: ") && !message.contains("rules"))
        }
    }

    @Test("Messages repeat what the server said, and whose fault it is")
    func evidence() {
        #expect(ConnectionFailure.notTLS(beginning: "SSH-2.0").message.contains("SSH-2.0"))
        #expect(ConnectionFailure.proxy(unreachable).message.contains("http://proxy.test:3128"))
        #expect(
            ConnectionFailure.startTLS(StartTLSRefusal(.smtp, .rejected(reply: "454 no"))).message.contains("454 no"))
        #expect(ConnectionFailure.notTLS(beginning: "").message == "The server does not answer in TLS.")
        #expect(ConnectionFailure.alert(alert).message.contains("internal_error"))
        #expect(ProbeRefusal.otherVersion(.tls12).message.contains("TLS 1.2"))
        #expect(ProbeAnomaly.chainUnknown(.closed).message.contains(ConnectionFailure.closed.message))
    }
}
