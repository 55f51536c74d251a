//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import AppleFiles
import CertificatePath
package import ServerTrust

#if canImport(FoundationEssentials)
package import FoundationEssentials
#else
package import Foundation
#endif

/// The contents of a file of certificates, lists, responses, requests or keys, in words. Private keys are named but not shown.
package struct InspectedFile {
    /// The path or name of the file.
    package let path: String
    private let contents: [UInt8]
    private let date: Date
    /// The advice for a file that cannot be shown, or `nil` if there is none.
    package var advice: String?

    /// Creates an inspected file.
    ///
    /// - Parameters:
    ///   - path: The path or name of the file.
    ///   - contents: The contents of the file.
    ///   - date: The moment from which days are counted.
    package init(_ path: String, _ contents: [UInt8], at date: Date) {
        self.path = path
        self.contents = contents
        self.date = date
        self.advice = FileKind(of: contents).adviceForCertificate(path).map { "To have a certificate, \($0)." }
    }

    /// The most items that are shown for one file.
    private static let shownItems = 200

    /// An item of the file.
    package struct Item: Sendable {
        /// The kind of the item, or `nil` for bytes of an unknown kind.
        let kind: EncodedKind?
        /// The line and the label of the PEM block.
        var place: (line: Int, label: String)?
        /// The facts about the item, by name.
        var facts: [(name: String, value: String)] = []
        /// The reason why the item cannot be read, or `nil` if it can.
        var fault: String?
    }

    /// The name of the kind, for people.
    var title: String { self.isProfile ? "a configuration profile" : self.kind.title }

    package var isProfile: Bool { ConfigurationProfile.isProfile(self.contents) }

    package var kind: FileKind { FileKind(of: self.contents) }

    /// The items of the file. `areAll` is `false` if there are more than the limit.
    package var items: (shown: [Item], areAll: Bool) {
        switch self.kind {
        case .encoded(let kind): ([self.item(kind, self.contents)], true)
        case .pem: self.blocks
        default: ([], true)
        }
    }

    private var blocks: (shown: [Item], areAll: Bool) {
        var reader = PEMBlocks(self.contents)
        var items: [Item] = []
        while let block = reader.next() {
            guard items.count < Self.shownItems else { return (items, false) }
            let kind = block.der.flatMap(EncodedKind.init(of:))
            var item = Item(kind: kind, fault: block.der == nil ? block.fault : "octets of no known kind")
            if let kind, let der = block.der { item = self.item(kind, der) }
            item.place = (block.line, block.label)
            // Key parameters have many forms, and encrypted keys are not Base64 only.
            if kind == nil, block.hasEnd, PEMBlocks.isKey(block.label) { item.fault = nil }
            items.append(item)
        }
        return (items, true)
    }

    private func item(_ kind: EncodedKind, _ der: [UInt8]) -> Item {
        var item = Item(kind: kind)
        do {
            item.facts = try self.facts(kind, der)
        } catch {
            item.fault = "\(error)"
        }
        return item
    }

    private func facts(_ kind: EncodedKind, _ der: [UInt8]) throws -> [(String, String)] {
        switch kind {
        case .certificate: try self.certificate(der)
        case .revocationList: try Self.list(der)
        case .ocspResponse: try Self.response(der)
        case .message: try self.message(der)
        case .encryptedMessage: [("encrypted CMS message", "its content needs the key of its recipient")]
        case .ocspRequest: [("OCSP request", "a question to a responder: it says nothing about a certificate")]
        case .certificateRequest: try Self.request(der)
        case .publicKey: [("public key", "pin \(Pin(subjectPublicKeyInfo: der))")]
        case .privateKey: [("private key", "named and not shown: keep it from others")]
        case .keyStore: try self.keyStore(der)
        }
    }
}

// MARK: - Text and JSON

extension InspectedFile {
    func text(_ style: TextStyle) -> String {
        let heading = "\(style.bold(DisplayText.text(self.path))): \(DisplayText.text(self.title))\n"
        let (items, areAll) = self.items
        return style.wrapped(
            heading + items.map { Self.text(of: $0, style) }.joined() + (areAll ? "" : "  … and more\n")
                + (self.advice.map { "  \(DisplayText.text($0))\n" } ?? ""))
    }

    private static func text(of item: Item, _ style: TextStyle) -> String {
        let place = item.place.map { "\n  \(style.dim("line \($0.line), \(DisplayText.text($0.label))"))\n" } ?? ""
        let lines = item.facts.map { name, value in
            "  \(style.dim(name.padded(to: 12)))\(DisplayText.text(value))\n"
        }
        return place + lines.joined() + (item.fault.map { "  cannot be read: \(DisplayText.text($0))\n" } ?? "")
    }

    /// The first reason why a part of the file cannot be read, or `nil` if all of it can.
    package var fault: String? {
        switch self.kind {
        case .empty: "it is empty"
        case .unknown: "it is of no known kind"
        default: self.items.shown.lazy.compactMap(\.fault).first
        }
    }
}

/// A report on the contents of files, as text or as a document.
package struct ShowReport: DocumentReport {
    /// The files that could be opened.
    package let files: [InspectedFile]
    private let areAllOpened: Bool

    /// Creates a report on files.
    ///
    /// - Parameters:
    ///   - files: The files that could be opened.
    ///   - areAllOpened: `true` if every requested file could be opened.
    package init(_ files: [InspectedFile], areAllOpened: Bool) {
        self.files = files
        self.areAllOpened = areAllOpened
    }

    package var verdict: ReportVerdict {
        self.areAllOpened && self.files.allSatisfy { $0.fault == nil } ? .trusted : .notEvaluated
    }

    package var document: some Encodable { ShowDocument(self.files) }

    package func text(_ style: TextStyle) -> String { self.files.map { $0.text(style) }.joined(separator: "\n") }
}

/// The files in JSON.
private struct ShowDocument: Encodable {
    private let format = "servertrust.show/1"
    private let files: [File]

    init(_ files: [InspectedFile]) {
        self.files = files.map(File.init)
    }

    private struct File: Encodable {
        let file: String
        let title: String
        let items: [Item]
        let areAllItems: Bool
        let advice: String?

        init(_ file: InspectedFile) {
            self.file = DisplayText.text(file.path)
            self.title = DisplayText.text(file.title)
            let (items, areAll) = file.items
            self.items = items.map(Item.init)
            self.areAllItems = areAll
            self.advice = file.advice.map(DisplayText.text)
        }
    }

    private struct Item: Encodable {
        let kind: String?
        let line: Int?
        let label: String?
        let facts: [Fact]
        let error: String?

        init(_ item: InspectedFile.Item) {
            self.kind = item.kind?.rawValue
            self.line = item.place?.line
            self.label = item.place.map { DisplayText.text($0.label) }
            self.facts = item.facts.map { Fact(name: $0, value: DisplayText.text($1)) }
            self.error = item.fault.map(DisplayText.text)
        }
    }

    private struct Fact: Encodable {
        let name: String
        let value: String
    }
}

// MARK: - What is in each kind

extension InspectedFile {
    private func certificate(_ der: [UInt8]) throws(CertificateError) -> [(String, String)] {
        let certificate = try Certificate(der: der)
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
            lines.append(("names", Self.listed(names)))
        }
        if let usage = certificate.view.keyUsage { lines.append(("key usage", usage.names)) }
        lines += Self.limits(of: certificate.view)
        lines +=
            certificate.view.issuerURLs.map { ("issuer at", $0) } + certificate.view.ocspURLs.map { ("OCSP at", $0) }
            + certificate.view.revocationListURLs.map { ("lists at", $0) }
        if certificate.view.promisesStapledResponse { lines.append(("must-staple", "yes (RFC 7633)")) }
        return lines
    }

    /// Returns the extensions that limit the use of a certificate and of the certificates that it issues.
    private static func limits(of view: CertificateView) -> [(String, String)] {
        var lines: [(String, String)] = []
        if !view.extendedKeyUsages.isEmpty {
            lines.append(("extended key usage", view.extendedKeyUsages.map(OIDNames.name(of:)).joined(separator: ", ")))
        }
        if let length = view.pathLengthConstraint {
            lines.append(("path length", "at most \(CountText.text(length, "intermediate")) below it"))
        }
        let (permitted, excluded) = NameConstraints.texts(of: view)
        if !permitted.isEmpty { lines.append(("permits names", Self.listed(permitted))) }
        if !excluded.isEmpty { lines.append(("excludes names", Self.listed(excluded))) }
        lines += view.duplicateExtensions.map {
            ("doubled", "the extension \(OIDNames.name(of: $0)) stands more than once")
        }
        return lines
    }

    private static func list(_ der: [UInt8]) throws(DERError) -> [(String, String)] {
        let list = try CertificateList(der: der)
        let (first, count) = list.statements(upTo: Self.shownStatements)
        return [
            ("list", "of \(list.issuerDescription)" + (list.isDelta ? ", changes alone (a delta list)" : "")),
            ("from", "\(list.thisUpdate)"), ("until", list.nextUpdate.map { "\($0)" } ?? "not said"),
        ] + (list.number.map { [("number", JSONText.hexadecimal($0))] } ?? [])
            + [("revoked", count == 0 ? "no certificate" : CountText.text(count, "certificate"))]
            + Self.statements(first, of: count)
    }

    private static func response(_ der: [UInt8]) throws(DERError) -> [(String, String)] {
        do throws(DERError) {
            let response = try OCSPResponse(der: der)
            let (first, count) = response.statements(upTo: Self.shownStatements)
            return [
                ("response", "made at \(response.producedAt), about \(CountText.text(count, "certificate"))"),
                ("until", response.nextUpdate.map { "\($0)" } ?? "not said"),
            ] + Self.statements(first, of: count)
        } catch {
            guard error.code == .unsuccessfulResponse else { throw error }
            return [("response", "an error: the responder did not answer the question")]
        }
    }

    /// The most entries of one list or response that are shown.
    private static let shownStatements = 20

    private static func statements(_ first: [RevocationStatement], of count: Int) -> [(String, String)] {
        let lines = first.map { statement in
            let status =
                switch statement.status {
                case .good: "good"
                case .unknown: "unknown to the responder"
                case .revoked(let reason, let date):
                    "revoked\(date.map { " at \($0)" } ?? "")" + (reason == .unspecified ? "" : " (\(reason))")
                }
            let moment = statement.thisUpdate.map { ", as of \($0)" } ?? ""
            return ("serial", "\(JSONText.hexadecimal(statement.serialNumber)): \(status)\(moment)")
        }
        return lines + (count > first.count ? [("", "… and \(count - first.count) more")] : [])
    }

    private func message(_ der: [UInt8]) throws -> [(String, String)] {
        let certificates = try CertificateView.certificates(inCertificatesOnlyMessage: der)
        return [("PKCS#7", "\(certificates.count) \(certificates.count == 1 ? "certificate" : "certificates")")]
            + (try certificates.flatMap { try self.certificate($0.bytes) })
    }

    /// Returns the contents of a key store that opens without a password or with an empty one.
    private func keyStore(_ der: [UInt8]) throws -> [(String, String)] {
        do throws(PKCS12Error) {
            let file = try PKCS12File(der: der, password: nil)
            let (keys, certificates) = (file.keys.count, file.certificates.count)
            let counts = "\(CountText.text(keys, "key")), \(CountText.text(certificates, "certificate"))"
            return [("PKCS#12", counts + (file.usesPassword ? ", under an empty password" : ", without a password"))]
                + file.certificates.flatMap { (try? self.certificate($0.der)) ?? [("certificate", "cannot be read")] }
        } catch {
            switch error {
            case .wrongPassword, .unsupportedAlgorithm, .publicKeyIntegrity, .tooMuchWork: break
            case .malformed(let fault): throw fault
            case .tooLarge, .tooManyItems: return [("PKCS#12", "more than an identity has. It is not read")]
            }
            return [("PKCS#12", "certificates and keys, encrypted: openssl pkcs12 -in \(self.path) -nokeys")]
        }
    }

    private static func request(_ der: [UInt8]) throws(DERError) -> [(String, String)] {
        let request = try CertificateRequest(der: der)
        var facts = [("request", request.subject.isEmpty ? "for a certificate without a subject" : request.subject)]
        if !request.names.isEmpty { facts.append(("names", Self.listed(request.names))) }
        facts.append(("pin", "\(Pin(subjectPublicKeyInfo: request.subjectPublicKeyInfo))"))
        return facts
    }

    private static func listed(_ names: [String]) -> String {
        names.listed(upTo: 20)
    }
}

extension String {
    fileprivate func padded(to width: Int) -> String {
        self + String(repeating: " ", count: max(1, width - self.count))
    }
}
