//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import Crypto

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// The contents of a credential file: a line with the version, a line with the SHA-256 of the remaining octets, and JSON.
///
/// The digest detects damaged passwords.
struct CredentialDocument: Codable {
    struct Space: Codable {
        var host: String
        var port: Int?
        var `protocol`: String?
        var realm: String?
        var method: String
        var proxy: String?
        var users: [User]
        var `default`: User?
    }

    struct User: Codable {
        var user: String
        var password: String
    }

    /// The error for contents that ``contents`` did not write.
    struct Damaged: Error {}

    var spaces: [Space]

    private static let magic = Array("servertrust-credentials 1\n".utf8)
    private static let headerSize = magic.count + 65

    // MARK: Octets

    init(_ contents: [UInt8]) throws(Damaged) {
        guard contents.starts(with: Self.magic), contents.count > Self.headerSize else { throw Damaged() }
        let body = contents[Self.headerSize...]
        guard contents[Self.magic.count..<Self.headerSize].elementsEqual(Self.digestLine(of: body)) else {
            throw Damaged()
        }
        // The decoder's error is dropped, as it may contain passwords.
        guard let document = try? JSONDecoder().decode(Self.self, from: Data(body)) else { throw Damaged() }
        self = document
    }

    var contents: [UInt8] {
        get throws {
            let encoder = JSONEncoder()
            encoder.outputFormatting = [.sortedKeys]
            let body = Array(try encoder.encode(self))
            return Self.magic + Self.digestLine(of: body[...]) + body
        }
    }

    private static func digestLine(of body: ArraySlice<UInt8>) -> [UInt8] {
        let digits = Array("0123456789abcdef".utf8)
        return SHA256.hash(data: body).flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] } + [0x0A]
    }
}

// MARK: - Tables

extension CredentialDocument {
    /// Creates a document with the permanent passwords of a table.
    init(_ table: CredentialTable) {
        self.spaces = table.entries.map { key, entry in
            Space(
                host: key.host.text, port: key.port, protocol: key.protocol?.rawValue,
                realm: key.realm.map { String(decoding: $0, as: UTF8.self) }, method: key.method.rawValue,
                proxy: key.proxyType?.rawValue, users: entry.sorted.compactMap(User.init),
                default: entry.defaultCredential.flatMap(User.init))
        }
    }

    /// The table from which the document was made.
    var table: CredentialTable {
        get throws(Damaged) {
            var table = CredentialTable()
            for space in self.spaces {
                let key = try space.key
                guard table.entries[key] == nil else { throw Damaged() }
                table.entries[key] = try space.entry
            }
            return table
        }
    }
}

extension CredentialDocument.Space {
    fileprivate var key: ProtectionSpace.Key {
        get throws(CredentialDocument.Damaged) {
            let proxyType = self.proxy.flatMap(ProtectionSpace.ProxyType.init(rawValue:))
            guard let host = try? Host(self.host), let method = AuthenticationMethod(rawValue: self.method),
                (proxyType == nil) == (self.proxy == nil)
            else { throw CredentialDocument.Damaged() }
            return ProtectionSpace.Key(
                host: host, port: self.port,
                protocol: self.protocol.map(ProtectionSpace.ServerProtocol.init(rawValue:)),
                realm: self.realm.map { Array($0.utf8) }, method: method, proxyType: proxyType)
        }
    }

    fileprivate var entry: CredentialTable.Entry {
        get throws(CredentialDocument.Damaged) {
            var entry = CredentialTable.Entry(defaultCredential: self.default?.credential)
            for user in self.users {
                guard entry.credentials.updateValue(user.credential, forKey: Array(user.user.utf8)) == nil else {
                    throw CredentialDocument.Damaged()
                }
            }
            return entry
        }
    }
}

extension CredentialDocument.User {
    fileprivate init?(_ credential: Credential) {
        guard let user = credential.user, let password = credential.password else { return nil }
        self.init(user: user, password: password)
    }

    fileprivate var credential: Credential {
        Credential(user: self.user, password: self.password, persistence: .permanent)
    }
}
