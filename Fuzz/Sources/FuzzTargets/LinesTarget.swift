//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import CertificatePath
import Foundation
import ServerTrust

/// The line protocol of `servertrust conformance`: whatever the line, the answer is one line, and the same again.
enum LinesTarget {
    private static let responder = ConformanceResponder(publicSuffixes: nil)

    static func run(_ bytes: [UInt8], _ findings: inout Findings) {
        let line = Array(bytes.prefix { $0 != 0x0A })
        guard let answered = self.answer(to: line), let again = self.answer(to: line) else { return }
        guard let first = try? JSONEncoder().encode(answered), let second = try? JSONEncoder().encode(again) else {
            findings.expect(false, "an answer that cannot be written")
            return
        }
        findings.expect(!first.contains(0x0A), "an answer of several lines")
        findings.expect(
            (try? JSONSerialization.jsonObject(with: first)) as? NSDictionary
                == (try? JSONSerialization.jsonObject(with: second)) as? NSDictionary, "another answer the second time")
        // Questions of transport security are answered in a form of their own.
        guard let answer = answered as? ConformanceAnswer else { return }
        guard let request = try? JSONDecoder().decode(ConformanceRequest.self, from: Data(line)) else {
            findings.expect(answer.verdict == .unsupported, "a request that cannot be read is answered")
            return
        }
        findings.expect(answer.id == request.id, "the answer to another request")
        guard answer.verdict == .accept, request.op == "validate" else { return }
        self.checkChain(answer, request, &findings)
    }

    /// The answer without the time it took.
    private static func answer(to line: [UInt8]) -> (any Encodable)? {
        guard var answer = self.responder.answer(to: line) as? ConformanceAnswer else {
            return self.responder.answer(to: line)
        }
        answer.us = nil
        return answer
    }

    private static func checkChain(
        _ answer: ConformanceAnswer, _ request: ConformanceRequest, _ findings: inout Findings
    ) {
        func digest(_ base64: String) -> String? {
            (try? ConformanceResponder.certificate(base64)).map { certificate in
                certificate.sha256Fingerprint.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
            }
        }
        let roots = (request.roots ?? []).compactMap(digest)
        findings.expect(answer.reason == nil, "accepted with a reason against it")
        findings.expect(
            answer.chain?.first == request.leaf.flatMap(digest), "a chain that does not begin with the leaf")
        findings.expect(answer.chain?.last.map(roots.contains) == true, "a chain that does not end in a root")
    }

    static func seeds() throws -> [[UInt8]] {
        let chain = try Fixtures.chain.map { Data($0.bytes).base64EncodedString() }
        let list = try Data(TestRevocationList(Fixtures.root).view().bytes).base64EncodedString()
        let base = """
            "v":1,"id":"a","leaf":"\(chain[0])","intermediates":["\(chain[1])","\(chain[2])"],"roots":["\(chain[3])"],\
            "time":1780272000
            """
        let host = #""peer_name":{"kind":"DNS","value":"www.example.com"}"#
        let pin = #""leaf_pins":["AAAA"],"ca_pins":[],"eku":["1.3.6.1.5.5.7.3.1"],"key_usage":["digitalSignature"]"#
        let policy = #""policy":{"initial":["2.5.29.32.0"],"explicit":true,"inhibit_mapping":true,"inhibit_any":false}"#
        return [
            #"{\#(base),"op":"validate","profile":"rfc5280",\#(host),"purpose":"server"}"#,
            #"{\#(base),"op":"validate","profile":"apple","anchor_class":"user",\#(pin),"purpose":"any"}"#,
            #"{\#(base),"op":"validate","profile":"legacy",\#(policy),"max_depth":1,"purpose":"client"}"#,
            #"{\#(base),"op":"validate","crls":["\#(list)"],"ocsp":["MAMKAQY="],"revocation":"hard","profile":"rfc5280"}"#,
            #"{"v":1,"id":"b","op":"parse","der":"\#(chain[0])"}"#,
            #"{"v":1,"id":"c","op":"parse","der":"MAA="}"#,
            #"{"v":2,"id":"d","op":"x"}"#, #"{"id":"e"}"#, "{}", "[[[[", #"{"v":1e400,"id":"\u0000\ud800"}"#,
        ].map { Array($0.utf8) }
    }
}
