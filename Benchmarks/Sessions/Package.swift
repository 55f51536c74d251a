// swift-tools-version: 6.2
//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import PackageDescription

// A package of its own, so that the other benchmarks do not build async-http-client.
let package = Package(
    name: "Sessions",
    platforms: [.macOS(.v15)],
    dependencies: [
        .package(name: "swift-server-trust", path: "../.."),
        .package(url: "https://github.com/apple/swift-nio.git", from: "2.101.2"),
        .package(url: "https://github.com/apple/swift-nio-ssl.git", from: "2.37.6"),
        .package(url: "https://github.com/swift-server/async-http-client.git", from: "1.37.0"),
    ],
    targets: [
        .executableTarget(
            name: "Sessions",
            dependencies: [
                .product(name: "HTTPSession", package: "swift-server-trust"),
                .product(name: "ServerTrust", package: "swift-server-trust"),
                .product(name: "ServerTrustNIO", package: "swift-server-trust"),
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOSSL", package: "swift-nio-ssl"),
                .product(name: "AsyncHTTPClient", package: "async-http-client"),
            ]),
        .executableTarget(
            name: "ProxyLoad",
            dependencies: [
                .product(name: "HTTPSession", package: "swift-server-trust"),
                .product(name: "ServerTrust", package: "swift-server-trust"),
                .product(name: "ServerTrustNIO", package: "swift-server-trust"),
            ]),
    ],
    swiftLanguageModes: [.v6]
)
