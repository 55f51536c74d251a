//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

public import ArgumentParser
public import PinningDialects
import ServerTrust

/// The options for a file of pins that servers must also match.
struct PinArguments: ParsableArguments {
    @Option(
        name: .customLong("pins"),
        help: ArgumentHelp(
            "Refuse paths without what this file pins for the host.",
            discussion:
                "Info.plist, network_security_config.xml, TrustKit's, OkHttp's, curl's, or this program's own JSON "
                + "(docs/pins.md). Hosts without an entry are judged as without the file. See --require-pins.",
            valueName: "file"
        ), completion: .file()
    )
    var file: String?

    @Flag(
        name: .customLong("require-pins"),
        help: ArgumentHelp(
            "Refuse hosts that the file of --pins has no pins for.",
            discussion: "A host that is misspelt in the file is then not let through."))
    var areRequired = false

    @Option(name: .customLong("pins-dialect"), help: PinningDialect.help) var dialect: PinningDialect?

    func validate() throws {
        if self.areRequired, self.file == nil {
            throw ValidationError("--require-pins is about the hosts of --pins. Add --pins FILE")
        }
        if self.dialect != nil, self.file == nil {
            throw ValidationError("--pins-dialect says how to read --pins. Add --pins FILE")
        }
    }

    /// Reads the file and reports its ignored parts on standard error.
    ///
    /// - Throws: ``CommandError`` if the file has an error. Nothing is then evaluated.
    func pins() throws -> PinsFile? {
        guard let file else { return nil }
        let pins = try PinsFile(file, self.dialect)
        try pins.requireUsable()
        if let warning = pins.warning { Console.complain(warning) }
        return pins
    }
}

extension PinningDialect: ExpressibleByArgument {
    /// The help of the option for the dialect of a file of pins.
    static let help = ArgumentHelp(
        "What the file of pins is written in. (default: told by its contents)", valueName: "dialect")
}
