//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

extension ATSKey {
    /// The justification that the App Store expects, with the kinds of reasons that Apple says it considers ("Preventing Insecure
    /// Network Connections", under "Provide Justification for Exceptions").
    var justification: String {
        let task = "Explain with the submission why the app cannot connect securely by default"
        return switch self {
        case .allowsArbitraryLoads:
            "\(task) and cannot name the hosts, for instance as it embeds web content of many sources in a way that the "
                + "exception for web content does not cover."
        case .allowsArbitraryLoadsForMedia:
            "\(task), for instance as the media it loads are encrypted themselves and hold nothing personal."
        case .allowsArbitraryLoadsInWebContent:
            "\(task), for instance as its web views show pages from servers of others that offer no secure connections."
        default:
            "\(task), for instance as another organization runs the server and offers no secure connections, or as devices "
                + "that cannot be upgraded have to be reached under public names."
        }
    }
}
