//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

package import ServerReports

/// The codes of the proxy's own responses, for cases without a rule of trust or of App Transport Security.
package enum RefusalCode: String, Sendable, CaseIterable {
    case badRequest = "bad-request"
    case notAProxyRequest = "not-a-proxy-request"
    case requestReflection = "request-reflection"
    case misdirected
    case clientCredential = "client-credential"
    case tooManyConnections = "too-many-connections"
    case portNotAllowed = "port-not-allowed"
    case localAddress = "local-address"
    case ownAddress = "own-address"
    case nameNotPermitted = "name-not-permitted"
    case upstreamCredential = "upstream-credential"
    case noResponse = "no-response"
    case timeout
    case unaskedUpgrade = "unasked-upgrade"
    case custom

    package static let explained = Self.allCases.map { code in
        ExplainedCode(.proxy, code.rawValue, sentence: code.sentence, remedy: code.remedy)
    }

    private var sentence: String {
        switch self {
        case .badRequest: "What a program sent to the proxy is no request that it can carry out."
        case .notAProxyRequest: "A program spoke to the proxy as if it were the server itself."
        case .requestReflection: "A request asks the proxy to send it back, which would show what programs send."
        case .misdirected: "A request in a tunnel is for another server than the tunnel."
        case .clientCredential: "The proxy asks programs for a user and a password, and got none, or others."
        case .tooManyConnections: "The proxy has as many connections as it takes, or is stopping."
        case .portNotAllowed: "The proxy connects to ports 80, 443 and 8443 alone, and to those it was started with."
        case .localAddress: "The server is at an address of the machine that the proxy runs on."
        case .ownAddress: "The server that was asked for is the proxy itself."
        case .nameNotPermitted: "The root of the proxy certifies some hosts alone, and this is another one."
        case .upstreamCredential: "The proxy on the way to servers asks for a user and a password, or refuses them."
        case .noResponse: "The server cannot be reached, or its response did not come, or not whole."
        case .timeout: "The server did not answer in time."
        case .unaskedUpgrade: "The server changes to another protocol, which was not asked for."
        case .custom: "A rule of the program that the proxy is part of refuses the server."
        }
    }

    private var remedy: String {
        switch self {
        case .badRequest:
            "Have the program that sent it corrected. Requests for https come through a tunnel (CONNECT)."
        case .notAProxyRequest:
            "Set it as the proxy of the program, with https_proxy=http://ADDRESS:PORT for instance."
        case .requestReflection: "Leave Max-Forwards out, so that the server answers."
        case .misdirected: "Have the program open a tunnel to that server."
        case .clientCredential: "Give them to the program: http://USER:PASSWORD@ADDRESS:PORT for instance."
        case .tooManyConnections: "Try again when others have ended."
        case .portNotAllowed: "Have the proxy allow the port to let programs reach the server."
        case .localAddress: "Have the proxy allow local addresses to let programs reach it."
        case .ownAddress: "Name the server that the program is to reach."
        case .nameNotPermitted:
            "Start the proxy with a root that may certify the host."
        case .upstreamCredential: "Give the proxy a user and a password for the upstream proxy."
        case .noResponse:
            "Check that the server runs, and the way to it. Check the server to see more of its TLS."
        case .timeout: "Try again, and look at what the server does with the request."
        case .unaskedUpgrade: "Have the server corrected."
        case .custom: "See what the program says of it."
        }
    }
}
