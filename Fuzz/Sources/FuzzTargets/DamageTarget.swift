//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

@testable import CertificatePath

/// A chain that is accepted, with one of its certificates damaged: it is refused unless not a bit has changed.
///
/// An input is an octet that chooses the certificate, and edits of four octets: what to do, where, and with what value.
/// Ed25519 signatures have one form only (RFC 8032 §5.1.7), so that not even the signature can be written otherwise.
enum DamageTarget {
    private static let chain = (try? Fixtures.chain) ?? []

    static func run(_ bytes: [UInt8], _ findings: inout Findings) {
        guard let choice = bytes.first, self.chain.count == 4 else { return }
        var chain = self.chain
        let index = Int(choice) % 3
        let original = chain[index].bytes
        let damaged = self.edit(original, bytes.dropFirst())
        guard let certificate = try? CertificateView(der: damaged) else {
            findings.expect(damaged != original, "a good certificate cannot be read")
            return
        }
        chain[index] = certificate
        let verdict = judgment(chain[0], Array(chain[1...2]), anchors: [TrustAnchor(chain[3])])
        findings.expect(
            verdict.isAccepted == (damaged == original), "\(verdict.summary) with certificate \(index) changed")
        findings.expect(verdict.isAccepted || !verdict.rejections.isEmpty, "refused without a reason")
    }

    private static func edit(_ original: [UInt8], _ edits: ArraySlice<UInt8>) -> [UInt8] {
        var bytes = original
        var rest = edits
        while rest.count >= 4, !bytes.isEmpty {
            let edit = Array(rest.prefix(4))
            rest = rest.dropFirst(4)
            let position = (Int(edit[1]) << 8 | Int(edit[2])) % bytes.count
            switch edit[0] % 6 {
            case 0: bytes[position] = edit[3]
            case 1: bytes[position] ^= 1 << (edit[3] % 8)
            case 2: bytes.insert(edit[3], at: position)
            case 3: bytes.remove(at: position)
            case 4: bytes[position] &+= edit[3]
            default: self.paste(Int(edit[3]), at: position, of: &bytes)
            }
        }
        return bytes
    }

    /// Overwrites a run with the same run of the chain's next certificate: fields of one certificate in another.
    private static func paste(_ count: Int, at position: Int, of bytes: inout [UInt8]) {
        for index in position..<min(position + count, bytes.count) where index < self.chain[1].bytes.count {
            bytes[index] = self.chain[1].bytes[index]
        }
    }

    static func seeds() -> [[UInt8]] {
        var seeds: [[UInt8]] = [[0], [1], [2]]
        for certificate in UInt8(0)..<3 {
            for position in stride(from: UInt16(0), to: 400, by: 23) {
                let place = [UInt8(position >> 8), UInt8(position & 0xFF)]
                seeds.append([certificate, UInt8(position % 6)] + place + [UInt8(position % 7)])
            }
        }
        return seeds
    }
}
