//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// A page that is one file: it loads nothing, runs nothing, and reads well on a telephone, a screen and paper, by day and by
/// night.
struct HTMLPage {
    let title: String
    let body: HTMLText

    /// The document.
    var text: String { self.document.markup }

    private var document: HTMLText {
        """
        <!DOCTYPE html>
        <html lang="en">
        <head>
        <meta charset="utf-8">
        <meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
        <meta name="viewport" content="width=device-width, initial-scale=1">
        <meta name="color-scheme" content="light dark">
        <meta name="referrer" content="no-referrer">
        <meta name="robots" content="noindex">
        <meta name="generator" content="servertrust \(ReportTool.version)">
        <title>\(self.title)</title>
        <style>\(HTMLStyle.sheet)</style>
        </head>
        <body>
        \(self.body)
        </body>
        </html>

        """
    }
}
