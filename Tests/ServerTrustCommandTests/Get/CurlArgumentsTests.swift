//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import Testing

@testable import ServerTrustCommand

@Suite("Options as curl's users write them")
struct CurlArgumentsTests {
    @Test(
        "Short options are taken apart, and values stay whole whatever they look like",
        arguments: [
            (["get", "-sLo", "f", "u"], ["get", "-s", "-L", "-o", "f", "u"]),
            (["get", "-XPOST", "u"], ["get", "-X", "POST", "u"]),
            (["get", "-uu:p", "u"], ["get", "-u", "u:p", "u"]),
            (["get", "-d", "-foo", "u"], ["get", "-d", "-foo", "u"]),
            (["get", "--data", "-foo", "u"], ["get", "--data=-foo", "u"]),
            (["get", "--user", "-abc:p"], ["get", "--user=-abc:p"]),
            (["get", "--data=-foo"], ["get", "--data=-foo"]), (["get", "-T", "-", "u"], ["get", "-T", "-", "u"]),
            (["get", "--noproxy", "", "u"], ["get", "--noproxy", "", "u"]),
            (["get", "--data", "a", "--data-binary", "@f", "-d", "c"], ["get", "--data=a", "--data=\0@f", "-d", "c"]),
            (["get", "--data-binary=@f"], ["get", "--data=\0@f"]),
            (["get", "--data-binary"], ["get", "--data-binary"]), (["get", "--data-binary="], ["get", "--data=\0"]),
            (["get", "--", "-sL"], ["get", "--", "-sL"]),
            (["get", "--location", "-iv"], ["get", "--location", "-i", "-v"]),
            (["get", "-o"], ["get", "-o"]), (["get", "--data"], ["get", "--data"]), (["get", "-"], ["get", "-"]),
        ])
    func separated(given: [String], expected: [String]) { #expect(CurlArguments.separated(given) == expected) }
}
