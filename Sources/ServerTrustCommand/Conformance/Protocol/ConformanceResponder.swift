//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import CertificatePath
import ServerTrust

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// A responder of the conformance protocol. It uses the same engine through the same interface as all other callers.
struct ConformanceResponder {
    /// The list that wildcards are checked against: the newer of the machine's list and the built-in one.
    let publicSuffixes: PublicSuffixList?

    /// The longest line in bytes, more than any request with a hundred certificates.
    private static let maximumLine = 64 << 20

    /// Answers every line of an input with a line, one by one, until the input ends or the output is closed.
    ///
    /// - Parameters:
    ///   - read: Returns the next bytes, or an empty array at the end.
    ///   - write: Writes a line and returns `false` if the output is closed.
    /// - Throws: The errors of `read` and `write`.
    func answerLines(from read: @escaping () throws -> [UInt8], to write: ([UInt8]) throws -> Bool) throws {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.withoutEscapingSlashes]
        var lines = BoundedLines(maximumLength: Self.maximumLine, read: read)
        while let line = try lines.next() {
            let answer: any Encodable =
                switch line {
                case .whole(let line): self.answer(to: line)
                case .tooLong: ConformanceAnswer.unreadable("the line is longer than \(Self.maximumLine) octets")
                }
            guard try write(Array(try encoder.encode(answer)) + [UInt8(ascii: "\n")]) else { return }
        }
    }

    /// Answers one line, even if it is not a request.
    func answer(to line: [UInt8]) -> any Encodable {
        let request: ConformanceRequest
        do {
            request = try JSONDecoder().decode(ConformanceRequest.self, from: Data(line))
        } catch {
            return ConformanceAnswer(id: Self.identifier(of: line), .unsupported, detail: "malformed request")
        }
        guard request.v == 1 else { return ConformanceAnswer(id: request.id, .unsupported, detail: "unknown version") }
        let clock = ContinuousClock()
        let start = clock.now
        var answer: ConformanceAnswer
        switch request.op {
        case "ats", "ats-pins": return Self.transportSecurityAnswer(to: request)
        case "validate": answer = self.validate(request)
        case "parse": answer = self.parse(request)
        default: answer = ConformanceAnswer(id: request.id, .unsupported, detail: "unknown op")
        }
        answer.us = Int((clock.now - start) / .microseconds(1))
        return answer
    }

    private static func identifier(of line: [UInt8]) -> String? {
        struct Identified: Decodable { let id: String }
        return (try? JSONDecoder().decode(Identified.self, from: Data(line)))?.id
    }

    private func parse(_ request: ConformanceRequest) -> ConformanceAnswer {
        do {
            _ = try Self.certificate(request.der ?? "")
            return ConformanceAnswer(id: request.id, .accept)
        } catch {
            return ConformanceAnswer(id: request.id, .reject, reason: "malformed", detail: "\(error)")
        }
    }

    private func validate(_ request: ConformanceRequest) -> ConformanceAnswer {
        let trust: Trust
        do {
            trust = try self.trust(for: request)
        } catch let error as UnsupportedRequest {
            return ConformanceAnswer(id: request.id, .unsupported, detail: error.what)
        } catch {
            return ConformanceAnswer(id: request.id, .reject, reason: "malformed", detail: "\(error)")
        }
        return Self.answer(request.id, trust.evaluate())
    }

    private static func answer(_ id: String, _ result: TrustResult) -> ConformanceAnswer {
        var answer = ConformanceAnswer(id: id, result.isTrusted ? .accept : .reject)
        answer.signatures = result.verifiedSignatures
        answer.result_type = result.resultType.name
        if let failure = result.failure {
            answer.reason = failure.primary.code
            answer.detail = failure.reasons.map(\.message).joined(separator: " ")
            answer.osstatus = failure.osStatus.rawValue
        } else {
            answer.ct = result.transparency?.meetsPolicy
            answer.chain = result.path.map { Self.hexadecimal($0.sha256Fingerprint) }
            answer.policies = result.userConstrainedPolicies.map { $0.map(\.description).sorted() }
        }
        return answer
    }

    static func certificate(_ base64: String) throws -> Certificate {
        try Certificate(der: Self.bytes(base64))
    }

    static func bytes(_ base64: String) -> [UInt8] {
        Data(base64Encoded: base64).map { Array($0) } ?? []
    }

    private static func hexadecimal(_ bytes: [UInt8]) -> String {
        bytes.map { ($0 < 0x10 ? "0" : "") + String($0, radix: 16) }.joined()
    }
}

/// The error for a well-formed request that requires an unsupported feature.
struct UnsupportedRequest: Error {
    let what: String
}
