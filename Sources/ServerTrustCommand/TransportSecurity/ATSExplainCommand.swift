//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

public import AppTransportSecurity
import AppleFiles
public import ArgumentParser
import ServerReports

/// `servertrust ats explain`: the requirements of an Info.plist for connections, with the keys that determine them.
struct ATSExplainCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "explain",
        abstract: "Show the requirements of an Info.plist for a URL, with the key and line behind each.",
        discussion: """
            Shows for each URL the permission of plain HTTP, the minimum version of TLS, the cipher suites, the requirements for \
            certificates, the pins, and the ignored keys of the file. Connects to nothing.

            EXAMPLES
              servertrust ats explain Info.plist https://api.example.com http://legacy.example.com
              servertrust ats explain Info.plist https://192.168.1.20 --target-os ios16
                  Reads the file as an older release does.
              servertrust ats explain Info.plist http://cdn.example.com --client web
                  Answers for a web view. Media is AVFoundation, management is the system itself.

            EXIT CODES
              0  explained
              1  a URL with http is refused before a byte is sent
              2  not evaluated: wrong arguments, an Info.plist that cannot be read
            """
    )

    @Argument(
        help: ArgumentHelp("The app's Info.plist: XML, binary, or JSON.", valueName: "Info.plist"), completion: .file())
    var file: String

    @Argument(help: ArgumentHelp("The URLs to load. Without a scheme, https is meant.", valueName: "url"))
    var urls: [String] = []

    @OptionGroup(title: "Rules")
    var rules: ATSOptions

    @OptionGroup(title: "Loads")
    var loads: ATSLoadOptions

    @OptionGroup(title: "Output")
    var output: OutputOptions<ExplanationReport>

    func validate() throws {
        guard !self.urls.isEmpty else {
            throw ValidationError(
                "no URL to explain. Give the URLs that the app loads, such as https://api.example.com. 'servertrust ats lint "
                    + "\(DisplayText.text(self.file))' checks the whole file")
        }
        for url in self.urls { _ = try self.loads.destination(url) }
    }

    func run() throws {
        let policy = try ATSPolicy(file: self.file, self.rules)
        let explained = try self.urls.map { url in
            ExplainedLoad(
                url: url, destination: try self.loads.destination(url), policy: policy, client: self.loads.client)
        }
        let report = ExplanationReport(
            explained, by: self.file, configuration: policy.configuration, client: self.loads.client)
        try self.output.write(report)
        try report.verdict.finish()
    }
}

/// The options for the client and for local destinations.
struct ATSLoadOptions: ParsableArguments {
    @Option(
        name: .customLong("client"),
        help: "The client: app (URLSession), web (web views), media (AVFoundation), or management (the system itself).")
    var client = ATSClient.app

    @Flag(
        name: .customLong("local"), inversion: .prefixedNo,
        help: "Whether the hosts count as local. Without: names without a dot, .local, this machine and this link.")
    var isLocal: Bool?

    func destination(_ url: String) throws -> ATSDestination {
        do {
            var destination = try ATSDestination(url: url)
            destination.isLocal = self.isLocal
            return destination
        } catch {
            throw ValidationError("\(error)")
        }
    }
}

extension ATSClient: ExpressibleByArgument {}

extension ATSPolicy {
    /// Reads the policy of a file, and reports ignored keys on standard error.
    ///
    /// - Throws: ``CommandError`` if the file cannot be read.
    init(file: String, _ options: ATSOptions) throws(CommandError) {
        let lists = AppPropertyList.all(at: file)
        let propertyList: InfoPropertyList
        switch lists.first?.result {
        case .success(let list): propertyList = list
        case .failure(let error): throw CommandError("\(file): \(error)")
        case nil: throw CommandError("\(file): it has no Info.plist. Give the Info.plist of an app")
        }
        for list in lists {
            if let note = list.note { Console.complain("\(list.path): \(note)") }
            let differences = lists.first.map { list.differences(from: $0) } ?? []
            guard !differences.isEmpty else { continue }
            Console.complain(
                "\(list.path) differs from \(lists[0].path), which is read, in \(differences.joined(separator: ", "))")
        }
        if let warning = propertyList.transportSecurity?.warning { Console.complain("\(file): \(warning)") }
        self.init(propertyList, configuration: options.configuration)
    }
}
