//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import Foundation

@testable import CertificatePath
@testable import ServerTrust

/// PEM texts: what the reader finds, it finds again in what is written anew; Base64 is what Foundation says it is.
enum PEMTarget {
    static func run(_ bytes: [UInt8], _ findings: inout Findings) {
        self.readBlocks(bytes, &findings)
        self.decode(bytes, &findings)
        self.readFile(bytes, &findings)
        _ = try? CertificateList.lists(in: bytes)
        _ = try? OCSPResponse.response(in: bytes)
        let suffixes = PublicSuffixList(parsing: bytes)
        findings.expect(suffixes.ruleCount <= bytes.count, "more public suffixes than bytes")
        _ = suffixes.isPublicSuffix(String(decoding: bytes.suffix(64), as: UTF8.self))
    }

    private static func readBlocks(_ bytes: [UInt8], _ findings: inout Findings) {
        var reader = PEMReader(bytes)
        var steps = 0
        while steps <= bytes.count {
            steps += 1
            guard let block = try? reader.nextBlock() else {
                // A block that cannot be read is passed over; the end is the end however often one asks.
                if let next = try? reader.nextBlock(), next.count > bytes.count { break }
                continue
            }
            findings.expect(block.count <= bytes.count, "a block is longer than its text")
            var again = PEMReader(self.text(of: block))
            findings.expect((try? again.nextBlock()) == block, "a block written anew is read differently")
        }
    }

    /// RFC 7468 §2, with lines of 64 characters.
    static func text(of der: [UInt8], label: String = "CERTIFICATE") -> [UInt8] {
        let base64 = Data(der).base64EncodedString(options: [.lineLength64Characters, .endLineWithLineFeed])
        return Array("-----BEGIN \(label)-----\n\(base64)\n-----END \(label)-----\n".utf8)
    }

    private static func decode(_ bytes: [UInt8], _ findings: inout Findings) {
        var whole = Base64Decoder(capacity: 0)
        let isRead = whole.append(bytes[...]) && whole.finish()
        var halves = Base64Decoder(capacity: 0)
        let middle = bytes.count / 3
        let isReadInHalves = halves.append(bytes[..<middle]) && halves.append(bytes[middle...]) && halves.finish()
        findings.expect(isRead == isReadInHalves, "Base64 in two parts is read differently")
        if isRead { findings.expect(whole.output == halves.output, "Base64 in two parts is decoded differently") }
        let text = bytes.filter { $0 != 0x20 && $0 != 0x09 }
        let reference = Data(base64Encoded: Data(text)).map { Array($0) }
        if isRead { findings.expect(reference == whole.output, "Foundation decodes other bytes") }
        // Foundation forgives bits left over; what it would have written itself is Base64 without a doubt.
        guard !isRead, let reference else { return }
        findings.expect(Array(Data(reference).base64EncodedData()) != text, "Base64 is refused")
    }

    /// The loader of trust stores and the reader of chains find the same certificates; one bad block stops only the latter.
    private static func readFile(_ bytes: [UInt8], _ findings: inout Findings) {
        let chain = try? Certificate.certificates(in: bytes)
        guard chain != nil || bytes.count % 64 == 0 else { return }
        let path =
            FileManager.default.temporaryDirectory.path + "/fuzz-\(ProcessInfo.processInfo.processIdentifier).pem"
        guard FileManager.default.createFile(atPath: path, contents: Data(bytes)) else { return }
        defer { try? FileManager.default.removeItem(atPath: path) }
        let store = try? TrustStore(contentsOf: path)
        guard let chain else { return }
        var unique: [Certificate] = []
        for certificate in chain where !unique.contains(certificate) { unique.append(certificate) }
        findings.expect(store?.certificates == unique, "the trust store has other certificates than the file")
        findings.expect(store?.issues.isEmpty == true, "a readable file has issues")
    }

    static func seeds() throws -> [[UInt8]] {
        let chain = try Fixtures.chain.map(\.bytes)
        let one = self.text(of: chain[0])
        let list = try TestRevocationList(Fixtures.root, revoking: [DER.number(7)]).view().bytes
        let crlf = Array(String(decoding: one, as: UTF8.self).replacingOccurrences(of: "\n", with: "\r\n").utf8)
        return [
            one, crlf, chain.flatMap { self.text(of: $0) }, chain[0],
            self.text(of: chain[0], label: "X509 CERTIFICATE"),
            self.text(of: list, label: "X509 CRL"), Array(one.dropLast(30)) + one, one + one,
            Array("QQ==".utf8), Array("QUI=".utf8), Array("QUJD".utf8), Array("QR==".utf8),
            Array("// c\ncom\n*.ck\n!www.ck\nco.uk\n// ===BEGIN PRIVATE DOMAINS===\nx.y\n".utf8),
            Array("subject: x\n-----BEGIN CERTIFICATE-----\nMAA=\n-----END CERTIFICATE-----".utf8),
        ]
    }
}
