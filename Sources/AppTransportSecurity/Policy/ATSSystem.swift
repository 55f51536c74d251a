//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

public import TLSWire

/// A release of one of Apple's systems.
///
/// Its properties are the differences between releases that concern App Transport Security.
public struct ATSSystem: Sendable, Hashable {
    /// A system of Apple.
    public enum Platform: String, Sendable, Hashable, CaseIterable {
        /// iOS and iPadOS.
        case iOS = "ios"
        /// macOS.
        case macOS = "macos"
        /// tvOS.
        case tvOS = "tvos"
        /// watchOS.
        case watchOS = "watchos"
        /// visionOS.
        case visionOS = "visionos"
    }

    /// The system of the release.
    public let platform: Platform
    /// The first number of the release.
    public let major: Int
    /// The second number of the release.
    public let minor: Int

    /// Creates a release from its numbers.
    public init(_ platform: Platform, _ major: Int, minor: Int = 0) {
        self.platform = platform
        self.major = major
        self.minor = minor
    }

    /// Reads a release from text such as `ios26`, `iOS 17.4`, `macos10.13` or `visionos-2`, or returns `nil` for other text.
    public init?(_ text: String) {
        let text = text.lowercased()
        let letters = text.prefix { $0.isASCII && $0.isLetter }
        guard let platform = letters == "ipados" ? .iOS : Platform(rawValue: String(letters)) else { return nil }
        var rest = text.dropFirst(letters.count)
        if rest.first == " " || rest.first == "-" { rest = rest.dropFirst() }
        let parts = rest.split(separator: ".", omittingEmptySubsequences: false)
        let numbers = parts.compactMap { $0.utf8.allSatisfy { (0x30...0x39).contains($0) } ? Int($0) : nil }
        guard (1...3).contains(parts.count), numbers.count == parts.count, numbers.allSatisfy({ $0 < 1_000 }) else {
            return nil
        }
        self.init(platform, numbers[0], minor: numbers.count > 1 ? numbers[1] : 0)
    }

    /// The newest release, iOS 27 of 2026, which is the default.
    public static let newest = ATSSystem(.iOS, 27)
}

// MARK: - Existing releases

extension ATSSystem {
    /// `true` if the release exists. A text may name others.
    public var isKnown: Bool {
        let minors = self.platform == .macOS && self.major == 10 ? 0...15 : 0...9
        return minors.contains(self.minor) && Self.majors(of: self.platform).contains { $0.contains(self.major) }
    }

    /// All existing releases in words.
    public static let knownReleases = Platform.allCases.map { platform in
        let numbers = Self.majors(of: platform).map { "\($0.lowerBound) to \($0.upperBound)" }
        return "\(platform.rawValue) \(numbers.joined(separator: " and "))"
    }.joined(separator: ", ")

    /// Returns the first numbers of a system's releases. Since 2025 a release has the number of the following year.
    private static func majors(of platform: Platform) -> [ClosedRange<Int>] {
        let before: ClosedRange<Int> =
            switch platform {
            case .iOS: 1...18
            case .macOS: 10...15
            case .tvOS: 9...18
            case .watchOS: 1...11
            case .visionOS: 1...2
            }
        return [before, 26...Self.newest.major]
    }
}

extension ATSSystem: CustomStringConvertible {
    /// The usual spelling of the release, such as `iOS 26.4`.
    public var description: String {
        let name = self.platform == .macOS ? "macOS" : "\(self.platform)"
        return "\(name) \(self.major)" + (self.minor > 0 ? ".\(self.minor)" : "")
    }
}

// MARK: - Differences

extension ATSSystem {
    /// The iOS release of the same time as a single number: 18.4 is 1804.
    private var generation: Int {
        // Numbers without a release count as the nearest possible one.
        let (number, point) = (min(max(self.major, 0), 9_999), min(max(self.minor, 0), 99))
        let (major, minor): (Int, Int) =
            switch self.platform {
            case .iOS, .tvOS: (number, point)
            case .macOS where number == 10: (point - 2, 0)
            case .macOS where number < 26: (number + 3, point)
            case .watchOS where number < 26: (number + 7, point)
            case .visionOS where number < 26: (number + 16, point)
            case .macOS, .watchOS, .visionOS: (number, point)
            }
        return major * 100 + minor
    }

    /// Returns the release of the same platform that appeared together with a release of iOS.
    func counterpart(ofIOS major: Int, _ minor: Int = 0) -> ATSSystem {
        guard major < 26 else { return ATSSystem(self.platform, major, minor: minor) }
        return switch self.platform {
        case .iOS, .tvOS: ATSSystem(self.platform, major, minor: minor)
        case .macOS: major < 14 ? ATSSystem(.macOS, 10, minor: major + 2) : ATSSystem(.macOS, major - 3, minor: minor)
        case .watchOS: ATSSystem(.watchOS, major - 7, minor: minor)
        case .visionOS: ATSSystem(.visionOS, max(major - 16, 1), minor: minor)
        }
    }

    /// `true` if the system has App Transport Security, since iOS 9.
    public var hasAppTransportSecurity: Bool { self.generation >= 900 }

    /// `true` if the system reads global keys other than `NSAllowsArbitraryLoads`, and local hosts need no TLS, since iOS 10.
    var readsAllGlobalKeys: Bool { self.generation >= 1_000 }

    /// `true` if the system reads `NSPinnedDomains`, since iOS 14.
    var readsPinnedDomains: Bool { self.generation >= 1_400 }

    /// `true` if exceptions may be addresses and blocks, since iOS 17. Since then, only the addresses of this machine and this link
    /// are local. Before, every address was local.
    public var readsAddressExceptions: Bool { self.generation >= 1_700 }

    /// The oldest supported version of TLS, regardless of exceptions: TLS 1.2 since iOS 26.
    public var minimumTLSVersion: TLSProtocolVersion { self.generation >= 2_600 ? .tls12 : .tls10 }

    /// The newest version of TLS that is enabled by default: TLS 1.3 since iOS 12.2 and macOS 10.14.4.
    ///
    /// A release has no third number here, so macOS 10.14 counts as one without TLS 1.3.
    public var maximumTLSVersion: TLSProtocolVersion { self.generation >= 1_202 ? .tls13 : .tls12 }

    /// `true` if the system offers the hybrid group with ML-KEM, since iOS 26 (support.apple.com/122756).
    var offersHybridGroup: Bool { self.generation >= 2_600 }

    /// `true` if the system reads NIAP's keys, since iOS 26.4.
    public var readsNIAPKeys: Bool { self.generation >= 2_604 }

    /// `true` if device management requires FCP_v2.1, since iOS 27.
    public var managementRequiresFCP: Bool { self.generation >= 2_700 }
}
