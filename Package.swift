// swift-tools-version: 6.2
//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import PackageDescription

/// The upcoming features of the language with which every target is compiled.
let settings: [SwiftSetting] = [
    // https://github.com/swiftlang/swift-evolution/blob/main/proposals/0335-existential-any.md
    .enableUpcomingFeature("ExistentialAny"),
    // https://github.com/swiftlang/swift-evolution/blob/main/proposals/0444-member-import-visibility.md
    .enableUpcomingFeature("MemberImportVisibility"),
    // https://github.com/swiftlang/swift-evolution/blob/main/proposals/0409-access-level-on-imports.md
    .enableUpcomingFeature("InternalImportsByDefault"),
    // https://github.com/swiftlang/swift-evolution/blob/main/proposals/0461-async-function-isolation.md
    .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
]

// DESIGN.md says what each target is for. Each target here stands on those above it alone.
let package = Package(
    name: "swift-server-trust",
    // Only systems that continuous integration builds on have a line here.
    platforms: [.macOS(.v15)],
    products: [
        // Judge a chain.
        .library(name: "ServerTrust", targets: ["ServerTrust", "CertificatePath"]),
        // Apply App Transport Security, without a connection.
        .library(
            name: "AppTransportSecurity", targets: ["AppTransportSecurity", "ConfigurationDocuments", "TLSWire"]),
        // Gate the connections of NIO.
        .library(name: "ServerTrustNIO", targets: ["ServerTrustNIO", "AppTransportSecurity", "ServerTrust"]),
        // Send requests.
        .library(name: "HTTPSession", targets: ["HTTPSession", "ServerTrustNIO", "ServerTrust"]),
        // Read and write the pins of other programs.
        .library(name: "PinningDialects", targets: ["PinningDialects", "ConfigurationDocuments"]),
        // Diagnose a server.
        .library(name: "ServerDiagnosis", targets: ["ServerDiagnosis", "TLSProbe", "ServerReports"]),
        // Test with authorities and servers made for the test.
        .library(name: "ServerTrustTesting", targets: ["ServerTrustTesting"]),
        // The readers of hostile octets, for this repository's fuzzers alone.
        .library(
            name: "_Internals",
            targets: ["AppleFiles", "CertificatePath", "HTTPExchange", "Inflate", "TLSProbe", "TLSWire"]),
        .executable(name: "servertrust", targets: ["ServerTrustCommand"]),
    ],
    dependencies: [
        .package(url: "https://github.com/apple/swift-crypto.git", from: "4.5.2"),
        .package(url: "https://github.com/apple/swift-nio.git", from: "2.101.2"),
        .package(url: "https://github.com/apple/swift-nio-ssl.git", from: "2.37.6"),
        .package(url: "https://github.com/apple/swift-nio-http2.git", from: "1.46.0"),
        .package(url: "https://github.com/apple/swift-argument-parser.git", from: "1.8.2"),
        .package(url: "https://github.com/apple/swift-log.git", from: "1.16.2"),
        .package(url: "https://github.com/apple/swift-http-types.git", from: "1.8.0"),
        .package(url: "https://github.com/apple/swift-collections.git", from: "1.6.0"),
        .package(url: "https://github.com/apple/swift-system.git", from: "1.8.1"),
        // Makes certificates, in tests and the demo; never used to judge them.
        .package(url: "https://github.com/apple/swift-certificates.git", from: "1.21.1"),
        .package(url: "https://github.com/apple/swift-asn1.git", from: "1.7.4"),
    ],
    targets: [
        // MARK: Libraries
        .library("CertificatePath", .crypto, memory: .strict),
        .library("ServerTrust", ["CertificatePath", .system] + .crypto),
        .library("ConfigurationDocuments"),
        .library("PinningDialects", ["ServerTrust", "ConfigurationDocuments"]),
        .library("Inflate", memory: .strict),
        .library("TLSWire", ["Inflate"] + .crypto, memory: .strict),
        .library("TLSProbe", ["TLSWire"]),
        .library("AppTransportSecurity", ["ServerTrust", "TLSWire", "ConfigurationDocuments"]),
        .library("AppleFiles", ["AppTransportSecurity", "Inflate", .system]),
        .library("HTTPExchange", [.httpTypes] + .nio),
        .library("ServerTrustNIO", ["AppTransportSecurity", "HTTPExchange", .httpTypes, .logging] + .nio),
        .library("HTTPSession", ["ServerTrustNIO", "Inflate", .deque, .system] + .http2),
        .library("ServerDiagnosis", ["HTTPSession", "TLSProbe", "AppleFiles"]),
        .library("ServerReports", ["ServerDiagnosis"], resources: ["page.css", "page.js", "fleet.css", "fleet.js"]),
        .library("FleetScan", ["ServerReports", .http1]),
        .library("InterceptingProxy", ["HTTPSession", "ServerReports"] + .certificates),
        .library("ServerTrustTesting", ["ServerTrustNIO"] + .certificates),

        // Not called servertrust: file systems that ignore case could not hold it beside ServerTrust.
        .executableTarget(
            name: "ServerTrustCommand",
            dependencies: [
                "FleetScan", "InterceptingProxy", "PinningDialects", "ServerTrustTesting", .arguments,
            ],
            swiftSettings: settings),

        // MARK: Tests
        .target(
            name: "TestSupport", dependencies: ["ServerTrustTesting"], path: "Tests/TestSupport",
            swiftSettings: settings),
        .target(
            name: "ReportSupport", dependencies: ["ServerReports", "TestSupport"], path: "Tests/ReportSupport",
            swiftSettings: settings),
        .tests(of: "CertificatePath"),
        .tests(of: "ServerTrust"),
        .tests(of: "ConfigurationDocuments"),
        .tests(of: "PinningDialects"),
        .tests(of: "Inflate"),
        .tests(of: "TLSWire"),
        .tests(of: "TLSProbe"),
        .tests(of: "AppTransportSecurity"),
        .tests(of: "AppleFiles"),
        .tests(of: "HTTPExchange", [.embedded]),
        .tests(of: "ServerTrustNIO", [.embedded]),
        .tests(of: "HTTPSession", [.embedded]),
        .tests(of: "ServerDiagnosis"),
        .tests(of: "ServerReports", ["ReportSupport"]),
        .tests(of: "FleetScan", ["ReportSupport"]),
        .tests(of: "InterceptingProxy", [.embedded]),
        .tests(of: "ServerTrustTesting"),
        .tests(of: "ServerTrustCommand", ["ReportSupport"]),
        // Compiles what Fuzz/ fuzzes, and feeds it what was found before.
        .testTarget(
            name: "FuzzReplayTests",
            dependencies: ["AppleFiles", "HTTPSession", "PinningDialects", "TLSProbe", "TestSupport"],
            swiftSettings: settings),
    ],
    swiftLanguageModes: [.v6]
)

// Builds the site (.ci/site). Packages that depend on this one need not resolve it.
if Context.environment["SERVERTRUST_SITE"] != nil {
    package.dependencies.append(.package(url: "https://github.com/swiftlang/swift-docc-plugin.git", from: "1.5.0"))
}

enum MemorySafety { case standard, strict }

extension Target {
    /// A library with the settings of all targets; `resources` are embedded in its code.
    static func library(
        _ name: String, _ dependencies: [Dependency] = [], memory: MemorySafety = .standard, resources: [String] = []
    ) -> Target {
        .target(
            name: name, dependencies: dependencies, resources: resources.map { .embedInCode("Resources/\($0)") },
            swiftSettings: settings + (memory == .strict ? [.strictMemorySafety()] : []))
    }

    /// The tests of a target.
    static func tests(of name: String, _ dependencies: [Dependency] = []) -> Target {
        .testTarget(
            name: "\(name)Tests", dependencies: [.byName(name: name), "TestSupport"] + dependencies,
            swiftSettings: settings)
    }
}

extension Target.Dependency {
    static let arguments = Self.product(name: "ArgumentParser", package: "swift-argument-parser")
    static let deque = Self.product(name: "DequeModule", package: "swift-collections")
    static let embedded = Self.product(name: "NIOEmbedded", package: "swift-nio")
    static let http1 = Self.product(name: "NIOHTTP1", package: "swift-nio")
    static let httpTypes = Self.product(name: "HTTPTypes", package: "swift-http-types")
    static let logging = Self.product(name: "Logging", package: "swift-log")
    static let system = Self.product(name: "SystemPackage", package: "swift-system")
}

extension [Target.Dependency] {
    static let crypto: Self = [
        .product(name: "Crypto", package: "swift-crypto"), .product(name: "CryptoExtras", package: "swift-crypto"),
    ]
    static let certificates: Self = [
        .product(name: "X509", package: "swift-certificates"), .product(name: "SwiftASN1", package: "swift-asn1"),
    ]
    static let nio: Self = [
        .product(name: "NIOCore", package: "swift-nio"), .product(name: "NIOPosix", package: "swift-nio"),
        .product(name: "NIOTLS", package: "swift-nio"), .product(name: "NIOSSL", package: "swift-nio-ssl"),
    ]
    static let http2: Self = [
        .product(name: "NIOHTTP2", package: "swift-nio-http2"), .product(name: "NIOHPACK", package: "swift-nio-http2"),
    ]
}
