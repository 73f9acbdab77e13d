// SPDX-License-Identifier: Apache-2.0

import Expectations
import Foundation
import IdentityTestSupport
import LatchCore
import LatchHTTP
import LatchJOSE
import LatchProcess
import LatchServer
import LatchTesting
import Testing

@testable import LatchIdentity

/// Chromium with an authenticator of its own, which `make interop` installs; Documentation/Interop.md describes it.
@Suite(
    .timeLimit(.minutes(5)),
    .enabled(if: ProcessInfo.processInfo.environment["LATCH_INTEROP"] != nil, "make interop runs it"))
struct PasskeyBrowserTests {
    @Test func `A passkey of a real browser is registered, and signs in on our page by its button`() async throws {
        let folder = try TemporaryFolder()
        let configuration = try IdentityConfiguration(values: ["argon2_memory_kib": "64", "argon2_passes": "1"])
        let identity = try await Identity(
            configuration: configuration.registering(SignInApp.registrations), storePath: folder.file(),
            mailer: MemoryMailer())
        let server = Server(handler: identity.handler)
        let port = try await server.start().port
        let origin = "http://localhost:\(port)"
        identity.adoptIssuer(origin)
        _ = try await identity.accounts.signUp(email: "ada@example.com", password: Site.password, isVerified: true)
        let login = HTTPRequest(
            method: .post, scheme: "http", authority: "localhost:\(port)", path: "/api/auth/clients/login",
            fields: [.contentType: "application/json"],
            body: HTTPBody(#"{"email":"ada@example.com","password":"\#(Site.password)"}"#))
        let access = Response(try await identity.handler.respond(to: login)).access
        let app = SignInApp(clientID: "tool", redirect: "http://127.0.0.1:9/callback")
        let page = try await visit(origin, app, access)
        expectNil(page["error"], "\(page)")
        #expect(page["button"] == "Sign in with a passkey" && page["registered"]?["isSynced"] == false)
        let redirect = page["url"]?.stringValue ?? ""
        expectEqual(ScriptedUpstream.parameters(redirect)["code"]?.isEmpty, false, "\(page)")
        await server.shutdown(grace: .seconds(2))
        await identity.close()
    }

    /// Goes through registration and sign-in in the browser, and returns what it has seen.
    private func visit(_ origin: String, _ app: SignInApp, _ access: String) async throws -> JSONObject {
        let program = URL(filePath: #filePath).appending(path: "../../../Peers/OpenID/passkey").standardized
        let request: JSONValue = [
            "origin": .string(origin), "open": .string(origin + app.path()), "access": .string(access),
            "until": .string(app.redirect),
        ]
        let (_, output) = try await ChildProcess.run(
            "/usr/bin/env", ["python3", program.path, String(decoding: request.serialized(), as: UTF8.self)])
        return try #require(try JSONValue(parsing: output).objectValue)
    }
}

extension IdentityConfiguration {
    fileprivate func registering(_ clients: [OAuthClient]) -> IdentityConfiguration {
        var configuration = self
        configuration.clients = clients
        configuration.clientSecretDigests = ["web": ClientSecret.digest]
        return configuration
    }
}
