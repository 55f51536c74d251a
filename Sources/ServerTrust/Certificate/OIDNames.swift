//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import CertificatePath

/// The well-known names of object identifiers.
package enum OIDNames {
    package static func name(of identifier: OID) -> String {
        let text = "\(identifier)"
        return Self.names[text].map { "\($0) (\(text))" } ?? text
    }

    private static let names: [String: String] = [
        "1.3.6.1.5.5.7.3.1": "serverAuth",
        "1.3.6.1.5.5.7.3.2": "clientAuth",
        "1.3.6.1.5.5.7.3.3": "codeSigning",
        "1.3.6.1.5.5.7.3.4": "emailProtection",
        "1.3.6.1.5.5.7.3.8": "timeStamping",
        "1.3.6.1.5.5.7.3.9": "OCSPSigning",
        "2.5.29.37.0": "anyExtendedKeyUsage",
        "2.5.29.14": "subjectKeyIdentifier",
        "2.5.29.15": "keyUsage",
        "2.5.29.17": "subjectAltName",
        "2.5.29.19": "basicConstraints",
        "2.5.29.30": "nameConstraints",
        "2.5.29.31": "cRLDistributionPoints",
        "2.5.29.32": "certificatePolicies",
        "2.5.29.33": "policyMappings",
        "2.5.29.35": "authorityKeyIdentifier",
        "2.5.29.36": "policyConstraints",
        "2.5.29.37": "extKeyUsage",
        "2.5.29.54": "inhibitAnyPolicy",
        "1.3.6.1.5.5.7.1.1": "authorityInfoAccess",
        "1.3.6.1.5.5.7.1.3": "qcStatements",
    ]
}
