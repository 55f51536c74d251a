// swift-tools-version: 6.2
//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import PackageDescription

// A package of its own, so that users of swift-server-trust do not resolve the libraries of servers. Without a trait its library
// is not resolved either.
let package = Package(
    name: "ServerIntegrations",
    platforms: [.macOS(.v15)],
    products: [.library(name: "ServerIntegrations", targets: ["ServerIntegrations"])],
    traits: [
        .trait(name: "Services", description: "Services of swift-service-lifecycle."),
        .trait(name: "Reloading", description: "Identities that follow files by swift-nio-extras."),
        .trait(name: "Metrics", description: "Counters and timers of swift-metrics."),
        .trait(name: "Tracing", description: "Spans of swift-distributed-tracing."),
        .default(enabledTraits: ["Services", "Reloading", "Metrics", "Tracing"]),
    ],
    dependencies: [
        .package(name: "swift-server-trust", path: ".."),
        .package(url: "https://github.com/apple/swift-nio.git", from: "2.101.2"),
        .package(url: "https://github.com/apple/swift-nio-ssl.git", from: "2.37.6"),
        .package(url: "https://github.com/apple/swift-nio-extras.git", from: "1.35.2"),
        .package(url: "https://github.com/apple/swift-http-types.git", from: "1.8.0"),
        .package(url: "https://github.com/apple/swift-log.git", from: "1.16.2"),
        .package(url: "https://github.com/apple/swift-metrics.git", from: "2.13.0"),
        .package(url: "https://github.com/apple/swift-distributed-tracing.git", from: "1.7.3"),
        .package(url: "https://github.com/swift-server/swift-service-lifecycle.git", from: "2.13.0"),
    ],
    targets: [
        .target(
            name: "ServerIntegrations",
            dependencies: [
                .product(name: "ServerTrust", package: "swift-server-trust"),
                .product(name: "ServerTrustNIO", package: "swift-server-trust"),
                .product(name: "HTTPSession", package: "swift-server-trust"),
                .product(name: "HTTPTypes", package: "swift-http-types"),
                .product(name: "Logging", package: "swift-log"),
                .product(name: "NIOSSL", package: "swift-nio-ssl"),
                .product(
                    name: "NIOCertificateReloading", package: "swift-nio-extras",
                    condition: .when(traits: ["Reloading"])),
                .product(
                    name: "ServiceLifecycle", package: "swift-service-lifecycle",
                    condition: .when(traits: ["Services"])),
                .product(name: "Metrics", package: "swift-metrics", condition: .when(traits: ["Metrics"])),
                .product(name: "Tracing", package: "swift-distributed-tracing", condition: .when(traits: ["Tracing"])),
            ]),
        .testTarget(
            name: "ServerIntegrationsTests",
            dependencies: [
                "ServerIntegrations",
                .product(name: "ServerTrust", package: "swift-server-trust"),
                .product(name: "ServerTrustNIO", package: "swift-server-trust"),
                .product(name: "ServerTrustTesting", package: "swift-server-trust"),
                .product(name: "HTTPSession", package: "swift-server-trust"),
                .product(name: "HTTPTypes", package: "swift-http-types"),
                .product(name: "Logging", package: "swift-log"),
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOPosix", package: "swift-nio"),
                .product(name: "NIOSSL", package: "swift-nio-ssl"),
                .product(name: "NIOCertificateReloading", package: "swift-nio-extras"),
                .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
                .product(name: "ServiceLifecycleTestKit", package: "swift-service-lifecycle"),
                .product(name: "MetricsTestKit", package: "swift-metrics"),
                .product(name: "InMemoryTracing", package: "swift-distributed-tracing"),
                .product(name: "Tracing", package: "swift-distributed-tracing"),
            ]),
    ]
)
