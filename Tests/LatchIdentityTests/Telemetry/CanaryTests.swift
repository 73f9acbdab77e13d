// SPDX-License-Identifier: Apache-2.0

import Foundation
import IdentityTestSupport
import LatchAuth
import LatchCore
import LatchHTTP
import LatchServer
import LatchTesting
import Synchronization
import TestTags
import Testing

@testable import LatchIdentity

@Suite struct CanaryTests {
    private static let password = "canary-Passw0rd-1"
    private static let nextPassword = "canary-Passw0rd-2"

    @Test(.tags(.silentTokens, .secretLogging))
    func `The secrets of a user's whole life are in no log, no metric, no trace, no slow query and no error`()
        async throws
    {
        let exported = Mutex<[UInt8]>([])
        let collector = ClosureHandler { request in
            exported.withLock { $0 += request.body.bytes }
            return HTTPResponse(status: .ok)
        }
        let telemetry = try #require(
            try TelemetryConfiguration(endpoint: "http://127.0.0.1:4318", service: "latch", environment: [:]))
        let exporter = TelemetryExporter(telemetry, transport: collector)
        let site = try await Site {
            $0.clients = [
                OAuthClient(
                    id: "reports", isConfidential: true, grants: [.password, .refreshToken]),
                OAuthClient(id: "tv", grants: [.deviceCode, .refreshToken]),
            ]
            $0.clientSecretDigests = ["reports": ClientSecret.digest]
        }
        site.identity.report(to: exporter)
        let written = Mutex<[String]>([])
        StatementWatch.report(slowerThan: .zero) { statement, _ in written.withLock { $0.append(statement) } }
        defer { StatementWatch.report(slowerThan: .zero, by: nil) }
        let handler = site.identity.handler.intercepted(by: [
            ServerSpanInterceptor(exporter),
            AccessLogInterceptor { entry in written.withLock { $0.append("\(entry)") } },
        ])
        var secrets = [Self.password, Self.nextPassword, ClientSecret.text, "canary-query"]
        func send(_ path: String, _ json: JSONValue, _ fields: HTTPFields = [:]) async throws -> Response {
            var fields = fields
            fields[.contentType] = "application/json"
            let request = HTTPRequest(
                method: .post, scheme: "http", authority: "127.0.0.1:8080", path: path + "?q=canary-query",
                fields: fields, body: HTTPBody(json.serialized()))
            let response = Response(try await handler.respond(to: request))
            if response.status >= 400 { written.withLock { $0.append(response.text) } }
            return response
        }
        func form(_ path: String, _ text: String, _ fields: HTTPFields = [:]) async throws -> Response {
            var fields = fields
            fields[.contentType] = "application/x-www-form-urlencoded"
            let request = HTTPRequest(
                method: .post, scheme: "http", authority: "127.0.0.1:8080", path: path, fields: fields,
                body: HTTPBody(text))
            let response = Response(try await handler.respond(to: request))
            if response.status >= 400 { written.withLock { $0.append(response.text) } }
            return response
        }
        let email = JSONValue.string("canary@example.com")
        let signUp = try await send("/api/clients/register", ["email": email, "password": .string(Self.password)])
        try #require(signUp.status == 201)
        secrets.append(try #require(await site.mailedToken(to: "canary@example.com")))
        _ = try await send(
            "/api/auth/verify-email", ["token": .string(secrets[4]), "password": .string(Self.password)])
        let login = try await send("/api/auth/clients/login", ["email": email, "password": .string(Self.password)])
        let renewed = try await send("/api/auth/refresh-token", ["refreshToken": .string(login.refresh)])
        secrets += [login.access, login.refresh, renewed.access, renewed.refresh]
        _ = try await send("/api/auth/clients/login", ["email": email, "password": "canary-wrong-password"])
        _ = try await send("/api/auth/refresh-token", ["refreshToken": .string(login.refresh + "x")])
        secrets += ["canary-wrong-password"]
        let grant =
            "grant_type=password&username=canary%40example.com&password=\(Site.encoded(Self.password))"
        let issued = try await form("/oauth/token", grant, [.authorization: ClientSecret.basic("reports")])
        secrets += [issued.accessToken, issued.refreshToken, ClientSecret.basic("reports")]
        let device = try await form("/oauth/device_authorization", "client_id=tv")
        secrets += [device.string("device_code"), device.string("user_code")]
        let poll = "grant_type=urn:ietf:params:oauth:grant-type:device_code&client_id=tv&device_code="
        _ = try await form("/oauth/token", poll + device.string("device_code"))
        _ = try await send("/api/auth/forgot-password", ["email": email])
        let reset = try #require(await site.mailedToken(to: "canary@example.com"))
        secrets.append(reset)
        _ = try await send(
            "/api/auth/reset-password", ["token": .string(reset), "password": .string(Self.nextPassword)])
        _ = try await form("/oauth/revoke", "token=\(renewed.access)")
        let metrics = try await site.get("/metrics").text
        await exporter.close()
        let sent = String(decoding: exported.withLock { $0 }, as: UTF8.self)
        let all = written.withLock { $0 }.joined(separator: "\n") + metrics + sent
        #expect(sent.contains("POST /oauth/token") && all.contains("INSERT INTO device"))
        for secret in secrets where !secret.isEmpty {
            #expect(!all.contains(secret), "secret \(secrets.firstIndex(of: secret) ?? -1) was written")
            #expect(!all.contains(Site.encoded(secret)))
        }
        #expect(!all.contains("canary@example.com"))
        #expect(secrets.allSatisfy { !$0.isEmpty })
        await site.close()
    }
}
