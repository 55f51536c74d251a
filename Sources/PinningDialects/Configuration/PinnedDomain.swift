//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

public import ConfigurationDocuments
public import ServerTrust

/// One domain of a configuration: its hosts, and what a path to them must have.
public struct PinnedDomain: Sendable, Hashable {
    /// Which hosts besides the domain itself are meant.
    public enum Subdomains: String, Sendable, Hashable, CaseIterable {
        /// None: the domain alone.
        case none
        /// Names with one label more, and not the domain itself: `*.`.
        case oneLabelOnly = "one-label-only"
        /// The domain, and names with one label more: `NSIncludesSubdomains`.
        case oneLabel = "one-label"
        /// The domain, and names with any number of labels more: `includeSubdomains`, `**.`.
        case anyDepth = "any-depth"
    }

    /// The domain: a DNS name or an IP address.
    public var host: String
    /// Which hosts besides it are meant.
    public var subdomains: Subdomains
    /// The port; `nil` for every port.
    public var port: Int?
    /// What is pinned; `nil` when nothing is, which takes a sub-domain out of what its parent says.
    public var pins: PinSet?
    /// What is trusted; `nil` for what the evaluation trusts anyway.
    public var anchors: AnchorSources?
    /// What is said of pins without a second one, for the day the first one's key is lost.
    public var backup = PinSet.BackupRule.warn
    /// Where mismatches are reported to, as URLs.
    public var reportURIs: [String] = []
    /// Where it is written; `nil` when it was not read from text.
    public var position: TextPosition?
    /// The other domains whose pins count here too, each as a person calls it.
    package internal(set) var additions: [String] = []

    /// A domain.
    ///
    /// - Parameters:
    ///   - host: A DNS name or an IP address.
    ///   - subdomains: Which hosts besides it are meant.
    ///   - port: The port; `nil` for every port.
    ///   - pins: What is pinned; `nil` for nothing.
    public init(_ host: String, subdomains: Subdomains = .none, port: Int? = nil, pins: PinSet?) {
        self.host = host
        self.subdomains = subdomains
        self.port = port
        self.pins = pins
    }

    /// The patterns of its hosts.
    ///
    /// - Throws: `HostPatternError` when the host is not valid.
    public func patterns() throws(HostPatternError) -> [HostPattern] {
        let breadths: [HostPattern.Breadth] =
            switch self.subdomains {
            case .none: [.exact]
            case .oneLabelOnly: [.oneLabel]
            case .oneLabel: [.exact, .oneLabel]
            case .anyDepth: [.anyDepth]
            }
        var patterns: [HostPattern] = []
        for breadth in breadths {
            patterns.append(try HostPattern(host: self.host, breadth: breadth, port: self.port))
        }
        return patterns
    }
}

extension PinnedDomain {
    /// Whether a host below the domain's own name is among its hosts.
    func isAbout(hostBelow name: String) -> Bool {
        switch self.subdomains {
        case .none: false
        case .oneLabelOnly, .oneLabel: Host.parent(of: name[...]).map { $0 == self.host } ?? false
        case .anyDepth: name.hasSuffix("." + self.host)
        }
    }
}

extension PinnedDomain.Subdomains {
    /// The hosts besides a domain that one pattern of it stands for.
    init(_ breadth: HostPattern.Breadth) {
        self =
            switch breadth {
            case .exact: .none
            case .oneLabel: .oneLabelOnly
            case .anyDepth: .anyDepth
            }
    }
}

/// What a domain trusts, as Android's `trust-anchors` say it.
public struct AnchorSources: Sendable, Hashable {
    /// The classes of the evaluation's own anchors that count: the system's, and those its administrator added.
    public var classes: Set<AnchorClass>
    /// Certificates besides.
    public var certificates: [Certificate]

    /// Sources.
    ///
    /// - Parameters:
    ///   - classes: The classes of the evaluation's own anchors that count.
    ///   - certificates: Certificates besides.
    public init(classes: Set<AnchorClass>, certificates: [Certificate] = []) {
        self.classes = classes
        self.certificates = certificates
    }
}
