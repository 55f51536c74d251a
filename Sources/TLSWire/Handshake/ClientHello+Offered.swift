//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// What a hello offers, read off its extensions: an answer is held against what was sent, and nothing else.
extension ClientHello {
    /// The newest version.
    var newestVersion: TLSProtocolVersion {
        self.versions.filter { !$0.rawValue.isGREASE }.max() ?? self.legacyVersion
    }

    /// Whether a version may be the answer. Without the extension that is each one up to the hello's.
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

    /// Whether an extension was sent, which alone may be answered (RFC 8446 §4.2).
    func offers(_ type: HelloExtension.ExtensionType) -> Bool {
        !type.rawValue.isGREASE && self.content(of: type) != nil
    }

    /// The protocols of ALPN.
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

    /// The numbers of two octets that an extension lists behind their length.
    private func numbers(in type: HelloExtension.ExtensionType, behind prefix: Int) -> [UInt16] {
        var reader = OctetReader((self.content(of: type) ?? []).dropFirst(prefix))
        var numbers: [UInt16] = []
        while let number = try? reader.readUInt16() { numbers.append(number) }
        return numbers
    }
}

extension ClientHello {
    /// The hello that answers a HelloRetryRequest: the same with the key that was asked for, and with the server's cookie
    /// (RFC 8446 §4.1.2).
    ///
    /// - Parameters:
    ///   - key: The key; `nil` where the server wants a cookie back and no other key.
    ///   - cookie: The cookie's extension; `nil` without a cookie.
    func retried(with key: HandshakeKey?, cookie: HelloExtension?) -> ClientHello {
        var hello = self
        // RFC 8446 §5.1: only the first hello may say less.
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
