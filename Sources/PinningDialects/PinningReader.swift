//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import ConfigurationDocuments
public import ServerTrust

/// Reads pinning configurations in one dialect.
///
/// A reader collects diagnostics instead of stopping at the first fault. It returns a configuration only if the file has no
/// error, so that a fault never leaves hosts unpinned.
public struct PinningReader: Sendable {
    /// The dialect of the files.
    public var dialect: PinningDialect

    /// `true` if settings for debugging apply: `debug-overrides` of Android, `TSKAdditionalTrustAnchors` of TrustKit.
    public var usesDebugOverrides = false

    /// Returns the certificates of a resource that a configuration names, such as Android's `@raw/our_ca`.
    public var certificates: @Sendable (_ name: String) -> [Certificate]? = { _ in nil }

    /// Creates a reader.
    public init(_ dialect: PinningDialect) {
        self.dialect = dialect
    }

    /// Reads a configuration. This method never fails: the result lists every fault.
    ///
    /// - Parameter bytes: The contents of a file of at most 4 MiB.
    public func read(_ bytes: [UInt8]) -> PinningReading {
        var reader = self.dialectReader
        do {
            let configuration = try reader.configuration(of: bytes)
            // A file without domains would have no effect on any host, and was probably meant for another purpose.
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
    ///   - dialect: The dialect of the file.
    /// - Throws: ``PinningConfigurationError`` with all diagnostics if the file has an error.
    public init(contentsOf bytes: [UInt8], in dialect: PinningDialect) throws(PinningConfigurationError) {
        let reading = PinningReader(dialect).read(bytes)
        guard let configuration = reading.configuration else {
            throw PinningConfigurationError(diagnostics: reading.diagnostics)
        }
        self = configuration
    }
}
