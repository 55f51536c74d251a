//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import ArgumentParser
import ServerTrust
import ServerTrustNIO

/// The options for the client's certificate, shared by all commands that connect.
struct IdentityArguments: ParsableArguments {
    @Option(
        name: .customLong("cert"),
        help: ArgumentHelp(
            "The client's certificate for servers that ask for one: PEM, its issuers behind it, and the key in it or in --key.",
            discussion: "It is sent only to a server that asks, and only after it is trusted. FILE:PASSWORD gives the "
                + "password of an encrypted key. A colon that belongs to the name is written \\:, and a backslash \\\\. "
                + "Other users of this machine can see a password in a command line: --pass-file.",
            valueName: "file[:password]"),
        completion: .file(), transform: FileAndPassword.init)
    var certificate: FileAndPassword?

    @Option(
        name: .customLong("key"),
        help: ArgumentHelp("The key of --cert, in PEM, where it is in a file of its own.", valueName: "file"),
        completion: .file())
    var key: String?

    @Option(
        name: .customLong("p12"),
        help: ArgumentHelp(
            "The client's certificate and key in a PKCS#12 file.", discussion: "The same as --cert-type P12 --cert.",
            valueName: "file[:password]"),
        completion: .file(), transform: FileAndPassword.init)
    var keyStore: FileAndPassword?

    @Option(name: .customLong("cert-type"), help: "What the file of --cert is: PEM or P12. (default: PEM)")
    var givenType: IdentityFileType?

    @Option(
        name: .customLong("pass"),
        help: ArgumentHelp("The password of the client's key or PKCS#12 file.", valueName: "password"))
    var password: String?

    @Option(
        name: .customLong("pass-file"),
        help: ArgumentHelp("A file with that password in its first line.", valueName: "file"), completion: .file())
    var passwordFile: String?

    var given: [String] {
        [
            ("--cert", self.certificate != nil), ("--key", self.key != nil), ("--p12", self.keyStore != nil),
            ("--cert-type", self.givenType != nil), ("--pass", self.password != nil),
            ("--pass-file", self.passwordFile != nil),
        ].filter(\.1).map(\.0)
    }

    func validate() throws {
        let isKeyStore = self.givenType == .p12 || self.certificate == nil
        if self.certificate == nil, self.givenType != nil {
            throw ValidationError("--cert-type says what --cert is. Add --cert FILE")
        }
        if self.key != nil, isKeyStore {
            throw ValidationError("--key is the key of a certificate in PEM. Add --cert FILE, or leave it out")
        }
        let passwords = [self.password, self.passwordFile].compactMap(\.self)
        guard !passwords.isEmpty else { return }
        let files = [self.certificate, self.keyStore].compactMap(\.self)
        guard passwords.count == 1, files.count == 1, files[0].password == nil else {
            throw ValidationError(
                "--pass and --pass-file give the one password of one file. Give each password once, as FILE:PASSWORD or so"
            )
        }
    }

    /// Returns the identities, that of `--cert` first.
    ///
    /// - Throws: ``CommandError``, which names the file.
    func identities() throws(CommandError) -> [TLSIdentity] {
        let password = try self.sharedPassword()
        var identities: [TLSIdentity] = []
        if let file = self.certificate {
            let password = file.password ?? password
            identities.append(
                try self.givenType == .p12 ? Self.keyStore(file.path, password) : self.pem(file.path, password))
        }
        if let file = self.keyStore { identities.append(try Self.keyStore(file.path, file.password ?? password)) }
        return identities
    }

    private func sharedPassword() throws(CommandError) -> String? {
        guard let passwordFile else { return self.password }
        let contents = try Self.contents(passwordFile)
        return String(decoding: contents.prefix { $0 != 0x0A && $0 != 0x0D }, as: UTF8.self)
    }

    private func pem(_ path: String, _ password: String?) throws(CommandError) -> TLSIdentity {
        let chain = try Self.contents(path)
        guard FileKind(of: chain) != .encoded(.keyStore) else {
            throw CommandError("\(path): this is a PKCS#12 file. Give it with --p12")
        }
        let key = try self.key.map { path throws(CommandError) in try Self.contents(path) } ?? chain
        try self.checkParts(path, chain: chain, key: key)
        do {
            return try TLSIdentity(
                pem: String(decoding: chain, as: UTF8.self), key: String(decoding: key, as: UTF8.self),
                password: password)
        } catch {
            let isOfKey = error.code != .unreadableCertificate && error.code != .keyOfAnotherCertificate
            throw CommandError("\(isOfKey ? self.key ?? path : path): \(error)")
        }
    }

    /// Refuses a file without the part that its option names, if it has the other part.
    private func checkParts(_ path: String, chain: [UInt8], key: [UInt8]) throws(CommandError) {
        let (certificate, privateKey) = ("-----BEGIN CERTIFICATE-----".utf8, "PRIVATE KEY-----".utf8)
        if !chain.contains(certificate), chain.contains(privateKey) {
            throw CommandError(
                "\(path): it has a private key and no certificate. Give the certificate with --cert and this file with --key"
            )
        }
        guard !key.contains(privateKey), key.contains(certificate) else { return }
        throw CommandError(
            self.key.map { "\($0): it has a certificate and no private key. Give the file with the private key" }
                ?? "\(path): it has a certificate and no private key. Give the file with the key: --key FILE")
    }

    private static func keyStore(_ path: String, _ password: String?) throws(CommandError) -> TLSIdentity {
        let contents = try Self.contents(path)
        if case .pem = FileKind(of: contents) {
            throw CommandError(
                "\(path): this is PEM, and no PKCS#12 file. Give it with --cert, and its key with --key if that is in a file "
                    + "of its own")
        }
        do { return try TLSIdentity(pkcs12: contents, password: password) } catch {
            throw CommandError("\(path): \(error)")
        }
    }

    private static func contents(_ path: String) throws(CommandError) -> [UInt8] {
        do { return try BoundedFile.read(path, maximumSize: 1 << 20) } catch { throw CommandError("\(error)") }
    }
}

/// The type of a file with the client's certificate.
enum IdentityFileType: String, CaseIterable, ExpressibleByArgument {
    case pem = "PEM"
    case p12 = "P12"

    init?(argument: String) { self.init(rawValue: argument.uppercased()) }
}

/// A value `FILE[:PASSWORD]` in curl's notation: `\:` is a colon of the name, and `\\` a backslash.
struct FileAndPassword: Sendable, Hashable {
    let path: String
    /// The text after the first colon, including further colons, or `nil` if there is no colon.
    let password: String?

    init(_ text: String) throws {
        var path = ""
        var rest = text[...]
        while let character = rest.first, character != ":" {
            rest = rest.dropFirst()
            if character == "\\", let next = rest.first, next == ":" || next == "\\" {
                path.append(next)
                rest = rest.dropFirst()
            } else {
                path.append(character)
            }
        }
        guard !path.isEmpty else { throw CommandError("give FILE or FILE:PASSWORD. The name of the file is missing") }
        self.path = path
        self.password = rest.isEmpty ? nil : String(rest.dropFirst())
    }
}
