//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

package import CertificatePath

/// The kind of a file's contents, for messages about a file of the wrong kind.
package enum FileKind: Sendable, Hashable {
    /// The file is empty.
    case empty
    /// DER of a known kind.
    case encoded(EncodedKind)
    /// PEM, with the labels of its blocks in their order.
    case pem([String])
    /// Base64 of DER without the lines of PEM around it.
    case bareBase64(EncodedKind)
    /// A property list, in XML or binary.
    case propertyList
    /// A page of a web site.
    case page
    /// A zip archive, the format of exported apps.
    case zip
    /// Text in UTF-16.
    case utf16
    /// Other text.
    case text
    /// Octets of no known kind.
    case unknown

    private static let maximumLabels = 1_000

    package init(of contents: [UInt8]) {
        let text = contents.starts(with: [0xEF, 0xBB, 0xBF]) ? contents.dropFirst(3) : contents[...]
        if text.isEmpty {
            self = .empty
        } else if text.starts(with: [0x50, 0x4B, 0x03, 0x04]) || text.starts(with: [0x50, 0x4B, 0x05, 0x06]) {
            // An archive may store a file uncompressed, whose contents then look like those of any kind.
            self = .zip
        } else if let kind = EncodedKind(of: contents) {
            self = .encoded(kind)
        } else if text.starts(with: Array("bplist0".utf8)) || Self.isXMLPropertyList(text) {
            self = .propertyList
        } else if Self.isPage(text) {
            self = .page
        } else if text.starts(with: [0xFF, 0xFE]) || text.starts(with: [0xFE, 0xFF]) {
            self = .utf16
        } else {
            self = Self.kind(ofText: text)
        }
    }

    private static func isXMLPropertyList(_ text: ArraySlice<UInt8>) -> Bool {
        String(decoding: text.prefix(1_024), as: UTF8.self).contains("<plist")
    }

    private static func isPage(_ text: ArraySlice<UInt8>) -> Bool {
        let beginning = String(decoding: text.drop { $0 <= 0x20 }.prefix(16), as: UTF8.self).lowercased()
        return beginning.hasPrefix("<!doctype html") || beginning.hasPrefix("<html")
    }

    private static func kind(ofText text: ArraySlice<UInt8>) -> FileKind {
        let labels = Self.labels(in: text)
        if !labels.isEmpty { return .pem(labels) }
        var decoder = Base64Decoder(capacity: 2_048)
        if text.count <= 1 << 20, decoder.append(text.filter { $0 > 0x20 }[...]), decoder.finish(),
            let kind = EncodedKind(of: decoder.output)
        {
            return .bareBase64(kind)
        }
        let isText = text.prefix(4_096).allSatisfy { $0 >= 0x20 || ($0 >= 0x09 && $0 <= 0x0D) }
        return isText ? .text : .unknown
    }

    private static func labels(in text: ArraySlice<UInt8>) -> [String] {
        var labels: [String] = []
        for line in text.split(whereSeparator: { $0 == 0x0A || $0 == 0x0D }) {
            let trimmed = line.drop { $0 == 0x20 || $0 == 0x09 }
            guard labels.count < Self.maximumLabels, trimmed.starts(with: Array("-----BEGIN ".utf8)) else { continue }
            labels.append(PEMLabel.text(of: trimmed.dropFirst(11).prefix { $0 != 0x2D }))
        }
        return labels
    }
}

extension FileKind {
    /// The kind, as the end of “this is …”.
    package var title: String {
        switch self {
        case .empty: "an empty file"
        // These are also written in BER.
        case .encoded(let kind) where [.message, .encryptedMessage, .keyStore].contains(kind): kind.title
        case .encoded(let kind): "\(kind.title) in DER"
        case .pem(let labels): "PEM with \(Self.counted(labels))"
        case .bareBase64(let kind): "\(kind.title) in Base64, without the lines BEGIN and END of PEM"
        case .propertyList: "a property list"
        case .page: "an HTML page"
        case .zip: "a zip archive"
        case .utf16: "text in UTF-16"
        case .text: "text"
        case .unknown: "a file of no known kind"
        }
    }

    /// The kind, if a certificate is expected. A certificate in another encoding is still called a certificate.
    package var titleForCertificate: String {
        let isCertificate =
            switch self {
            case .encoded(let kind), .bareBase64(let kind): kind == .certificate
            case .pem(let labels):
                labels.contains("TRUSTED CERTIFICATE")
                    || labels.contains { PEMLabel.kind(of: Array($0.utf8)[...]) == .certificate }
            default: false
            }
        return isCertificate ? self.title : "\(self.title), and not a certificate"
    }

    /// Returns the way to get a certificate from the file, as a clause, or `nil` if there is none.
    ///
    /// - Parameter path: The file.
    package func adviceForCertificate(_ path: String) -> String? {
        switch self {
        case .encoded(.keyStore): "take the certificates out with `openssl pkcs12 -in \(path) -nokeys`"
        case .encoded(.message): "take the certificates out with `openssl pkcs7 -inform der -in \(path) -print_certs`"
        case .encoded(.privateKey), .encoded(.publicKey): "give the certificate that was issued for the key"
        case .encoded(.certificateRequest): "give the certificate that was issued for the request"
        case .encoded(.revocationList): "give it as a revocation list"
        case .pem(let labels) where labels.allSatisfy(Self.isList): "give it as a revocation list"
        case .encoded(.ocspResponse): "give it as an OCSP response"
        case .encoded(.encryptedMessage):
            "its content is read with the key of its recipient alone. Decrypt it with `openssl cms -decrypt -inform der -in \(path) -inkey KEY`"
        case .encoded(.ocspRequest): "give the response of the responder in place of the request"
        case .page:
            "a login, an error or a download page was saved in place of the file. Download the certificate itself"
        case .bareBase64: "put it between the lines BEGIN CERTIFICATE and END CERTIFICATE"
        case .utf16: "save it as UTF-8"
        case .pem(let labels) where labels.allSatisfy { $0.contains("PRIVATE KEY") }:
            "give the certificate that was issued for the key"
        case .pem(let labels) where labels.allSatisfy { $0.contains("REQUEST") }:
            "give the certificate that was issued for the request"
        case .pem(let labels) where labels.contains("PKCS7"):
            "take the certificates out with `openssl pkcs7 -in \(path) -print_certs`"
        case .pem(let labels) where labels.contains("TRUSTED CERTIFICATE"):
            "write it as a plain certificate with `openssl x509 -in \(path)`"
        case .encoded(.certificate), .pem, .propertyList, .zip, .text, .unknown, .empty: nil
        }
    }

    /// The kind of revocation evidence in the file, or `nil` for other files.
    package var revocationKind: EncodedKind? {
        self.isOfLists ? .revocationList : self == .encoded(.ocspResponse) ? .ocspResponse : nil
    }

    private var isOfLists: Bool {
        switch self {
        case .encoded(.revocationList), .bareBase64(.revocationList): true
        case .pem(let labels): labels.allSatisfy(Self.isList)
        default: false
        }
    }

    private static func isList(_ label: String) -> Bool { PEMLabel.kind(of: Array(label.utf8)[...]) == .revocationList }

    /// `true` if the file has a private key and no certificate.
    package var isPrivateKey: Bool {
        switch self {
        case .encoded(.privateKey), .bareBase64(.privateKey): true
        case .pem(let labels):
            labels.contains { $0.hasSuffix("PRIVATE KEY") } && !labels.contains { $0.hasSuffix("CERTIFICATE") }
        default: false
        }
    }

    /// `true` if the file is in an encoding of certificates or keys, and so not written by a person.
    package var isOfCertificates: Bool {
        switch self {
        case .encoded, .pem, .bareBase64: true
        case .empty, .propertyList, .page, .zip, .utf16, .text, .unknown: false
        }
    }

    /// Returns `true` if the file is of another kind than expected. A file of unknown kind may be a damaged one of this kind.
    ///
    /// - Parameter wanted: A revocation list, or an OCSP response.
    package func isOther(than wanted: EncodedKind) -> Bool {
        switch (self, wanted) {
        case (.encoded(wanted), _), (.bareBase64(wanted), _), (.unknown, _): false
        case (_, .revocationList): !self.isOfLists
        default: true
        }
    }

    /// Returns the reason why a file or folder has no trusted certificate, or `nil` if it has a damaged one.
    ///
    /// - Parameters:
    ///   - path: The file or folder.
    ///   - advise: A function that returns the program's advice for a kind of file, or `nil` for this library's.
    package static func lackOfCertificates(in path: String, advise: (FileKind) -> String?) -> String? {
        let advice = "Give a file or folder with certificates in PEM or DER"
        guard !BoundedFile.isFolder(path) else {
            let names = ((try? BoundedFile.entries(of: path)) ?? []).filter { !BoundedFile.isFolder(path + "/" + $0) }
            let kinds = names.lazy.compactMap { name in
                (try? BoundedFile.read(path + "/" + name)).map { (name, FileKind(of: $0)) }
            }
            guard let (name, kind) = kinds.first(where: { !$0.1.isLikeCertificate }) else {
                return names.isEmpty ? "no trusted certificate in \(path): the folder has no files. \(advice)" : nil
            }
            return "no trusted certificate in \(path): \(name), for one, is \(kind.title). \(advice)"
        }
        guard let contents = try? BoundedFile.read(path), case let kind = FileKind(of: contents),
            !kind.isLikeCertificate
        else { return nil }
        return "no trusted certificate in \(path): this is \(kind.title). "
            + ((advise(kind) ?? kind.adviceForCertificate(path))?.withCapital ?? advice)
    }

    /// `true` if the file is a certificate, or may be a damaged one.
    private var isLikeCertificate: Bool {
        switch self {
        case .encoded(.certificate), .unknown, .empty: true
        case .pem(let labels): labels.contains { PEMLabel.kind(of: Array($0.utf8)[...]) == .certificate }
        default: false
        }
    }

    /// The ignored blocks of a PEM file with certificates, such as a key, or `nil` if there are none.
    package var besideCertificates: String? {
        guard case .pem(let labels) = self else { return nil }
        let others = labels.filter { [.other, .publicKey].contains(PEMLabel.kind(of: Array($0.utf8)[...])) }
        return others.isEmpty ? nil : Self.counted(others)
    }

    private static func counted(_ labels: [String]) -> String {
        var counts: [(label: String, count: Int)] = []
        for label in labels {
            if let index = counts.firstIndex(where: { $0.label == label }) {
                counts[index].count += 1
            } else {
                counts.append((label, 1))
            }
        }
        return counts.prefix(8).map { "\($0.count) × \($0.label)" }.joined(separator: ", ")
            + (counts.count > 8 ? ", …" : "")
    }
}

extension String {
    /// The clause with the capital letter of a sentence.
    package var withCapital: String { self.prefix(1).uppercased() + self.dropFirst() }
}

extension EncodedKind {
    /// The name of the kind for people.
    package var title: String {
        switch self {
        case .certificate: "a certificate"
        case .revocationList: "a revocation list"
        case .ocspResponse: "an OCSP response"
        case .certificateRequest: "a certificate request"
        case .message: "a PKCS#7 message"
        case .encryptedMessage: "an encrypted CMS message"
        case .ocspRequest: "an OCSP request"
        case .keyStore: "a PKCS#12 file"
        case .privateKey: "a private key"
        case .publicKey: "a public key"
        }
    }
}
