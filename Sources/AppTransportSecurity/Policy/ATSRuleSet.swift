//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import ConfigurationDocuments

/// The rules that a system reads from a dictionary, with their defaults.
struct ATSRuleSet: Sendable {
    /// The switches for all hosts without an exception. A switch is `nil` if its key is missing or not read.
    struct Globals: Sendable {
        var arbitraryLoads: ATSEntry<ATSFlag>?
        var media: ATSEntry<ATSFlag>?
        var webContent: ATSEntry<ATSFlag>?
        var localNetworking: ATSEntry<ATSFlag>?
        var package: NIAPTLSPackage?
    }

    /// An exception with all defaults filled in.
    struct Exception: Sendable {
        let name: String
        let position: TextPosition?
        let isBuiltIn: Bool
        var includesSubdomains = false
        var allowsInsecureHTTP = false
        var minimumTLSVersion = ATSMinimumVersion.tls12
        var requiresForwardSecrecy = true
        var package: NIAPTLSPackage?

        var matched: ATSMatchedException {
            ATSMatchedException(name: self.name, position: self.position, isBuiltIn: self.isBuiltIn)
        }
    }

    let globals: Globals
    let exceptions: [Exception]
    let spellings: AddressSpellings

    init(_ dictionary: ATSDictionary, _ system: ATSSystem, strictness: ATSStrictness) {
        var globals = Globals()
        globals.arbitraryLoads = dictionary.allowsArbitraryLoads
        if system.readsAllGlobalKeys {
            globals.media = dictionary.allowsArbitraryLoadsForMedia
            globals.webContent = dictionary.allowsArbitraryLoadsInWebContent
            globals.localNetworking = dictionary.allowsLocalNetworking
        }
        let readsNIAP = system.readsNIAPKeys
        globals.package = readsNIAP ? Self.package(dictionary.requiresNIAPTLSPackageVersion) : nil
        self.globals = globals
        // The app's exceptions replace the system's of the same name, so they come later.
        var exceptions =
            Self.builtIn + dictionary.exceptionDomains.map { Self.exception($0, strictness, readsNIAP: readsNIAP) }
        self.spellings = AddressSpellings(exceptions, strictness)
        self.spellings.strengthen(&exceptions)
        self.exceptions = exceptions
    }

    /// Creates the exception of an entry, without regard to others.
    static func exception(
        _ domain: ATSExceptionDomain, _ strictness: ATSStrictness, readsNIAP: Bool
    ) -> Exception {
        var exception = Exception(name: domain.name, position: domain.position, isBuiltIn: false)
        exception.includesSubdomains = domain.includesSubdomains?.value.isOn ?? false
        exception.allowsInsecureHTTP = domain.allowsInsecureHTTPLoads?.value.isOn ?? false
        exception.requiresForwardSecrecy = domain.requiresForwardSecrecy?.value.isOn ?? true
        if let minimum = domain.minimumTLSVersion.flatMap({ ATSMinimumVersion(text: $0.value, strictness) }) {
            exception.minimumTLSVersion = minimum
        }
        exception.package = readsNIAP ? Self.package(domain.requiresNIAPTLSPackageVersion) : nil
        return exception
    }

    private static func package(_ text: ATSEntry<String>?) -> NIAPTLSPackage? {
        text.flatMap { NIAPTLSPackage($0.value) }
    }

    /// The system's exceptions for every process (SecProtocolTypes.m, `create_with_builder`).
    private static let builtIn: [Exception] = [
        ("apple.com", .tls12), ("ls.apple.com", .tls10), ("gs.apple.com", .tls10), ("geo.apple.com", .tls10),
        ("is.autonavi.com", .tls10), ("apple-mapkit.com", .tls10), ("setup.icloud.com", .tls12),
    ].map { (name: String, minimum: ATSMinimumVersion) in
        var exception = Exception(name: name, position: nil, isBuiltIn: true)
        (exception.includesSubdomains, exception.allowsInsecureHTTP) = (true, true)
        (exception.requiresForwardSecrecy, exception.minimumTLSVersion) = (false, minimum)
        return exception
    }
}

extension ATSMinimumVersion {
    /// Creates the version that a text names in a reading of the rules, or returns `nil` for other text, which keeps the default.
    init?(text: String, _ strictness: ATSStrictness) {
        guard let version = ATSMinimumVersion(rawValue: text), strictness == .engine || version.version != nil else {
            return nil
        }
        self = version
    }
}
