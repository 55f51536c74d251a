//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import ArgumentParser
import HTTPAuthentication
import HTTPSession

/// Who asks, with curl's names.
struct GetAuthenticationOptions: ParsableArguments {
    @Option(
        name: [.customShort("u"), .customLong("user")], parsing: .unconditional,
        help: ArgumentHelp(
            "User and password for the server; Basic, at once, unless an option says otherwise.",
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

    func validate() throws {
        if self.user != nil, self.token != nil {
            throw ValidationError("--user and --oauth2-bearer both say who asks; give one of them")
        }
        if self.user == nil, self.isBasic || self.isDigest || self.isAny { return }
        _ = try self.credential()
    }

    /// The credential for the first server; `nil` for none. `hasUserInURL` asks for the schemes alone.
    func credential() throws -> HTTPRequestCredential? {
        if let token { return HTTPRequestCredential(try HTTPCredential(token: token), schemes: .bearer) }
        return try self.user.map { try Self.credential($0, self.scheme) }
    }

    /// How user and password are shown.
    var scheme: UserScheme {
        if self.isAny { return .any }
        if self.isDigest { return self.isBasic ? .any : .digest }
        return .basic
    }

    /// How user and password are shown.
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

    static func credential(_ text: String, _ scheme: UserScheme) throws -> HTTPRequestCredential {
        let colon = text.firstIndex(of: ":")
        let credential = try HTTPCredential(
            user: String(text[..<(colon ?? text.endIndex)]),
            password: colon.map { String(text[text.index(after: $0)...]) } ?? "")
        return HTTPRequestCredential(credential, schemes: scheme.schemes, sendsBasicUnasked: scheme == .basic)
    }
}
