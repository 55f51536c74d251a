// swift-tools-version: 6.2
//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import PackageDescription

/// Upcoming language features every target is compiled with.
let upcomingFeatures: [SwiftSetting] = [
    // https://github.com/swiftlang/swift-evolution/blob/main/proposals/0335-existential-any.md
    .enableUpcomingFeature("ExistentialAny"),
    // https://github.com/swiftlang/swift-evolution/blob/main/proposals/0444-member-import-visibility.md
    .enableUpcomingFeature("MemberImportVisibility"),
    // https://github.com/swiftlang/swift-evolution/blob/main/proposals/0409-access-level-on-imports.md
    .enableUpcomingFeature("InternalImportsByDefault"),
    // https://github.com/swiftlang/swift-evolution/blob/main/proposals/0461-async-function-isolation.md
    .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
]

let package = Package(
    name: "swift-server-trust",
    platforms: [.macOS(.v15), .iOS(.v18), .tvOS(.v18), .watchOS(.v11), .visionOS(.v2)],
    products: [
        .library(name: "ServerTrust", targets: ["ServerTrust"]),
        .library(name: "ServerTrustNIO", targets: ["ServerTrustNIO"]),
        .library(name: "AppTransportSecurity", targets: ["AppTransportSecurity"]),
        .library(name: "PinningDialects", targets: ["PinningDialects"]),
        .library(name: "ConfigurationDocuments", targets: ["ConfigurationDocuments"]),
        .library(name: "TLSWire", targets: ["TLSWire"]),
        .library(name: "Inflate", targets: ["Inflate"]),
        .library(name: "TLSProbe", targets: ["TLSProbe"]),
        .library(name: "HTTPExchange", targets: ["HTTPExchange"]),
        .library(name: "HTTPSession", targets: ["HTTPSession"]),
        .library(name: "ServerDiagnosis", targets: ["ServerDiagnosis"]),
        .library(name: "ServerDiagnosisNIO", targets: ["ServerDiagnosisNIO"]),
        .library(name: "ServerReports", targets: ["ServerReports"]),
        .library(name: "ServerTrustTesting", targets: ["ServerTrustTesting"]),
        .library(name: "CertificatePath", targets: ["CertificatePath"]),
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
        .target(
            name: "CertificatePath",
            dependencies: [
                .product(name: "Crypto", package: "swift-crypto"),
                .product(name: "CryptoExtras", package: "swift-crypto"),
            ],
            swiftSettings: upcomingFeatures + [.strictMemorySafety()]
        ),
        .target(
            name: "ServerTrust",
            dependencies: [
                "CertificatePath",
                .product(name: "Crypto", package: "swift-crypto"),
                .product(name: "SystemPackage", package: "swift-system"),
            ],
            swiftSettings: upcomingFeatures
        ),
        // Property lists, XML and JSON with the line of everything in them.
        .target(name: "ConfigurationDocuments", swiftSettings: upcomingFeatures),
        // The formats in which other programs write pins. Apart from ServerTrust, which needs no XML.
        .target(
            name: "PinningDialects",
            dependencies: ["ServerTrust", "ConfigurationDocuments"],
            swiftSettings: upcomingFeatures
        ),
        // Reads compressed data: archives, and certificates in handshakes.
        .target(name: "Inflate", swiftSettings: upcomingFeatures + [.strictMemorySafety()]),
        // The words of TLS and its sentences: versions, cipher suites, groups, signatures, alerts; records, hellos, flights.
        .target(
            name: "TLSWire", dependencies: ["Inflate", .product(name: "Crypto", package: "swift-crypto")],
            swiftSettings: upcomingFeatures + [.strictMemorySafety()]),
        // Asks servers with hellos that are not followed by a handshake: the plans and the facts. No sockets.
        .target(
            name: "TLSProbe", dependencies: ["TLSWire", "Inflate", .product(name: "Crypto", package: "swift-crypto")],
            swiftSettings: upcomingFeatures),
        // From an Info.plist to the verdict about a connection, without one.
        .target(
            name: "AppTransportSecurity",
            dependencies: ["ServerTrust", "TLSWire", "ConfigurationDocuments"],
            swiftSettings: upcomingFeatures
        ),
        // One request of HTTP/1.1 on one connection.
        .target(
            name: "HTTPExchange",
            dependencies: [
                .product(name: "HTTPTypes", package: "swift-http-types"),
                .product(name: "NIOCore", package: "swift-nio"),
            ],
            swiftSettings: upcomingFeatures
        ),
        .target(
            name: "ServerTrustNIO",
            dependencies: [
                "ServerTrust", "AppTransportSecurity", "TLSWire", "HTTPExchange",
                .product(name: "HTTPTypes", package: "swift-http-types"),
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOPosix", package: "swift-nio"),
                .product(name: "NIOTLS", package: "swift-nio"),
                .product(name: "NIOSSL", package: "swift-nio-ssl"),
                .product(name: "Logging", package: "swift-log"),
            ],
            swiftSettings: upcomingFeatures
        ),
        // Sessions whose every connection passes the gate: redirects, cookies, challenges, proxies.
        .target(
            name: "HTTPSession",
            dependencies: [
                "HTTPExchange", "ServerTrustNIO", "CertificatePath", "TLSWire", "AppTransportSecurity", "ServerTrust",
                "Inflate",
                .product(name: "Crypto", package: "swift-crypto"),
                .product(name: "CryptoExtras", package: "swift-crypto"),
                .product(name: "HTTPTypes", package: "swift-http-types"),
                .product(name: "DequeModule", package: "swift-collections"),
                .product(name: "Logging", package: "swift-log"),
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOPosix", package: "swift-nio"),
                .product(name: "NIOHTTP2", package: "swift-nio-http2"),
                .product(name: "NIOHPACK", package: "swift-nio-http2"),
                .product(name: "NIOSSL", package: "swift-nio-ssl"),
                .product(name: "SystemPackage", package: "swift-system"),
            ],
            swiftSettings: upcomingFeatures
        ),
        // From facts about a server to what Apple's systems make of it, why, and what to change. No sockets.
        .target(
            name: "ServerDiagnosis",
            dependencies: ["TLSProbe", "AppTransportSecurity", "ServerTrust", "TLSWire"],
            swiftSettings: upcomingFeatures
        ),
        // Asks servers, follows their redirects, and diagnoses them: connections, limits on them, proxies, STARTTLS.
        .target(
            name: "ServerDiagnosisNIO",
            dependencies: [
                "ServerDiagnosis", "TLSProbe", "TLSWire", "HTTPSession", "ServerTrustNIO", "AppTransportSecurity",
                "ServerTrust", "CertificatePath",
                .product(name: "HTTPTypes", package: "swift-http-types"),
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOPosix", package: "swift-nio"),
                .product(name: "NIOTLS", package: "swift-nio"),
                .product(name: "NIOSSL", package: "swift-nio-ssl"),
            ],
            swiftSettings: upcomingFeatures
        ),
        // Answers as text, JSON, HTML, CSV, JUnit, SARIF, and nscurl's words.
        .target(
            name: "ServerReports",
            dependencies: [
                "ServerDiagnosisNIO", "ServerDiagnosis", "TLSProbe", "TLSWire", "ServerTrustNIO",
                "AppTransportSecurity",
                "ServerTrust", "CertificatePath", "ConfigurationDocuments",
                .product(name: "Crypto", package: "swift-crypto"),
            ],
            resources: [
                .embedInCode("Resources/page.css"), .embedInCode("Resources/fleet.css"),
                .embedInCode("Resources/fleet.js"), .embedInCode("Resources/page.js"),
            ],
            swiftSettings: upcomingFeatures
        ),
        // Many servers: a list in, records out; pace, resume, compare, watch, metrics.
        .target(
            name: "FleetScan",
            dependencies: [
                "ServerReports", "ServerDiagnosisNIO", "TLSProbe", "TLSWire", "ServerTrustNIO", "ServerTrust",
                "ConfigurationDocuments",
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOPosix", package: "swift-nio"),
                .product(name: "NIOHTTP1", package: "swift-nio"),
                .product(name: "SystemPackage", package: "swift-system"),
            ],
            swiftSettings: upcomingFeatures
        ),
        // Any program behind the gate: the local root, CONNECT, and both sides of each request.
        .target(
            name: "InterceptingProxy",
            dependencies: [
                "HTTPSession", "HTTPExchange", "ServerReports", "ServerTrustNIO", "AppTransportSecurity", "ServerTrust",
                "CertificatePath",
                .product(name: "Crypto", package: "swift-crypto"),
                .product(name: "X509", package: "swift-certificates"),
                .product(name: "SwiftASN1", package: "swift-asn1"),
                .product(name: "SystemPackage", package: "swift-system"),
                .product(name: "HTTPTypes", package: "swift-http-types"),
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOPosix", package: "swift-nio"),
                .product(name: "NIOTLS", package: "swift-nio"),
                .product(name: "NIOHTTP2", package: "swift-nio-http2"),
                .product(name: "NIOHPACK", package: "swift-nio-http2"),
                .product(name: "NIOSSL", package: "swift-nio-ssl"),
            ],
            swiftSettings: upcomingFeatures
        ),
        // Throw-away certificate authorities and loopback TLS servers with a chosen fault: the demo's range and the tests'.
        // Knows what a client knows, so that a test gets its question of trust ready to be asked.
        .target(
            name: "ServerTrustTesting",
            dependencies: [
                "CertificatePath", "ServerTrust", "ServerTrustNIO", "TLSWire",
                .product(name: "Crypto", package: "swift-crypto"),
                .product(name: "CryptoExtras", package: "swift-crypto"),
                .product(name: "X509", package: "swift-certificates"),
                .product(name: "SwiftASN1", package: "swift-asn1"),
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOPosix", package: "swift-nio"),
                .product(name: "NIOSSL", package: "swift-nio-ssl"),
            ],
            swiftSettings: upcomingFeatures
        ),
        // Path validation as a filter for test suites: one request in JSON per line, one answer.
        .target(
            name: "ConformanceProtocol", dependencies: ["ServerTrust", "CertificatePath", "AppTransportSecurity"],
            swiftSettings: upcomingFeatures),
        // Apple's published roots and logs: fetched, unpacked, compared, and taken into use.
        .target(
            name: "AppleDataFiles",
            dependencies: [
                "ServerReports", "ServerDiagnosisNIO", "HTTPSession", "ServerTrustNIO", "ServerTrust",
                "CertificatePath", "Inflate",
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "SystemPackage", package: "swift-system"),
            ],
            swiftSettings: upcomingFeatures
        ),
        // What runs beside the proxy: its log and page, questions at the terminal, notices to systemd.
        .target(
            name: "ProxyService",
            dependencies: [
                "InterceptingProxy", "FleetScan", "HTTPSession", "ServerReports", "ServerTrustNIO", "ServerTrust",
                .product(name: "HTTPTypes", package: "swift-http-types"),
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOHTTP1", package: "swift-nio"),
                .product(name: "SystemPackage", package: "swift-system"),
            ],
            swiftSettings: upcomingFeatures
        ),
        // Pins as answers: which keys of a path to pin, and what a file of pins does with a server.
        .target(
            name: "PinReports",
            dependencies: [
                "PinningDialects", "ServerReports", "ServerTrustNIO", "ServerTrust", "CertificatePath",
                "ConfigurationDocuments",
            ],
            swiftSettings: upcomingFeatures
        ),
        // The files and streams around the requests of a session, and what is said of them meanwhile.
        .target(
            name: "Transfers",
            dependencies: [
                "HTTPSession", "ServerReports", "ServerTrustNIO", "ServerTrust", "CertificatePath",
                .product(name: "HTTPTypes", package: "swift-http-types"),
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOPosix", package: "swift-nio"),
                .product(name: "SystemPackage", package: "swift-system"),
            ],
            swiftSettings: upcomingFeatures
        ),
        // Not called servertrust: file systems that ignore case could not hold it beside ServerTrust.
        .executableTarget(
            name: "ServerTrustCommand",
            dependencies: [
                "ServerTrust", "ServerTrustNIO", "ServerTrustTesting", "PinningDialects", "AppTransportSecurity",
                "TLSWire", "ConfigurationDocuments", "TLSProbe", "ServerDiagnosis", "ServerDiagnosisNIO",
                "ServerReports", "FleetScan", "HTTPSession", "InterceptingProxy",
                "ProxyService", "AppleDataFiles", "ConformanceProtocol", "PinReports", "Transfers",
                .product(name: "HTTPTypes", package: "swift-http-types"),
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
                .product(name: "Logging", package: "swift-log"),
                .product(name: "Crypto", package: "swift-crypto"),
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOPosix", package: "swift-nio"),
                .product(name: "NIOHTTP1", package: "swift-nio"),
                .product(name: "SystemPackage", package: "swift-system"),
            ],
            swiftSettings: upcomingFeatures
        ),
        // What the tests of several targets share: crafted certificates, scripted servers, limited concurrency.
        .target(
            name: "TestSupport",
            dependencies: [
                "CertificatePath", "ServerTrust", "ServerTrustTesting", "TLSWire",
                .product(name: "Crypto", package: "swift-crypto"),
                .product(name: "CryptoExtras", package: "swift-crypto"),
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOSSL", package: "swift-nio-ssl"),
                .product(name: "NIOPosix", package: "swift-nio"),
            ],
            path: "Tests/TestSupport",
            swiftSettings: upcomingFeatures
        ),
        .testTarget(
            name: "CertificatePathTests",
            dependencies: [
                "CertificatePath", "TestSupport",
                .product(name: "Crypto", package: "swift-crypto"),
                .product(name: "CryptoExtras", package: "swift-crypto"),
                .product(name: "X509", package: "swift-certificates"),
                .product(name: "SwiftASN1", package: "swift-asn1"),
            ],
            swiftSettings: upcomingFeatures
        ),
        .testTarget(
            name: "ServerTrustCommandTests",
            dependencies: [
                "ServerTrustCommand", "ServerTrust", "ServerTrustNIO", "ServerTrustTesting", "AppTransportSecurity",
                "TLSProbe", "TLSWire", "ServerDiagnosis", "ServerDiagnosisNIO", "ServerReports", "FleetScan",
                "HTTPSession", "InterceptingProxy", "ProxyService", "AppleDataFiles", "ConformanceProtocol",
                "PinReports", "Transfers",
                "TestSupport",
                .product(name: "Crypto", package: "swift-crypto"),
                .product(name: "SystemPackage", package: "swift-system"),
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOPosix", package: "swift-nio"),
                .product(name: "NIOHTTP1", package: "swift-nio"),
                .product(name: "NIOTLS", package: "swift-nio"),
                .product(name: "NIOSSL", package: "swift-nio-ssl"),
                .product(name: "X509", package: "swift-certificates"),
            ],
            swiftSettings: upcomingFeatures
        ),
        .testTarget(
            name: "ServerTrustTests",
            dependencies: [
                "ServerTrust", "TestSupport",
                .product(name: "Crypto", package: "swift-crypto"),
                .product(name: "CryptoExtras", package: "swift-crypto"),
                .product(name: "SystemPackage", package: "swift-system"),
            ],
            swiftSettings: upcomingFeatures
        ),
        .testTarget(
            name: "PinningDialectsTests",
            dependencies: ["PinningDialects", "ServerTrust", "ConfigurationDocuments", "TestSupport"],
            swiftSettings: upcomingFeatures
        ),
        .testTarget(
            name: "AppTransportSecurityTests",
            dependencies: [
                "AppTransportSecurity", "ServerTrust", "TLSWire", "ConfigurationDocuments", "ServerTrustTesting",
                "TestSupport",
            ],
            swiftSettings: upcomingFeatures
        ),
        .testTarget(
            name: "HTTPExchangeTests",
            dependencies: [
                "HTTPExchange",
                .product(name: "HTTPTypes", package: "swift-http-types"),
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOEmbedded", package: "swift-nio"),
            ],
            swiftSettings: upcomingFeatures
        ),
        .testTarget(
            name: "HTTPSessionTests",
            dependencies: [
                "HTTPSession", "HTTPExchange", "ServerTrustNIO", "AppTransportSecurity", "TLSWire",
                "ServerTrust", "CertificatePath", "ServerTrustTesting", "TestSupport", "Inflate",
                .product(name: "Crypto", package: "swift-crypto"),
                .product(name: "HTTPTypes", package: "swift-http-types"),
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOEmbedded", package: "swift-nio"),
                .product(name: "NIOPosix", package: "swift-nio"),
                .product(name: "NIOSSL", package: "swift-nio-ssl"),
            ],
            swiftSettings: upcomingFeatures
        ),
        .testTarget(
            name: "InterceptingProxyTests",
            dependencies: [
                "InterceptingProxy", "HTTPSession", "HTTPExchange", "ServerReports", "ServerTrustNIO",
                "AppTransportSecurity", "ServerTrust", "CertificatePath", "TLSWire", "ServerTrustTesting",
                "TestSupport",
                .product(name: "Crypto", package: "swift-crypto"),
                .product(name: "SwiftASN1", package: "swift-asn1"),
                .product(name: "X509", package: "swift-certificates"),
                .product(name: "HTTPTypes", package: "swift-http-types"),
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOHPACK", package: "swift-nio-http2"),
                .product(name: "NIOEmbedded", package: "swift-nio"),
                .product(name: "NIOPosix", package: "swift-nio"),
                .product(name: "NIOSSL", package: "swift-nio-ssl"),
            ],
            swiftSettings: upcomingFeatures
        ),
        .testTarget(
            name: "InflateTests", dependencies: ["Inflate", "TestSupport"], swiftSettings: upcomingFeatures),
        .testTarget(
            name: "TLSWireTests", dependencies: ["TLSWire", "TestSupport"], swiftSettings: upcomingFeatures),
        .testTarget(
            name: "ConfigurationDocumentsTests",
            dependencies: ["ConfigurationDocuments", "TestSupport"],
            swiftSettings: upcomingFeatures
        ),
        // Compiles what Fuzz/ fuzzes, and feeds it what was found before.
        .testTarget(
            name: "FuzzReplayTests",
            dependencies: [
                "CertificatePath", "ServerTrust", "PinningDialects", "AppTransportSecurity", "TLSProbe", "TLSWire",
                "Inflate", "HTTPExchange", "HTTPSession",
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "Crypto", package: "swift-crypto"),
                .product(name: "CryptoExtras", package: "swift-crypto"),
                .product(name: "HTTPTypes", package: "swift-http-types"),
            ],
            swiftSettings: upcomingFeatures
        ),
        .testTarget(
            name: "ServerDiagnosisTests",
            dependencies: [
                "ServerDiagnosis", "TLSProbe", "AppTransportSecurity", "ServerTrust", "TLSWire",
                "ServerTrustTesting",
            ],
            swiftSettings: upcomingFeatures
        ),
        .testTarget(
            name: "ServerDiagnosisNIOTests",
            dependencies: [
                "ServerDiagnosisNIO", "ServerDiagnosis", "TLSProbe", "TLSWire", "AppTransportSecurity",
                "ServerTrustNIO",
                "ServerTrustTesting", "ServerTrust", "TestSupport",
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOPosix", package: "swift-nio"),
                .product(name: "NIOSSL", package: "swift-nio-ssl"),
                .product(name: "X509", package: "swift-certificates"),
            ],
            swiftSettings: upcomingFeatures
        ),
        .testTarget(
            name: "FleetScanTests",
            dependencies: ["FleetScan", "ServerReports", "ServerTrust", "ServerTrustNIO", "TLSProbe", "TLSWire"],
            swiftSettings: upcomingFeatures
        ),
        .testTarget(
            name: "TLSProbeTests",
            dependencies: ["TLSProbe", "TLSWire", "TestSupport", .product(name: "Crypto", package: "swift-crypto")],
            swiftSettings: upcomingFeatures
        ),
        .testTarget(
            name: "ServerTrustNIOTests",
            dependencies: [
                "ServerTrustNIO", "ServerTrustTesting", "AppTransportSecurity", "ServerTrust", "CertificatePath",
                "TLSWire",
                "TestSupport",
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOEmbedded", package: "swift-nio"),
                .product(name: "NIOPosix", package: "swift-nio"),
                .product(name: "NIOTLS", package: "swift-nio"),
                .product(name: "NIOSSL", package: "swift-nio-ssl"),
                .product(name: "X509", package: "swift-certificates"),
            ],
            swiftSettings: upcomingFeatures
        ),
        .testTarget(
            name: "ServerTrustTestingTests",
            dependencies: [
                "ServerTrustTesting", "ServerTrust", "ServerTrustNIO", "TestSupport",
                .product(name: "X509", package: "swift-certificates"),
                .product(name: "SwiftASN1", package: "swift-asn1"),
            ],
            swiftSettings: upcomingFeatures
        ),
    ],
    swiftLanguageModes: [.v6]
)
