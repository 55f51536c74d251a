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
        .library(name: "AppleSecurity", targets: ["AppleSecurity"])
    ],
    dependencies: [
        .package(name: "swift-server-trust", path: ".."),
        .package(url: "https://github.com/apple/swift-crypto.git", from: "4.5.2"),
    ],
    targets: [
        .target(
            name: "AppleSecurity", dependencies: [.serverTrust, .product(name: "Crypto", package: "swift-crypto")],
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
    static let testing = Self.product(name: "ServerTrustTesting", package: "swift-server-trust")
}
