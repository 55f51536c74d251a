//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// Writes pinning configurations in one dialect.
///
/// Not every dialect can express every setting. The result lists the lost settings, and ``PinningText/isFaithful`` is `false` if
/// the text would accept more than the configuration.
public struct PinningWriter: Sendable {
    /// The dialect of the files.
    public var dialect: PinningDialect

    /// Creates a writer.
    public init(_ dialect: PinningDialect) {
        self.dialect = dialect
    }

    /// Writes a configuration. This method never fails: the result lists the settings that the dialect cannot express.
    ///
    /// The same configuration always yields the same text.
    public func write(_ configuration: PinningConfiguration) -> PinningText {
        var conversion = DialectConversion(self.dialect.capabilities)
        let converted = conversion.convert(configuration)
        var log = conversion.log
        var text = PinningText("")
        switch self.dialect {
        case .ios: text = AppleWriter.write(converted)
        case .android: text = AndroidWriter.write(converted, &log)
        case .trustkit: text = TrustKitWriter.write(converted, &log)
        case .okhttp: text = OkHttpWriter.write(converted)
        case .curl: text = CurlWriter.write(converted)
        case .json: text = PinningText(JSONDocumentText.text(of: NativeWriter.tree(of: converted)))
        }
        text.diagnostics = log.diagnostics
        return text
    }
}
