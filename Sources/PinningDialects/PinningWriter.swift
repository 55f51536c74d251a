//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// Writes configurations.
public struct PinningWriter: Sendable {
    /// What files are written in.
    public var dialect: PinningDialect

    /// A writer.
    public init(_ dialect: PinningDialect) {
        self.dialect = dialect
    }

    /// Writes a configuration. Never fails: what the dialect has no words for is in what is returned.
    ///
    /// The same configuration always becomes the same text.
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
