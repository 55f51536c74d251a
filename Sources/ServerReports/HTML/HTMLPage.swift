//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import Crypto

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// A page that is one file: it loads nothing, runs nothing but a script of its own, and reads well without it, on a telephone,
/// a screen and paper, by day and by night.
struct HTMLPage {
    /// Buttons that copy. It is allowed by its digest, and no other may run.
    private static let script = HTMLText(resource: PackageResources.page_js)
    private static let scriptDigest = Data(SHA256.hash(data: Data(PackageResources.page_js))).base64EncodedString()
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
        <meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'; \
        script-src 'sha256-\(Self.scriptDigest)'; base-uri 'none'; form-action 'none'">
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
        <script>\(Self.script)</script>
        </body>
        </html>

        """
    }
}
