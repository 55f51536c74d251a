// swift-tools-version: 6.2
//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import PackageDescription

let package = Package(
    name: "Fuzz",
    platforms: [.macOS(.v15)],
    dependencies: [
        .package(name: "swift-server-trust", path: ".."),
        .package(url: "https://github.com/apple/swift-crypto.git", from: "4.5.2"),
        .package(url: "https://github.com/apple/swift-http-types.git", from: "1.8.0"),
        .package(url: "https://github.com/apple/swift-nio.git", from: "2.101.2"),
    ],
    targets: [
        // What each target does with its bytes. The tests of the main package compile the same folder. It shares crafted
        // certificates and scripted servers with them by symbolic links into Tests/TestSupport: what is package there cannot
        // be seen from another package, and a product would be part of what this package offers.
        .target(
            name: "FuzzTargets",
            dependencies: [
                .product(name: "ServerTrust", package: "swift-server-trust"),
                .product(name: "ServerTrustNIO", package: "swift-server-trust"),
                .product(name: "PinningDialects", package: "swift-server-trust"),
                .product(name: "_Internals", package: "swift-server-trust"),
                .product(name: "HTTPSession", package: "swift-server-trust"),
                .product(name: "HTTPTypes", package: "swift-http-types"),
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "Crypto", package: "swift-crypto"),
                .product(name: "CryptoExtras", package: "swift-crypto"),
            ],
            swiftSettings: [.enableUpcomingFeature("InternalImportsByDefault")]
        ),
        .executableTarget(
            name: "fuzz", dependencies: ["FuzzTargets"],
            // gold, the default, trips over what the sanitizers add.
            linkerSettings: [
                .unsafeFlags(
                    ["-use-ld=lld", "-Xlinker", "-z", "-Xlinker", "nostart-stop-gc"], .when(platforms: [.linux]))
            ]),
    ],
    swiftLanguageModes: [.v6]
)
