//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import ConfigurationDocuments
public import ServerTrust

/// Reads configurations.
public struct PinningReader: Sendable {
    /// What files are written in.
    public var dialect: PinningDialect

    /// Whether what is there for debugging alone holds: `debug-overrides` of Android, `TSKAdditionalTrustAnchors` of
    /// TrustKit.
    public var usesDebugOverrides = false

    /// Finds the certificates of a name that a configuration gives instead of them: `@raw/our_ca` of Android.
    public var certificates: @Sendable (_ name: String) -> [Certificate]? = { _ in nil }

    /// A reader.
    public init(_ dialect: PinningDialect) {
        self.dialect = dialect
    }

    /// Reads a configuration. Never fails: what is wrong is in what is returned.
    ///
    /// - Parameter bytes: The contents of a file, 4 MiB at most.
    public func read(_ bytes: [UInt8]) -> PinningReading {
        var reader = self.dialectReader
        do {
            let configuration = try reader.configuration(of: bytes)
            // Without domains all hosts are as if there were no file, and a file has another purpose.
            if configuration?.domains.isEmpty != false, !reader.log.hasError {
                reader.log.add(.nothingPinned, "The file has no domain.", remedy: "Add one with its pins.", at: nil)
            }
            return PinningReading(configuration, reader.log.diagnostics)
        } catch {
            reader.log.add(error)
            return PinningReading(nil, reader.log.diagnostics)
        }
    }

    private var dialectReader: any DialectReader {
        switch self.dialect {
        case .ios: AppleReader()
        case .android: AndroidReader(usesDebugOverrides: self.usesDebugOverrides, certificates: self.certificates)
        case .trustkit: TrustKitReader(usesDebugOverrides: self.usesDebugOverrides)
        case .okhttp: OkHttpReader()
        case .curl: CurlReader()
        case .json: NativeReader()
        }
    }
}

extension PinningConfiguration {
    /// Reads a configuration.
    ///
    /// - Parameters:
    ///   - bytes: The contents of a file.
    ///   - dialect: What it is written in.
    /// - Throws: ``PinningConfigurationError`` with every error, and no policy, when there is one.
    public init(contentsOf bytes: [UInt8], in dialect: PinningDialect) throws(PinningConfigurationError) {
        let reading = PinningReader(dialect).read(bytes)
        guard let configuration = reading.configuration else {
            throw PinningConfigurationError(diagnostics: reading.diagnostics)
        }
        self = configuration
    }
}
