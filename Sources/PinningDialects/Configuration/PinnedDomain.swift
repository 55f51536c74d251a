//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

public import ConfigurationDocuments
public import ServerTrust

/// A domain of a configuration with the requirements on paths to its hosts.
///
/// A domain covers one host, and its sub-domains according to ``subdomains``. In a configuration in which the most specific
/// domain applies, a domain without pins exempts its hosts from the pins of a parent domain.
public struct PinnedDomain: Sendable, Hashable {
    /// The hosts below a domain that share its settings.
    ///
    /// Dialects differ in the sub-domains that they can express. A ``PinningWriter`` reports a host set that its dialect cannot
    /// express.
    public enum Subdomains: String, Sendable, Hashable, CaseIterable {
        /// The domain alone.
        case none
        /// Names with one more label, without the domain itself: `*.`.
        case oneLabelOnly = "one-label-only"
        /// The domain and names with one more label: `NSIncludesSubdomains`.
        case oneLabel = "one-label"
        /// The domain and names with any number of additional labels: `includeSubdomains`, `**.`.
        case anyDepth = "any-depth"
    }

    /// The DNS name or IP address.
    public var host: String
    /// The sub-domains that the entry covers.
    public var subdomains: Subdomains
    /// The port, or `nil` if the entry covers every port.
    public var port: Int?
    /// The pins, or `nil` if the hosts are not pinned. Where only the most specific domain applies, an entry without pins exempts
    /// its hosts from the pins of a parent domain.
    public var pins: PinSet?
    /// The trust anchors, or `nil` for the evaluation's own anchors.
    public var anchors: AnchorSources?
    /// The severity of a missing backup pin. Without a backup, a lost key makes the host unreachable.
    public var backup = PinSet.BackupRule.warn
    /// The URLs that mismatches are reported to.
    public var reportURIs: [String] = []
    /// The position in the file, or `nil` if the domain was not read from text.
    public var position: TextPosition?
    /// The names of other domains that add pins to this one, in the form shown to people.
    package internal(set) var additions: [String] = []

    /// Creates a domain.
    ///
    /// - Parameters:
    ///   - host: A DNS name or an IP address.
    ///   - subdomains: The sub-domains that the entry covers.
    ///   - port: The port, or `nil` for every port.
    ///   - pins: The pins, or `nil` if the hosts are not pinned.
    public init(_ host: String, subdomains: Subdomains = .none, port: Int? = nil, pins: PinSet?) {
        self.host = host
        self.subdomains = subdomains
        self.port = port
        self.pins = pins
    }

    /// Returns the host patterns of the domain.
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
    /// Returns `true` if the domain covers a host below its own name.
    func isAbout(hostBelow name: String) -> Bool {
        switch self.subdomains {
        case .none: false
        case .oneLabelOnly, .oneLabel: Host.parent(of: name[...]).map { $0 == self.host } ?? false
        case .anyDepth: name.hasSuffix("." + self.host)
        }
    }
}

extension PinnedDomain.Subdomains {
    /// Creates the set of sub-domains that a pattern of this breadth covers.
    init(_ breadth: HostPattern.Breadth) {
        self =
            switch breadth {
            case .exact: .none
            case .oneLabel: .oneLabelOnly
            case .anyDepth: .anyDepth
            }
    }
}

/// The trust anchors of a domain, as in Android's `trust-anchors`.
///
/// The anchors of a domain replace those of the evaluation. ``classes`` selects among the evaluation's own anchors, and
/// ``certificates`` adds further ones.
public struct AnchorSources: Sendable, Hashable {
    /// The permitted classes of the evaluation's own anchors, such as the system's or the administrator's.
    public var classes: Set<AnchorClass>
    /// Additional trust anchors.
    public var certificates: [Certificate]

    /// Creates a set of anchors.
    ///
    /// - Parameters:
    ///   - classes: The permitted classes of the evaluation's own anchors.
    ///   - certificates: Additional trust anchors.
    public init(classes: Set<AnchorClass>, certificates: [Certificate] = []) {
        self.classes = classes
        self.certificates = certificates
    }
}
