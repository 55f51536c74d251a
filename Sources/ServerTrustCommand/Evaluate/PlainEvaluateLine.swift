//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import ArgumentParser
import ServerReports

/// A command line of `evaluate` with the usual options alone, read without ArgumentParser.
///
/// ArgumentParser looks into the type of each option at run time, which takes longer than all else that a short evaluation does
/// (docs/binary.md). Any other line is left to it, and so is a line that is wrong: it says what is wrong with it.
struct PlainEvaluateLine {
    private var chain: [String] = []
    private var host: String?
    private var roots: [RootSource] = []
    private var anchorsOnly = false
    private var profile: ProfileName?
    private var format: PageOutputFormat?

    /// `nil` for a line that ArgumentParser has to read.
    ///
    /// - Parameter arguments: The arguments without the program's name.
    init?(_ arguments: [String]) {
        guard arguments.first == EvaluateCommand.configuration.commandName else { return nil }
        var rest = arguments.dropFirst()
        while let option = rest.popFirst() {
            guard self.read(option, &rest) else { return nil }
        }
    }

    /// Reads an option and what follows it. An option that may be given once is not read a second time.
    private mutating func read(_ option: String, _ rest: inout ArraySlice<String>) -> Bool {
        switch option {
        case "--chain" where self.chain.isEmpty:
            while let file = Self.value(&rest) { self.chain.append(file) }
            return !self.chain.isEmpty
        case "--host" where self.host == nil:
            self.host = Self.value(&rest)
            return self.host != nil
        case "--roots":
            guard let text = Self.value(&rest), let source = try? RootSource(text) else { return false }
            self.roots.append(source)
        case "--anchors-only" where !self.anchorsOnly:
            self.anchorsOnly = true
        case "--profile" where self.profile == nil:
            self.profile = Self.value(&rest).flatMap(ProfileName.init)
            return self.profile != nil
        case "--format" where self.format == nil:
            self.format = Self.value(&rest).flatMap(PageOutputFormat.init)
            return self.format != nil
        default: return false
        }
        return true
    }

    /// The next word, if it is a value and not an option.
    private static func value(_ rest: inout ArraySlice<String>) -> String? {
        guard let word = rest.first, !word.isEmpty, !word.hasPrefix("-") else { return nil }
        return rest.popFirst()
    }

    /// The command, with the defaults of all other options; `nil` where an option is missing or contradicts another.
    var command: EvaluateCommand? {
        guard !self.chain.isEmpty else { return nil }
        var command = EvaluateCommand()
        (command.chain, command.host) = (self.chain, self.host)
        (command.anyHost, command.policy) = (false, .tlsServer)
        (command.trust, command.timestamps, command.pins) = (self.trust, .none, .none)
        (command.revocation, command.fetching, command.output) = (.none, .none, self.output)
        let isValid = (try? command.trust.validate()) != nil && (try? command.validate()) != nil
        return isValid ? command : nil
    }

    private var trust: TrustOptions {
        var options = TrustOptions()
        (options.roots, options.anchorsOnly, options.givenProfile) = (self.roots, self.anchorsOnly, self.profile)
        (options.installedRoots, options.moment, options.acceptsVersion1Issuers) = ([], nil, false)
        (options.lists, options.responses, options.publicTrust) = ([], [], .none)
        return options
    }

    private var output: PageOutputOptions {
        var options = PageOutputOptions()
        (options.format, options.color) = (self.format ?? .text, ColorOption())
        options.color.coloring = .auto
        return options
    }
}

// The groups of options that such a line names none of. Each option needs its value here: ArgumentParser ends the program
// where one is read that has none.

extension PublicTrustArguments {
    fileprivate static var none: PublicTrustArguments {
        var options = PublicTrustArguments()
        (options.source, options.isRequired, options.trustsBlockedRoots) = (AppleDataArguments(), false, false)
        options.source.folder = nil
        (options.policy, options.logList) = (.apple, nil)
        return options
    }
}

extension TimestampArguments {
    fileprivate static var none: TimestampArguments {
        var options = TimestampArguments()
        options.files = []
        return options
    }
}

extension PinArguments {
    fileprivate static var none: PinArguments {
        var options = PinArguments()
        (options.file, options.areRequired, options.dialect) = (nil, false, DialectOption())
        options.dialect.dialect = nil
        return options
    }
}

extension RevocationArguments {
    fileprivate static var none: RevocationArguments {
        var options = RevocationArguments()
        (options.mode, options.mustStaple, options.fetches) = (nil, false, false)
        return options
    }
}

extension FetchArguments {
    fileprivate static var none: FetchArguments {
        var options = FetchArguments()
        (options.givenIssuers, options.cacheFolder, options.timeout) = (nil, nil, nil)
        options.allowsLocalAddresses = false
        return options
    }
}
