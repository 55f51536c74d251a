//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

public import ServerTrust

/// Reads configurations.
public struct PinningReader: Sendable {
    /// What files are written in.
    public var dialect: PinningDialect

    /// Whether what Android has for debugging alone, `debug-overrides`, holds.
    public var usesDebugOverrides = false

    /// Finds the certificates of a name that a configuration gives instead of them: `@raw/our_ca` of Android.
    public var certificates: @Sendable (_ name: String) -> [Certificate]? = { _ in nil }

    /// A reader.
    public init(_ dialect: PinningDialect) {
        self.dialect = dialect
    }

    /// Reads a configuration. Never fails: what is wrong is in what is returned.
    ///
    /// - Parameter bytes: The contents of a file.
    public func read(_ bytes: [UInt8]) -> PinningReading {
        PinningReading(nil, [])
    }
}
