// swift-tools-version: 6.2
//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import PackageDescription

/// The upcoming features of the language that swift-server-trust is compiled with.
let settings: [SwiftSetting] = [
    .enableUpcomingFeature("ExistentialAny"), .enableUpcomingFeature("MemberImportVisibility"),
    .enableUpcomingFeature("InternalImportsByDefault"), .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
]

// A package of its own, so that no program has Apple's names that does not ask for them.
let package = Package(
    name: "AppleNames",
    platforms: [.macOS(.v15)],
    products: [
        .library(name: "AppleSecurity", targets: ["AppleSecurity"]),
        .library(name: "AppleChallenges", targets: ["AppleChallenges"]),
        .library(name: "AppleURLLoading", targets: ["AppleURLLoading"]),
        .library(name: "AppleURLProtocol", targets: ["AppleURLProtocol"]),
        .library(name: "AFNetworkingNames", targets: ["AFNetworkingNames"]),
    ],
    dependencies: [
        .package(name: "swift-server-trust", path: ".."),
        .package(url: "https://github.com/apple/swift-crypto.git", from: "4.5.2"),
        .package(url: "https://github.com/apple/swift-nio.git", from: "2.101.2"),
        .package(url: "https://github.com/apple/swift-nio-ssl.git", from: "2.37.6"),
        .package(url: "https://github.com/apple/swift-http-types.git", from: "1.8.0"),
        .package(url: "https://github.com/apple/swift-certificates.git", from: "1.21.1"),
    ],
    targets: [
        .target(
            name: "AppleSecurity", dependencies: [.serverTrust, .product(name: "Crypto", package: "swift-crypto")],
            swiftSettings: settings),
        .target(
            name: "AppleChallenges",
            dependencies: [
                "AppleSecurity", .serverTrust, .serverTrustNIO, .httpSession, .transportSecurity,
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "HTTPTypes", package: "swift-http-types"),
            ],
            swiftSettings: settings),
        .target(
            name: "AppleURLProtocol",
            dependencies: [
                "AppleChallenges", "AppleSecurity", .serverTrust, .serverTrustNIO, .httpSession,
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "HTTPTypes", package: "swift-http-types"),
            ],
            swiftSettings: settings),
        .target(
            name: "AppleURLLoading",
            dependencies: [
                "AppleChallenges", "AppleSecurity", .serverTrust, .serverTrustNIO, .httpSession, .transportSecurity,
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "HTTPTypes", package: "swift-http-types"),
            ],
            swiftSettings: settings),
        .target(
            name: "AFNetworkingNames", dependencies: ["AppleSecurity", "AppleURLLoading", .serverTrust],
            swiftSettings: settings),
        .target(
            name: "LoopbackSupport",
            dependencies: [
                .testing,
                .product(name: "NIOCore", package: "swift-nio"), .product(name: "NIOPosix", package: "swift-nio"),
                .product(name: "NIOSSL", package: "swift-nio-ssl"),
            ],
            path: "Tests/LoopbackSupport", swiftSettings: settings),
        .testTarget(
            name: "AFNetworkingNamesTests",
            dependencies: ["AFNetworkingNames", "AppleSecurity", .serverTrust, .testing], swiftSettings: settings),
        .testTarget(
            name: "AppleURLProtocolTests",
            dependencies: [
                "AppleChallenges", "AppleSecurity", "AppleURLProtocol", "LoopbackSupport", .serverTrust,
                .serverTrustNIO, .httpSession,
                .testing,
            ],
            swiftSettings: settings),
        .testTarget(
            name: "AppleURLLoadingTests",
            dependencies: [
                "AFNetworkingNames", "AppleSecurity", "AppleURLLoading", "LoopbackSupport", .serverTrust,
                .serverTrustNIO, .httpSession,
                .transportSecurity, .testing,
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "X509", package: "swift-certificates"),
            ],
            swiftSettings: settings),
        .testTarget(
            name: "AppleSecurityTests",
            dependencies: [
                "AppleSecurity", .serverTrust, .testing, .product(name: "Crypto", package: "swift-crypto"),
            ],
            swiftSettings: settings),
    ],
    swiftLanguageModes: [.v6]
)

extension Target.Dependency {
    static let serverTrust = Self.product(name: "ServerTrust", package: "swift-server-trust")
    static let serverTrustNIO = Self.product(name: "ServerTrustNIO", package: "swift-server-trust")
    static let httpSession = Self.product(name: "HTTPSession", package: "swift-server-trust")
    static let transportSecurity = Self.product(name: "AppTransportSecurity", package: "swift-server-trust")
    static let testing = Self.product(name: "ServerTrustTesting", package: "swift-server-trust")
}
