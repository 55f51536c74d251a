// swift-tools-version: 6.2
//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import Foundation
import PackageDescription

/// OpenSSL is one of the peers where its headers are installed (libssl-dev).
let hasOpenSSL = ["/usr/include/openssl/x509.h", "/usr/include/x86_64-linux-gnu/openssl/x509.h"]
    .contains { FileManager.default.fileExists(atPath: $0) }

let package = Package(
    name: "Benchmarks",
    platforms: [.macOS(.v15)],
    dependencies: [
        .package(name: "swift-server-trust", path: ".."),
        .package(url: "https://github.com/apple/swift-crypto.git", from: "4.5.2"),
        .package(url: "https://github.com/apple/swift-nio.git", from: "2.101.2"),
        .package(url: "https://github.com/apple/swift-nio-ssl.git", from: "2.37.6"),
        .package(url: "https://github.com/apple/swift-certificates.git", from: "1.21.1"),
        .package(url: "https://github.com/apple/swift-asn1.git", from: "1.7.4"),
    ],
    targets: [
        .executableTarget(
            name: "Benchmarks",
            dependencies: [
                .product(name: "ServerTrust", package: "swift-server-trust"),
                .product(name: "ServerTrustNIO", package: "swift-server-trust"),
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOPosix", package: "swift-nio"),
                .product(name: "NIOTLS", package: "swift-nio"),
                .product(name: "NIOSSL", package: "swift-nio-ssl"),
                .product(name: "Crypto", package: "swift-crypto"),
                .product(name: "CryptoExtras", package: "swift-crypto"),
                .product(name: "X509", package: "swift-certificates"),
                .product(name: "SwiftASN1", package: "swift-asn1"),
            ] + (hasOpenSSL ? ["COpenSSL"] : []),
            swiftSettings: hasOpenSSL ? [.define("OPENSSL")] : []
        )
    ] + (hasOpenSSL ? [.systemLibrary(name: "COpenSSL")] : []),
    swiftLanguageModes: [.v6]
)
