//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

public import ServerTrust

extension PinReporter {
    /// A reporter that posts what it is handed: see ``PinReportPoster``.
    ///
    /// An evaluation leaves its report and goes on; it never waits for a server. Reports are posted one after the other,
    /// each within the time of the configuration, and while one is under way the others wait or, beyond the limits, are
    /// dropped.
    ///
    /// - Parameters:
    ///   - uris: Where reports are posted to: 1 through 16 URIs of `http` or `https`.
    ///   - configuration: What is trusted and may be connected to, and the limits of a post.
    ///   - limits: How often the same report is posted, and how many may wait.
    /// - Throws: ``PinReportURIError`` for URIs nothing can be posted to.
    public convenience init(
        postingTo uris: [String], configuration: PinReportPoster.Configuration = PinReportPoster.Configuration(),
        limits: PinReporter.Configuration = PinReporter.Configuration()
    ) throws(PinReportURIError) {
        let poster = try PinReportPoster(uris, configuration: configuration)
        self.init(configuration: limits) { report in await poster.post(report) }
    }
}
