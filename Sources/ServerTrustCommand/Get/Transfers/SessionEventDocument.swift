//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import CertificatePath
import HTTPSession
import HTTPTypes
import NIOCore
import ServerReports
import ServerTrust
import ServerTrustNIO

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// An event of a session as a line of JSON; docs/json.md describes it.
struct SessionEventDocument: Encodable {
    private struct Field: Encodable {
        let name: String
        let value: String
    }

    private let format = "servertrust.get/1"
    private let date: String
    private let event: String
    private var origin: String?
    private var proxy: String?
    private var address: String?
    private var port: Int?
    private var version: String?
    private var cipherSuite: String?
    private var path: [String]?
    private var method: String?
    private var url: String?
    private var destination: String?
    private var status: Int?
    private var fields: [Field]?
    private var code: String?
    private var reason: String?
    private var remedy: String?
    private var isRefusal: Bool?

    init(_ event: HTTPSessionEvent, at date: Date) {
        (self.date, self.event) = (ISO8601.text(date), Self.name(of: event))
        switch event {
        case .connecting(let origin, let proxy):
            (self.origin, self.proxy) = ("\(origin)", proxy.map { "\($0)" })
        case .connected(let report): self.set(report)
        case .failed(let error): self.set(error)
        case .request(let method, let url, let fields):
            (self.method, self.url, self.fields) = (method.rawValue, "\(url)", Self.fields(fields))
        case .informational(let status, let fields): (self.status, self.fields) = (status, Self.fields(fields))
        case .response(let status, let fields, let url):
            (self.status, self.fields, self.url) = (status, Self.fields(fields), "\(url)")
        case .challenged(let status, let origin): (self.status, self.origin) = (status, "\(origin)")
        case .redirected(let source, let destination, let status):
            (self.url, self.destination, self.status) = ("\(source)", "\(destination)", status)
        case .retrying(let url): self.url = "\(url)"
        }
    }

    private static func name(of event: HTTPSessionEvent) -> String {
        switch event {
        case .connecting: "connecting"
        case .connected: "connected"
        case .failed: "not-connected"
        case .request: "request"
        case .informational: "informational"
        case .response: "response"
        case .challenged: "challenged"
        case .redirected: "redirected"
        case .retrying: "retrying"
        }
    }

    /// A URL that was not got.
    init(failure error: any Error, text: String, at date: Date) {
        (self.date, self.event) = (ISO8601.text(date), "failed")
        guard let error = error as? HTTPSessionError else {
            (self.reason, self.isRefusal) = (text, false)
            return
        }
        self.set(error)
    }

    private mutating func set(_ report: ConnectionReport) {
        let gated = report.gated
        (self.address, self.port) = (report.remoteAddress?.ipAddress, report.remoteAddress?.port)
        self.proxy = report.proxy.map { "\($0)" }
        (self.version, self.cipherSuite) = (gated.version.map { "\($0)" }, gated.cipherSuite.map { "\($0)" })
        self.path = gated.result?.path.map(\.subject.description)
    }

    private mutating func set(_ error: HTTPSessionError) {
        (self.url, self.code, self.reason) = (error.url.map { "\($0)" }, error.codeName, error.reason)
        (self.remedy, self.isRefusal) = (error.remedy.isEmpty ? nil : error.remedy, error.isRefusal)
    }

    private static func fields(_ fields: HTTPFields) -> [Field] {
        fields.map { Field(name: $0.name.rawName, value: $0.value) }
    }
}
