//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import CertificatePath
package import ServerTrust

#if canImport(FoundationEssentials)
package import FoundationEssentials
#else
package import Foundation
#endif

/// What is in a file of certificates, lists, responses, requests or keys, in words. Private keys are named and not shown.
package struct ShownFile {
    private let path: String
    private let contents: [UInt8]
    private let date: Date
    private let style: TextStyle

    /// A file.
    ///
    /// - Parameters:
    ///   - path: What the file is called.
    ///   - contents: Its octets.
    ///   - date: The moment from which days are counted.
    ///   - style: Colors and weights.
    package init(_ path: String, _ contents: [UInt8], at date: Date, style: TextStyle) {
        (self.path, self.contents, self.date, self.style) = (path, contents, date, style)
    }

    /// The most items that are shown of one file.
    private static let shownItems = 200

    /// The lines of the text.
    package var text: String {
        let kind = FileKind(of: self.contents)
        let heading = "\(self.style.bold(DisplayText.text(self.path))): \(DisplayText.text(kind.title))\n"
        switch kind {
        case .encoded(let kind): return heading + self.item(kind, self.contents)
        case .pem: return heading + self.blocks
        case .propertyList:
            return heading
                + "  `servertrust ats lint \(DisplayText.text(self.path))` reads an Info.plist, and `servertrust pins check` its pins.\n"
        default:
            let advice = kind.adviceForCertificate(self.path).map {
                "  To have a certificate, \(DisplayText.text($0)).\n"
            }
            return heading + (advice ?? "")
        }
    }

    private var blocks: String {
        var reader = PEMBlocks(self.contents)
        var text = ""
        var count = 0
        while let block = reader.next() {
            count += 1
            guard count <= Self.shownItems else { return text + "  … and more\n" }
            let line = "line \(block.line), \(DisplayText.text(block.label))"
            guard let der = block.der else {
                text += "\n  \(self.style.dim(line))\n  cannot be read: \(DisplayText.text(block.fault))\n"
                continue
            }
            let kind = EncodedKind(of: der)
            text += "\n  \(self.style.dim(line))\n" + (kind.map { self.item($0, der) } ?? "  octets of no known kind\n")
        }
        return text
    }

    private func item(_ kind: EncodedKind, _ der: [UInt8]) -> String {
        let lines: [(String, String)] =
            switch kind {
            case .certificate: self.certificate(der)
            case .revocationList: Self.list(der)
            case .ocspResponse: Self.response(der)
            case .message: self.message(der)
            case .certificateRequest: Self.request(der)
            case .publicKey: [("public key", "pin \(Pin(subjectPublicKeyInfo: der))")]
            case .privateKey: [("private key", "named and not shown: keep it from others")]
            case .keyStore:
                [("PKCS#12", "certificates and keys, mostly encrypted: openssl pkcs12 -in \(self.path) -nokeys")]
            }
        return lines.map { label, value in
            "  \(self.style.dim(label.padded(to: 12)))\(DisplayText.text(value))\n"
        }.joined()
    }
}

// MARK: - What is in each kind

extension ShownFile {
    private func certificate(_ der: [UInt8]) -> [(String, String)] {
        let certificate: Certificate
        do {
            certificate = try Certificate(der: der)
        } catch {
            return [("certificate", "\(error)")]
        }
        let names = certificate.dnsNames + certificate.ipAddresses.map(\.description)
        var lines = [
            ("certificate", certificate.subject.isEmpty ? certificate.subjectSummary : certificate.subject),
            ("issuer", certificate.isSelfIssued ? "itself" : certificate.issuer),
            ("valid", DayCount.validity(of: certificate, at: self.date)),
            ("key", "\(certificate.publicKey)"), ("pin", "\(Pin(keyOf: certificate))"),
            ("signed", "with \(certificate.signatureAlgorithm)"),
            ("serial", JSONText.hexadecimal(certificate.serialNumber)),
            ("sha256", JSONText.hexadecimal(certificate.sha256Fingerprint)),
            ("version", "\(certificate.view.version)" + (certificate.isCertificateAuthority ? ", an authority" : "")),
        ]
        if !names.isEmpty {
            lines.append(("names", names.prefix(20).joined(separator: ", ") + (names.count > 20 ? ", …" : "")))
        }
        if let usage = certificate.view.keyUsage { lines.append(("key usage", usage.names)) }
        lines +=
            certificate.view.issuerURLs.map { ("issuer at", $0) } + certificate.view.ocspURLs.map { ("OCSP at", $0) }
            + certificate.view.revocationListURLs.map { ("lists at", $0) }
        if certificate.view.promisesStapledResponse { lines.append(("must-staple", "yes (RFC 7633)")) }
        return lines
    }

    private static func list(_ der: [UInt8]) -> [(String, String)] {
        do throws(DERError) {
            let list = try CertificateList(der: der)
            return [
                ("list", "of \(list.issuerDescription)" + (list.isDelta ? ", changes alone (a delta list)" : "")),
                ("from", "\(list.thisUpdate)"), ("until", list.nextUpdate.map { "\($0)" } ?? "not said"),
            ]
        } catch {
            return [("list", "cannot be read (\(error))")]
        }
    }

    private static func response(_ der: [UInt8]) -> [(String, String)] {
        do throws(DERError) {
            let response = try OCSPResponse(der: der)
            return [
                ("response", "made at \(response.producedAt)"),
                ("until", response.nextUpdate.map { "\($0)" } ?? "not said"),
            ]
        } catch {
            return [("response", "cannot be read, or the responder's refusal (\(error))")]
        }
    }

    private func message(_ der: [UInt8]) -> [(String, String)] {
        guard let certificates = try? CertificateView.certificates(inCertificatesOnlyMessage: der) else {
            return [("PKCS#7", "without certificates that can be read")]
        }
        return [("PKCS#7", "\(certificates.count) \(certificates.count == 1 ? "certificate" : "certificates")")]
            + certificates.flatMap { self.certificate($0.bytes) }
    }

    private static func request(_ der: [UInt8]) -> [(String, String)] {
        let pin = EncodedKind.publicKeyInfo(ofRequest: der).map { "\(Pin(subjectPublicKeyInfo: $0))" }
        return [("request", "for a certificate"), ("pin", pin ?? "the key cannot be read")]
    }
}

extension String {
    fileprivate func padded(to width: Int) -> String {
        self + String(repeating: " ", count: max(1, width - self.count))
    }
}
