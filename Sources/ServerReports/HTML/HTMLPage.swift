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

/// A page in a single file. It loads nothing, runs only its own script, and is readable without the script on telephones, screens
/// and paper, in light and dark mode.
struct HTMLPage {
    /// The script for buttons that copy. The content security policy permits it by its digest and forbids all others.
    private static let script = HTMLText(resource: PackageResources.page_js)
    private static let scriptDigest = Data(SHA256.hash(data: Data(PackageResources.page_js))).base64EncodedString()
    let title: String
    let body: HTMLText

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
