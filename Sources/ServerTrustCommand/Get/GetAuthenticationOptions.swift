//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import ArgumentParser
import HTTPSession
import ServerTrust
import ServerTrustNIO

/// The options for authentication, with curl's names.
struct GetAuthenticationOptions: ParsableArguments {
    @Option(
        name: [.customShort("u"), .customLong("user")], parsing: .unconditional,
        help: ArgumentHelp(
            "User and password for the server. Basic, at once, unless an option says otherwise.",
            valueName: "user:password"))
    var user: String?

    @Flag(name: .customLong("basic"), help: "Show them by Basic, at once.")
    var isBasic = false

    @Flag(name: .customLong("digest"), help: "Show them by Digest alone, once the server asks.")
    var isDigest = false

    @Flag(name: .customLong("anyauth"), help: "Show them as the server asks: by Digest rather than by Basic.")
    var isAny = false

    @Option(
        name: .customLong("oauth2-bearer"), parsing: .unconditional,
        help: ArgumentHelp("A token for the server.", valueName: "token"))
    var token: String?

    @Flag(
        name: [.customShort("n"), .customLong("netrc")],
        help: "Take user and password for the host of the URL from ~/.netrc, rather than from the URL.")
    var readsNetrc = false

    @Flag(
        name: .customLong("netrc-optional"),
        help: "The same, where there is such a file and the URL has no password.")
    var mayReadNetrc = false

    @Option(
        name: .customLong("netrc-file"), parsing: .unconditional,
        help: ArgumentHelp("The file in place of ~/.netrc.", valueName: "file"), completion: .file())
    var netrcFile: String?

    func validate() throws {
        if self.user != nil, self.token != nil {
            throw ValidationError("--user and --oauth2-bearer are both credentials. Give one of them")
        }
        if self.user == nil, self.token == nil { return }
        _ = try self.credential()
    }

    /// Returns the credential for the first server, or `nil` if there is none.
    func credential() throws -> HTTPRequestCredential? {
        if let token { return HTTPRequestCredential(try HTTPCredential(token: token), schemes: .bearer) }
        return try self.user.map { try Self.credential($0, self.scheme) }
    }

    var scheme: UserScheme {
        if self.isAny { return .any }
        if self.isDigest { return self.isBasic ? .any : .digest }
        return .basic
    }

    /// The authentication schemes for user and password.
    enum UserScheme {
        case basic
        case digest
        case any

        var schemes: HTTPAuthenticationSchemes {
            switch self {
            case .basic: .basic
            case .digest: .digest
            case .any: [.basic, .digest]
            }
        }
    }

    /// Reads the file of users and passwords that the options name. Returns `nil` if they name none.
    ///
    /// - Parameter home: The home folder of the user, or `nil` if it is not known.
    /// - Throws: ``CommandError`` if a required file cannot be read.
    func netrc(home: String?) throws -> NetrcText? {
        guard self.user == nil, self.token == nil, self.readsNetrc || self.mayReadNetrc || self.netrcFile != nil else {
            return nil
        }
        guard let path = self.netrcFile ?? home.map({ "\($0)/.netrc" }) else {
            throw CommandError("the folder of ~/.netrc is not known. Name the file with --netrc-file")
        }
        do {
            return NetrcText(try BoundedFile.read(path))
        } catch {
            guard self.mayReadNetrc else { throw CommandError("\(error)") }
            return nil
        }
    }

    func credential(at url: HTTPURL, _ netrc: NetrcText?) throws -> HTTPRequestCredential? {
        if let credential = try self.credential() { return credential }
        var credential = try self.credentialOfHost(url, netrc)
        credential?.isForOriginAlone = true
        return credential
    }

    /// Returns the credential from the URL or from the file of passwords.
    private func credentialOfHost(_ url: HTTPURL, _ netrc: NetrcText?) throws -> HTTPRequestCredential? {
        let written = url.userInformation
        let prefersURL = self.mayReadNetrc && written?.password.isEmpty == false
        let user = written.flatMap { $0.user.isEmpty ? nil : $0.user }
        if !prefersURL, let credential = try netrc?.credential(forHost: url.host.text, user: user) {
            return HTTPRequestCredential(
                credential, schemes: self.scheme.schemes, sendsBasicUnasked: self.scheme == .basic)
        }
        return try written.map { try Self.credential("\($0.user):\($0.password)", self.scheme) }
    }

    static func credential(_ text: String, _ scheme: UserScheme) throws -> HTTPRequestCredential {
        let colon = text.firstIndex(of: ":")
        let credential = try HTTPCredential(
            user: String(text[..<(colon ?? text.endIndex)]),
            password: colon.map { String(text[text.index(after: $0)...]) } ?? "")
        return HTTPRequestCredential(credential, schemes: scheme.schemes, sendsBasicUnasked: scheme == .basic)
    }
}
