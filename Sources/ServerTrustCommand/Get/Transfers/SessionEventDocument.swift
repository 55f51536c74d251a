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

/// An event of a session as a line of JSON. docs/json.md describes it.
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
    private var note: String?
    private var method: String?
    private var url: String?
    private var destination: String?
    private var status: Int?
    private var fields: [Field]?
    private var code, rule: String?
    private var reason: String?
    private var remedy: String?
    private var isRefusal: Bool?

    init(_ event: HTTPSessionEvent, at date: Date) {
        self.date = ISO8601.text(date)
        self.event = Self.name(of: event)
        switch event {
        case .connecting(let origin, let proxy):
            self.origin = "\(origin)"
            self.proxy = proxy.map { "\($0)" }
        case .connected(let report): self.set(report)
        case .failed(let error): self.set(error)
        case .request(let method, let url, let fields):
            self.method = method.rawValue
            self.url = "\(url)"
            self.fields = Self.fields(fields)
        case .informational(let status, let fields): (self.status, self.fields) = (status, Self.fields(fields))
        case .response(let status, let fields, let url):
            self.status = status
            self.fields = Self.fields(fields)
            self.url = "\(url)"
        case .challenged(let status, let origin): (self.status, self.origin) = (status, "\(origin)")
        case .redirected(let source, let destination, let status):
            self.url = "\(source)"
            self.destination = "\(destination)"
            self.status = status
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

    /// Creates the event for a failed URL.
    init(failure error: any Error, text: String, at date: Date) {
        self.date = ISO8601.text(date)
        self.event = "failed"
        guard let error = error as? HTTPSessionError else {
            self.reason = text
            self.isRefusal = false
            return
        }
        self.set(error)
    }

    private mutating func set(_ report: ConnectionReport) {
        let gated = report.gated
        self.address = report.remoteAddress?.ipAddress
        self.port = report.remoteAddress?.port
        self.proxy = report.proxy.map { "\($0)" }
        self.version = gated.version.map { "\($0)" }
        self.cipherSuite = gated.cipherSuite.map { "\($0)" }
        self.path = gated.result?.path.map(\.subject.description)
        self.note = TrustNote(onSuite: gated.cipherSuite)?.description
    }

    private mutating func set(_ error: HTTPSessionError) {
        self.url = error.url.map { "\($0)" }
        self.code = error.codeName
        self.rule = error.rule
        self.reason = error.reason
        self.remedy = error.remedy.isEmpty ? nil : error.remedy
        self.isRefusal = error.isRefusal
    }

    private static func fields(_ fields: HTTPFields) -> [Field] {
        fields.map { Field(name: $0.name.rawName, value: $0.value) }
    }
}
