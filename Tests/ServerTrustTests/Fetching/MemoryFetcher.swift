//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import CertificatePath
import Foundation
import ServerTrust
import Synchronization
import TestSupport

/// A network of answers in memory.
final class MemoryFetcher: ResourceFetcher {
    typealias Answer = @Sendable (ResourceRequest) async throws -> [UInt8]

    private let answers: [String: Answer]
    private let state = Mutex<[ResourceRequest]>([])

    /// What was asked for, in order.
    var requests: [ResourceRequest] { self.state.withLock { $0 } }
    var urls: [String] { self.requests.map(\.url) }

    init(_ answers: [String: Answer]) { self.answers = answers }

    func fetch(_ request: ResourceRequest) async throws(ResourceError) -> [UInt8] {
        self.state.withLock { $0.append(request) }
        guard let answer = self.answers[request.url] else { throw ResourceError(.unreachable, "no server is there") }
        do {
            return try await answer(request)
        } catch let error as ResourceError {
            throw error
        } catch {
            throw ResourceError(.cancelled, "\(error)")
        }
    }
}

/// URLs of the test authority.
enum TestURL {
    static let ocsp = "http://ocsp.ca.test/"
    static let otherOCSP = "http://ocsp2.ca.test/"
    static let list = "http://crl.ca.test/root.crl"
    static let otherList = "http://crl2.ca.test/root.crl"
    static let issuer = "http://ca.test/issuer.cer"
    static let otherIssuer = "http://ca2.test/issuer.cer"
}

extension TestExtension {
    /// Where answers about a certificate, and its issuer, are.
    static func access(ocsp: [String] = [], issuers: [String] = []) -> TestExtension {
        func item(_ method: String, _ url: String) -> [UInt8] {
            DER.sequence(DER.oid(method), TestName.uri(url).encoded)
        }
        return TestExtension(
            "1.3.6.1.5.5.7.1.1",
            DER.list(
                ocsp.map { item("1.3.6.1.5.5.7.48.1", $0) } + issuers.map { item("1.3.6.1.5.5.7.48.2", $0) }))
    }

    static func lists(_ urls: [String]) -> TestExtension {
        TestExtension("2.5.29.31", DER.list(urls.map { DER.sequence(Point.uri($0)) }))
    }
}

/// A question about a leaf of the test root that names everywhere to ask.
func fetchingTrust(
    ocsp: [String] = [TestURL.ocsp], lists: [String] = [TestURL.list], mode: RevocationPolicy.Mode = .hard,
    policies: [TrustPolicy] = [], anchors: TrustAnchors? = nil
) throws -> Trust {
    let leaf = try testRoot.leaf { certificate in
        certificate.serialNumber = DER.number(4_711)
        if !ocsp.isEmpty { certificate.set(.access(ocsp: ocsp)) }
        if !lists.isEmpty { certificate.set(.lists(lists)) }
    }
    var trust = try Trust(
        certificates: [Certificate(leaf)], policies: [.tlsServer(hostname: "www.example.com")] + policies,
        configuration: TrustConfiguration(anchors: anchors ?? .only([Certificate(testRoot.authority())])))
    trust.verifyDate = Date(testTime)
    trust.revocation = RevocationPolicy(mode)
    return trust
}

/// Options for evaluations at the test's time.
func testOptions(_ change: (inout FetchOptions) -> Void = { _ in }) -> FetchOptions {
    var options = FetchOptions()
    options.now = Date(testTime)
    // However busy the machine is.
    (options.timeout, options.deadline) = (.seconds(3_600), .seconds(3_600))
    change(&options)
    return options
}

/// An OCSP answer, changed before it is signed.
func ocspAnswer(
    _ change: @escaping @Sendable (inout TestOCSPResponse) -> Void = { _ in }
) -> MemoryFetcher.Answer {
    { _ in
        var response = TestOCSPResponse()
        change(&response)
        return try response.view().bytes
    }
}

/// A revocation list of the test root.
func listAnswer(
    revoking serials: [[UInt8]] = [], _ change: @escaping @Sendable (inout TestRevocationList) -> Void = { _ in }
) -> MemoryFetcher.Answer {
    { _ in try TestRevocationList(testRoot, revoking: serials, change).view().bytes }
}

let revokedStatus = DER.element(0xA1, DER.generalizedTime("20260520000000Z"))
let leafSerial = DER.number(4_711)

extension FetchedTrustResult {
    /// `ocsp:used crl:failed(unreachable)`: what was fetched and what became of it.
    var log: String {
        self.fetches.map { record in
            if case .failed(let error) = record.outcome {
                return "\(record.kind.rawValue):failed(\(error.code.rawValue))"
            }
            return "\(record.kind.rawValue):\(record.outcome.code)"
        }.joined(separator: " ")
    }

    /// `trusted`, or the codes of the reasons.
    var summary: String {
        self.result.isTrusted
            ? "trusted" : self.result.failure?.reasons.map(\.code).joined(separator: " ") ?? "refused without a reason"
    }
}
