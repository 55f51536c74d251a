//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import TLSWire

extension ServerSyntax {
    /// https://learn.microsoft.com/windows-server/security/tls/tls-registry-settings
    static let iis = ServerSyntax(
        place: "# in PowerShell as administrator. It holds for the whole machine, after a restart",
        versions: """
            # TLS 1.3 needs Windows Server 2022
            foreach ($version in 'TLS 1.2', 'TLS 1.3') {
                $key = "HKLM:\\SYSTEM\\CurrentControlSet\\Control\\SecurityProviders\\SCHANNEL\\Protocols\\$version\\Server"
                New-Item $key -Force | Out-Null
                Set-ItemProperty $key -Name Enabled -Value 1 -Type DWord
                Set-ItemProperty $key -Name DisabledByDefault -Value 0 -Type DWord
            }
            """,
        suites: { names in
            names.enumerated().map { "Enable-TlsCipherSuite -Name \($1) -Position \($0)" }.joined(separator: "\n")
        },
        name: { Self.schannel.contains($0.rawValue) ? $0.description : nil },
        groups: """
            Enable-TlsEccCurve -Name curve25519 -Position 0
            Enable-TlsEccCurve -Name NistP256 -Position 1
            Enable-TlsEccCurve -Name NistP384 -Position 2
            """,
        signatures: """
            # Windows signs over SHA-256 wherever a client offers it: what answers is not IIS, or something before it.
            """,
        newSuites: """
            # in PowerShell as administrator; since Windows Server 2022
            Enable-TlsCipherSuite -Name TLS_AES_256_GCM_SHA384 -Position 0
            Enable-TlsCipherSuite -Name TLS_AES_128_GCM_SHA256 -Position 1
            """,
        certificate: "# in PowerShell as administrator, with the name of the site\n\(Self.iisFiles)",
        listening: { _, port in
            """
            # in PowerShell as administrator, with the name of the site
            New-WebBinding -Name 'Default Web Site' -Protocol https -Port \(port)
            \(Self.iisFiles)
            """
        },
        site: { host in
            """
            # in PowerShell as administrator, with the name of the site and a certificate for the host
            New-WebBinding -Name 'Default Web Site' -Protocol https -Port 443 -HostHeader \(host) -SslFlags 1
            """
        },
        defaultSite: { port in
            """
            # in PowerShell as administrator: a binding without a host name answers connections without one
            New-WebBinding -Name 'Default Web Site' -Protocol https -Port \(port) -SslFlags 0
            """
        },
        applicationProtocols: """
            # in PowerShell as administrator; after a restart. Windows has them unless they were turned off
            $key = 'HKLM:\\SYSTEM\\CurrentControlSet\\Services\\HTTP\\Parameters'
            Set-ItemProperty $key -Name EnableHttp2Tls -Value 1 -Type DWord
            """,
        extendedMasterSecret: "# Windows does it since the update KB3081320, not a setting. TLS 1.3 always does it:",
        redirect: """
            # Write https:// into the application's base URL, or have it go by X-Forwarded-Proto, if a proxy before IIS sends it.
            # Where neither can be, with the module URL Rewrite: in rewrite, in system.webServer of web.config
            <outboundRules>
              <rule name="https">
                <match serverVariable="RESPONSE_Location" pattern="^http:(.*)" />
                <action type="Rewrite" value="https:{R:1}" />
              </rule>
            </outboundRules>
            """)

    private static let iisFiles = """
        # site.pfx: openssl pkcs12 -export -in fullchain.pem -inkey privkey.pem -out site.pfx
        $password = Read-Host -AsSecureString
        $certificate = Import-PfxCertificate site.pfx -CertStoreLocation Cert:\\LocalMachine\\My -Password $password
        (Get-WebBinding -Name 'Default Web Site' -Protocol https).AddSslCertificate($certificate.Thumbprint, 'My')
        """

    /// The TLS 1.2 suites of Schannel in Windows Server 2016 to 2025.
    private static let schannel: Set<UInt16> = [
        0xC02B, 0xC02C, 0xC02F, 0xC030, 0xC009, 0xC00A, 0xC013, 0xC014, 0xC023, 0xC024, 0xC027, 0xC028, 0x009C, 0x009D,
        0x009E, 0x009F, 0x002F, 0x0035, 0x003C, 0x003D,
    ]
}
