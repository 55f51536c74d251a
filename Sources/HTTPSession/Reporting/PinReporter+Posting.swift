//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

public import ServerTrust

extension PinReporter {
    /// Creates a reporter that posts its reports with a ``PinReportPoster``.
    ///
    /// An evaluation never waits for a report server. Reports are posted one after the other, each within the time limit of the
    /// configuration. Following reports wait, or are dropped beyond the limits.
    ///
    /// - Parameters:
    ///   - uris: The URIs to which reports are posted: 1 through 16 URIs of `http` or `https`.
    ///   - configuration: The trust in report servers and the limits of a post.
    ///   - limits: The limits on repeated and waiting reports.
    /// - Throws: ``PinReportURIError`` if a URI is not usable, or if there are too few or too many.
    public convenience init(
        postingTo uris: [String], configuration: PinReportPoster.Configuration = PinReportPoster.Configuration(),
        limits: PinReporter.Configuration = PinReporter.Configuration()
    ) throws(PinReportURIError) {
        let poster = try PinReportPoster(uris, configuration: configuration)
        self.init(configuration: limits) { report in await poster.post(report) }
    }
}
