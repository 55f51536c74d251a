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
        var fitting = DomainFitting(self.dialect.capabilities)
        let fitted = fitting.fit(configuration)
        var log = fitting.log
        var text = PinningText("")
        switch self.dialect {
        case .ios: text = AppleWriter.write(fitted)
        case .android: text = AndroidWriter.write(fitted, &log)
        case .trustkit: text = TrustKitWriter.write(fitted, &log)
        case .okhttp: text = OkHttpWriter.write(fitted)
        case .curl: text = CurlWriter.write(fitted)
        case .json: text = PinningText(JSONText.text(of: NativeWriter.tree(of: fitted)))
        case .yaml: text = PinningText(YAMLText.text(of: NativeWriter.tree(of: fitted)))
        }
        text.diagnostics = log.diagnostics
        return text
    }
}
