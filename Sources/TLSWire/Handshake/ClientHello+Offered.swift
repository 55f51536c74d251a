//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// The offers of a hello, read from its fields and extensions. An answer is compared with the sent hello and nothing else.
extension ClientHello {
    var newestVersion: TLSProtocolVersion {
        self.versions.filter { !$0.rawValue.isGREASE }.max() ?? self.legacyVersion
    }

    /// Returns `true` if the server may choose a version. Without `supported_versions` it may choose any up to the hello's.
    func offers(_ version: TLSProtocolVersion) -> Bool {
        let versions = self.versions
        guard !versions.isEmpty else { return version <= self.legacyVersion }
        return !version.rawValue.isGREASE && versions.contains(version)
    }

    func offers(_ group: NamedGroup) -> Bool {
        !group.isGREASE && self.numbers(in: .supportedGroups, behind: 2).contains(group.rawValue)
    }

    func offers(_ scheme: SignatureScheme) -> Bool {
        !scheme.isGREASE && self.numbers(in: .signatureAlgorithms, behind: 2).contains(scheme.rawValue)
    }

    func offers(_ suite: CipherSuite) -> Bool { !suite.isGREASE && self.cipherSuites.contains(suite) }

    /// Returns `true` if an extension was sent. Only then may the server answer it (RFC 8446 §4.2).
    func offers(_ type: HelloExtension.ExtensionType) -> Bool {
        !type.rawValue.isGREASE && self.content(of: type) != nil
    }

    var applicationProtocols: [[UInt8]] {
        var names: [[UInt8]] = []
        var reader = OctetReader((self.content(of: .applicationProtocols) ?? []).dropFirst(2))
        while let name = try? reader.readVector8() { names.append(Array(name)) }
        return names
    }

    private var versions: [TLSProtocolVersion] {
        self.numbers(in: .supportedVersions, behind: 1).map(TLSProtocolVersion.init)
    }

    private func content(of type: HelloExtension.ExtensionType) -> [UInt8]? {
        self.extensions?.first { $0.type == type }?.content
    }

    /// Reads the list of 16-bit numbers in an extension, after the octets of its length.
    private func numbers(in type: HelloExtension.ExtensionType, behind prefix: Int) -> [UInt16] {
        var reader = OctetReader((self.content(of: type) ?? []).dropFirst(prefix))
        var numbers: [UInt16] = []
        while let number = try? reader.readUInt16() { numbers.append(number) }
        return numbers
    }
}

extension ClientHello {
    /// Returns the hello that answers a HelloRetryRequest: the same with the requested key and the server's cookie (RFC 8446
    /// §4.1.2).
    ///
    /// - Parameters:
    ///   - key: The requested key, or `nil` if the server only requests its cookie.
    ///   - cookie: The extension with the cookie, or `nil` if there is none.
    func retried(with key: HandshakeKey?, cookie: HelloExtension?) -> ClientHello {
        var hello = self
        // RFC 8446 §5.1: only the first hello may have a lower version.
        hello.recordVersion = .tls12
        if let key {
            hello.extensions = hello.extensions?.map { element in
                element.type == .keyShare ? .keyShare([(key.group, key.share)]) : element
            }
        }
        if let cookie { hello.extensions?.append(cookie) }
        return hello
    }
}
