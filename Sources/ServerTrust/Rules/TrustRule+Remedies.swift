//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

extension TrustRule {
    static let validityRemedies: [String: [Advice]] = [
        "expired": [
            (
                .leaf,
                "Renew the certificate and install the new one. If the moment it was judged at is wrong, set this machine's clock, or --at."
            ),
            (
                .intermediate,
                "The certificate is its authority's, and not yours to renew: download the current intermediate from the authority and have the server send it in place of this one."
            ),
            (
                .root,
                "The root is its authority's, and not yours to renew: get a certificate that leads to a current root, and update what is trusted."
            ),
        ],
        "not-yet-valid": [
            (
                .leaf,
                "If the moment it was judged at is wrong, set this machine's clock, or --at. If it is right, wait, or have the certificate issued with an earlier start."
            ),
            (
                .intermediate,
                "If the moment it was judged at is wrong, set this machine's clock, or --at. If it is right, have the server send the intermediate that is valid now."
            ),
            (
                .root,
                "If the moment it was judged at is wrong, set this machine's clock, or --at. If it is right, use a root that is valid now."
            ),
        ],
        "lifetime-too-long": [
            (.leaf, "Have the certificate issued for a shorter time; other systems may accept it, Apple's do not.")
        ],
    ]

    static let chainRemedies: [String: [Advice]] = [
        "untrusted-root": [
            (
                .root,
                "If the root is your own, trust it with --roots FILE, and install it on the devices; if not, get a certificate from a public authority."
            ),
            (
                .selfSignedServer,
                "If the certificate is your own, trust it with --roots FILE, or better have it issued by an authority of your own; if not, get a certificate from a public authority."
            ),
        ],
        "blocked-root": [
            (
                .leaf,
                "Get a certificate from another public authority: Apple's systems refuse everything below this root, even where it is installed."
            )
        ],
        "unknown-issuer": [
            (
                .leaf,
                "If the issuer is an intermediate, have the server send it behind its own certificate (the file is often named fullchain). If it is a root of your own, trust it with --roots FILE."
            ),
            (
                .intermediate,
                "If the issuer is a root of your own, trust it with --roots FILE; a server does not send roots. If it is another intermediate, have the server send it. If it is neither, get a certificate from a public authority."
            ),
            (
                .fetchableIssuer,
                "Have the server send the issuer, which the certificate says where to get. Apple's systems fetch it from there, as --fetch-issuers does; other clients do not."
            ),
        ],
        "bad-signature": [
            (
                .leaf,
                "Install the certificate and its intermediates again as the authority delivered them: one was changed, or is of another authority of the same name."
            )
        ],
        "signature-algorithm-mismatch": [
            (.leaf, "Have the certificate issued again: it was changed, or its issuer writes wrong certificates.")
        ],
        "malformed-name": [(.leaf, "Have the certificate issued again by software that writes distinguished names.")],
        "key-identifier-mismatch": [
            (.leaf, "Have the server send the issuer whose subject key identifier the certificate names.")
        ],
        "too-many-intermediates": [(.leaf, "Use a path with fewer intermediates, or raise the limit.")],
        "path-too-long": [(.leaf, "Send fewer intermediates, or trust one of the upper ones as an anchor.")],
        "path-length": [
            (.intermediate, "Use an intermediate that may issue this far down, or a path with fewer intermediates.")
        ],
        "budget-exceeded": [
            (.leaf, "Send only the certificates of the path; such sets are made to keep validators busy.")
        ],
    ]

    static let algorithmRemedies: [String: [Advice]] = [
        "unsupported-signature-algorithm": [
            (.leaf, "Have the certificate issued again, signed with RSA or ECDSA over SHA-256 or better.")
        ],
        "signature-algorithm-not-accepted": [
            (
                .leaf,
                "Have the certificate issued again, signed with sha256WithRSAEncryption (PKCS #1 v1.5) or ECDSA. In openssl's command lines leave out rsa_padding_mode:pss."
            ),
            (
                .intermediate,
                "Have the issuer's certificate issued again, signed with sha256WithRSAEncryption (PKCS #1 v1.5) or ECDSA, with the same key. The certificates below it may stay."
            ),
        ],
        "key-algorithm-not-accepted": [
            (.leaf, "Make a new key of the kind rsaEncryption or on P-256, and have it certified."),
            (
                .intermediate,
                "Have the certificate issued by an authority whose key is of the kind rsaEncryption or on P-256."
            ),
            (.root, "Have the certificate issued below a root whose key is of the kind rsaEncryption or on P-256."),
        ],
        "unsupported-key": [
            (.leaf, "Use an issuer with an RSA key from 1,024 bits or a key on P-256, P-384 or P-521.")
        ],
        "weak-key": Self.newKey, "key-too-small": Self.newKey, "key-kind": Self.newKey,
        "broken-digest": Self.betterDigest, "weak-signature": Self.betterDigest,
    ]

    private static let newKey: [Advice] = [
        (.leaf, "Make a new key, RSA of 2,048 bits or on P-256, and have it certified."),
        (
            .intermediate,
            "Have the certificate issued by an authority whose key is RSA of 2,048 bits or on P-256 at least: this one's is not yours to change."
        ),
        (.root, "Have the certificate issued below a root whose key is RSA of 2,048 bits or on P-256 at least."),
    ]

    private static let betterDigest: [Advice] = [
        (.leaf, "Have the certificate issued again, signed over SHA-256 or better."),
        (
            .intermediate,
            "Have the server send an intermediate that is signed over SHA-256 or better; ask the authority for it."
        ),
        (.root, "Use a root that is signed over SHA-256 or better."),
    ]

    static let nameRemedies: [String: [Advice]] = [
        "name-mismatch": [
            (
                .leaf,
                "Connect under a name the certificate has, or have this one added to its subject alternative name."
            ),
            (
                .addressAsDNSName,
                "Have the certificate issued with the address as an IP address in its subject alternative name (iPAddress), not as a DNS name."
            ),
            (
                .noUsableName,
                "Have the certificate issued again with this name in its subject alternative name: no name that it has now can match a host."
            ),
            (
                .oldVersion,
                "Have the certificate issued as version 3 with this name in a subject alternative name: versions 1 and 2 have none (openssl x509 -req needs -extfile)."
            ),
            (.impossibleName, "Ask for a DNS name or an IP address, as it stands in a URL."),
        ],
        "name-constraints": [
            (
                .leaf,
                "Have the certificate issued for names that the issuer may vouch for, or by an issuer that may vouch for these."
            ),
            (.intermediate, "Use an intermediate whose own name its issuers permit."),
        ],
        "empty-subject": [
            (.leaf, "Have the certificate issued with a subject, or with a critical subject alternative name."),
            (.intermediate, "Use an authority whose certificate has a subject."),
        ],
    ]

    static let extensionRemedies: [String: [Advice]] = [
        "basic-constraints-missing": Self.authority, "not-a-ca": Self.authority,
        "old-version-issuer": [
            (
                .intermediate,
                "Have the issuer's certificate issued again in version 3 with basic constraints. Apple's systems accept a version 1 issuer below a version 1 root; --dangerously-accept-version-1-issuers does so too."
            )
        ],
        "critical-extension": [
            (.leaf, "Have the certificate issued without the extension, or with the extension not critical."),
            (.intermediate, "Use an authority whose certificate does not have the extension, or has it not critical."),
        ],
        "malformed-extension": Self.wellFormed, "duplicate-extension": Self.wellFormed,
        "policy": [
            (
                .leaf,
                "Have the certificates issued with a policy in common, which an authority may require by its policy constraints. Where the caller requires one, name a policy that they share."
            )
        ],
    ]

    private static let authority: [Advice] = [
        (
            .intermediate,
            "Have the leaf issued by a certificate authority: version 3, with basic constraints that say cA. The certificate above it is a server's or a person's."
        )
    ]

    private static let wellFormed: [Advice] = [
        (.leaf, "Have the certificate issued again by software that writes its extensions correctly and once."),
        (.intermediate, "Use an authority whose certificate is written correctly."),
    ]

    static let useRemedies: [String: [Advice]] = [
        "eku": [
            (.leaf, "Have the certificate issued with the usage that is required."),
            (
                .intermediate,
                "Have the certificate issued by an authority that may issue for this use: this one's extended key usage limits what it issues."
            ),
            (
                .oldVersion,
                "Have the certificate issued as version 3 with the usage that is required (openssl x509 -req needs -extfile)."
            ),
        ],
        "server-auth-missing": [
            (.leaf, "Have the certificate issued with the extended key usage serverAuth (1.3.6.1.5.5.7.3.1)."),
            (
                .oldVersion,
                "Have the certificate issued as version 3 with the extended key usage serverAuth: version 1 has no extensions (openssl x509 -req needs -extfile)."
            ),
        ],
        "key-usage": [
            (.leaf, "Have the certificate issued with the key usage that is missing, or without the extension."),
            (
                .intermediate,
                "Have the leaf issued by an authority whose key usage has keyCertSign; ask the authority for its right certificate."
            ),
            (.root, "Trust a root whose key usage has keyCertSign."),
        ],
    ]

    private static let pinned: [Advice] = [
        (.leaf, "If the server's key was changed on purpose, update the pins; if not, someone may be in between.")
    ]

    static let pinRemedies: [String: [Advice]] = [
        "leaf-key-not-pinned": Self.pinned, "authority-key-not-pinned": Self.pinned,
        "path-not-pinned": Self.pinned, "anchor-not-pinned": Self.pinned,
    ]

    static let statusRemedies: [String: [Advice]] = [
        "revoked": [
            (.leaf, "Do not use the certificate any more: make a new key and have it certified."),
            (.intermediate, "Get a certificate from another intermediate: everything that this one issued is void."),
        ],
        "revocation-unknown": [
            (
                .leaf,
                "Give or fetch a current revocation list or OCSP response about the certificate, or do not require one."
            ),
            (
                .unusableEvidence,
                "Get a list or response that is current and signed by the issuer, in place of the one at hand, or do not require one."
            ),
        ],
        "must-staple": [
            (
                .leaf,
                "Turn OCSP stapling on in the server and see that it reaches its authority's responder; or have the certificate issued without must-staple."
            ),
            (
                .unusableEvidence,
                "See that the server renews the OCSP response that it staples; or have the certificate issued without must-staple."
            ),
        ],
        "tls-feature": [
            (.leaf, "Have the certificate issued again with the TLS feature extension of its issuer (RFC 7633).")
        ],
        "certificate-transparency": [
            (
                .leaf,
                "Have the certificate issued by an authority that submits to enough logs of the list that was used, and puts the timestamps in."
            ),
            (
                .unknownLogs,
                "Have the certificate issued by an authority that submits to enough logs of the list that was used, and puts the timestamps in. A newer list may know the logs that are unknown here: servertrust apple-data update."
            ),
        ],
        "certificate-transparency/chrome": [
            (
                .leaf,
                "Have the certificate issued by an authority that submits to enough logs of the list that was used, run by two operators or more, and puts the timestamps in."
            ),
            (
                .fewOperators,
                "The timestamps suffice in number: have the certificate issued again with one of them from a log of another operator."
            ),
            (
                .unknownLogs,
                "A newer list may know the logs that are unknown here: fetch Google's log_list.json again and give it with --log-list. Otherwise have the certificate issued with timestamps of logs of two operators."
            ),
        ],
    ]
}
