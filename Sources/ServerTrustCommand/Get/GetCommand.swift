//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import AppTransportSecurity
import ArgumentParser
import CertificatePath
import HTTPSession
import HTTPTypes
import ServerReports
import ServerTrust
import ServerTrustNIO

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// `servertrust get`: downloads from servers that pass trust, pins and App Transport Security.
struct GetCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "get",
        abstract: "Download over HTTPS, from trusted servers only.",
        discussion: """
            Options have curl's names and meaning. The content goes to standard output. A server that is not trusted gets no \
            request, no credential and no client certificate, also after redirects and behind proxies. No option accepts \
            such a server.

            EXAMPLES
              servertrust get https://example.com/
              servertrust get https://api.example.com/v1 --ats Info.plist
                  Applies the rules of this app: App Transport Security with its exceptions, and its pins.
              servertrust get https://db.internal/ --roots our-ca.pem --anchors-only
                  Trusts a private authority only.
              servertrust get -L -o file.zip -C - https://example.com/file.zip
                  Follows redirects, and continues the file.
              servertrust get -u user:password --anyauth https://example.com/
                  Uses the strongest method that the server offers.
              servertrust get -d name=lamp -H 'Accept: application/json' https://example.com/items
              servertrust get -v https://example.com/
                  Reports the connection, and the reason the server is trusted.

            EXIT CODES
              0  the server responded, with any status (see --fail)
              1  trust or policy refused a server
              2  any other failure
            """
    )

    @Argument(
        help: ArgumentHelp("The URLs, loaded one after another. Without a scheme https is meant.", valueName: "url"))
    var urls: [String]

    @OptionGroup(title: "Request") var request: GetRequestOptions

    @OptionGroup(title: "Redirects and repetition") var redirects: GetRedirectOptions

    @OptionGroup(title: "Authentication") var authentication: GetAuthenticationOptions

    @OptionGroup(title: "Cookies") var cookies: GetCookieOptions

    @OptionGroup(title: "Proxy") var proxy: GetProxyOptions

    @OptionGroup(title: "Connection") var connection: GetConnectionOptions

    @OptionGroup(title: "Trust") var commonTrust: TrustOptions

    @OptionGroup(title: "Trust") var trust: GetTrustOptions

    @OptionGroup(title: "Output") var output: GetOutputOptions

    func validate() throws {
        try self.trust.check(self.commonTrust)
        if self.output.files.count > self.urls.count {
            throw ValidationError("--output is given more often than URLs are. Give one for each URL")
        }
        if self.request.uploadedFiles.count > self.urls.count {
            throw ValidationError("--upload-file is given more often than URLs are. Give one for each URL")
        }
    }

    func run() async throws {
        // The time for reading input counts as part of the first transfer.
        let deadline = self.connection.deadline
        let (session, input) = try await BlockingInput.read(until: deadline) {
            var input = try GetRequestInput(self.request)
            input.netrc = try self.authentication.netrc(home: ProcessInfo.processInfo.environment["HOME"])
            return (HTTPSession(try self.configuration()), input)
        }
        for text in input.textsWithoutField where !self.output.isSilent {
            Console.complain("--header '\(text)' is not sent: it has no name with a colon behind it")
        }
        var worst = ReportVerdict.trusted
        for (position, url) in self.urls.enumerated() {
            do {
                try await GetTransfer(self, session, input: input, url: url, position: position)
                    .run(until: position == 0 ? deadline : self.connection.deadline)
            } catch {
                if !self.output.isSilent || self.output.showsErrors { self.narrator.fail(error, Self.text(of: error)) }
                let isRefusal = (error as? HTTPSessionError).map { $0.isRefusal && !$0.isForWantOfLogs } ?? false
                worst = max(worst, isRefusal ? .notTrusted : .notEvaluated)
            }
        }
        try self.keepCookies(of: session)
        try worst.finish()
    }

    private func configuration() throws -> HTTPSessionConfiguration {
        let proxies = try self.proxy.policy(ProcessInfo.processInfo.environment)
        var configuration = HTTPSessionConfiguration(
            trust: try self.trust.settings(
                self.commonTrust, connects: !proxies.isUsed, unpinned: self.output.isSilent ? nil : UnpinnedHosts()))
        configuration.dangerouslyAllowsPlainHTTP = self.trust.allowsPlainHTTP
        configuration.proxies = proxies
        // With a proxy, the settings fetch only if an option requests it.
        configuration.fetchesPastProxies = true
        configuration.routes = try self.connection.routes()
        configuration.offersHTTP2 = !self.connection.isHTTP1
        configuration.userAgent = "servertrust/\(ReportTool.version)"
        if let agent = self.request.userAgent { configuration.userAgent = agent.isEmpty ? nil : agent }
        configuration.decodesContent = self.request.isCompressed
        configuration.timeouts.total = GetConnectionOptions.duration(self.connection.maximumTime)
        configuration.timeouts.connect =
            GetConnectionOptions.duration(self.connection.connectTimeout) ?? configuration.timeouts.connect
        configuration.cookies = try self.cookieStorage()
        if self.output.isVerbose { configuration.observer = self.narrator }
        return configuration
    }

    private var narrator: SessionNarrator {
        SessionNarrator(asJSON: self.output.format == .json, say: Console.say, complain: Console.complain)
    }

    /// Returns the text of an error with the option that is its remedy.
    private static func text(of error: any Error) -> String {
        guard let error = error as? HTTPSessionError else { return "\(error)" }
        if case .plainHTTP = error.kind { return "\(error) --insecure-http allows them." }
        return error.code == .clientCertificateRequired ? "\(error) --cert FILE gives one." : "\(error)"
    }

    // MARK: Cookies

    /// Creates the storage for cookies with those of the files, or `nil` if no cookies are stored.
    private func cookieStorage() throws -> HTTPCookieStorage? {
        guard self.cookies.areKept else { return nil }
        var jar = CookieJar()
        for file in self.cookies.files where !file.isEmpty {
            // A missing file contains no cookies, as with curl.
            let text = file == "-" ? try TransferInput.octets(of: file) : try CookieFile.read(file)
            let origin = try? HTTPURL(self.urls[0])
            let notes = NetscapeCookieText.read(
                text ?? [], into: &jar, at: Timestamp(Date()), fieldsFrom: origin?.cookieOrigin)
            for note in notes where self.output.isVerbose {
                Console.complain("\(file), line \(note.line) holds no cookie: \(note.description)")
            }
        }
        if self.cookies.dropsSessionCookies { jar.removeSessionCookies() }
        return HTTPCookieStorage(jar)
    }

    private func keepCookies(of session: HTTPSession) throws {
        guard let file = self.cookies.jarFile, let storage = session.configuration.cookies else { return }
        let text = NetscapeCookieText.write(storage.jar, at: Timestamp(Date()))
        guard file != "-" else {
            try Console.write(text)
            return
        }
        do {
            try CookieFile.write(text, to: file)
        } catch  where error.reason == .notRegularFile {
            // The output may be /dev/null or a pipe.
            var output = try TransferOutput(file, appends: true, standardOutput: Console.write)
            defer { output.close() }
            try output.write(text)
        } catch {
            // The transfers are complete, so this error does not fail the command, as with curl.
            if !self.output.isSilent { Console.complain("\(error)") }
        }
    }
}

/// The options for redirects, with curl's names.
struct GetRedirectOptions: ParsableArguments {
    @Flag(name: [.customShort("L"), .customLong("location")], help: "Follow redirects.")
    var areFollowed = false

    @Option(
        name: .customLong("max-redirs"), parsing: .unconditional,
        help: ArgumentHelp(
            "How many redirects are followed. With one more the transfer fails. (default: 50)", valueName: "count"))
    var maximumCount: Int?

    @Flag(
        name: .customLong("location-trusted"),
        help: "Follow redirects, and send user, password, cookies and their fields to every server that one leads to.")
    var sendsCredentials = false

    @Flag(name: .customLong("post301"), help: "A POST stays a POST after status 301.")
    var keepsPostAfter301 = false

    @Flag(name: .customLong("post302"), help: "A POST stays a POST after status 302.")
    var keepsPostAfter302 = false

    @Flag(name: .customLong("post303"), help: "A POST stays a POST after status 303.")
    var keepsPostAfter303 = false

    @Option(
        name: .customLong("retry"),
        help: ArgumentHelp(
            "How often to try again after status 408, 429, 500, 502, 503 and 504, and after timeouts: after one second, then twice as "
                + "long, or when the server says.", valueName: "count"))
    var retryCount = 0

    func validate() throws {
        if let maximumCount, maximumCount < -1 {
            throw ValidationError("--max-redirs takes a number of redirects, 0 or more")
        }
        guard (0...100).contains(self.retryCount) else { throw ValidationError("--retry takes a number from 0 to 100") }
    }

    /// Returns the policy for redirects.
    ///
    /// - Parameters:
    ///   - rules: The method that determines the redirect rules for a request with --request, or `nil` if there is none.
    ///   - setsReferer: `true` if redirected requests name the previous URL.
    func policy(rulesOf rules: HTTPRequest.Method?, setsReferer: Bool) -> RedirectPolicy {
        guard self.areFollowed || self.sendsCredentials else { return .none }
        var policy = RedirectPolicy()
        // curl's -1 means no limit, but this command always has one.
        policy.maximumCount = min(self.maximumCount == -1 ? .max : self.maximumCount ?? 50, 10_000)
        (policy.rulesOfMethod, policy.setsReferer) = (rules, setsReferer)
        policy.allowsDowngrade = true
        let keeps = [301: self.keepsPostAfter301, 302: self.keepsPostAfter302, 303: self.keepsPostAfter303]
        policy.statusesKeepingPost = Set(keeps.filter(\.value).keys)
        policy.dangerouslySendsCredentialsToAnyOrigin = self.sendsCredentials
        return policy
    }
}
