// SPDX-License-Identifier: Apache-2.0

import Expectations
import IdentityTestSupport
import LatchAuth
import LatchCore
import LatchHTTP
import LatchJOSE
import LatchServer
import LatchTesting
import Synchronization
import Testing

@testable import LatchIdentity

@Suite struct UpstreamLogTests {
    /// A way in which a provider fails.
    struct Flaw: Sendable, CustomTestStringConvertible {
        let refusal: String
        let deviate: @Sendable (inout ScriptedUpstream.Deviations) -> Void
        var testDescription: String { refusal }

        /// A provider whose requests at a path get a response, or an error.
        init(_ refusal: String, at path: String, _ response: @escaping @Sendable () throws -> HTTPResponse) {
            self.init(refusal) { $0.response = { $0.pathWithoutQuery == path ? try response() : nil } }
        }

        init(_ refusal: String, _ deviate: @escaping @Sendable (inout ScriptedUpstream.Deviations) -> Void) {
            (self.refusal, self.deviate) = (refusal, deviate)
        }
    }

    private static func json(_ status: HTTPStatus, _ text: String) -> HTTPResponse {
        HTTPResponse(status: status, fields: [.contentType: "application/json"], body: HTTPBody(text))
    }

    private static let metadata = "/.well-known/openid-configuration"

    static let flaws: [Flaw] = [
        Flaw("staff:discovery:discoveryFailed", at: metadata) { HTTPResponse(status: .notFound) },
        Flaw("staff:discovery:serverFailed", at: metadata) { HTTPResponse(status: .internalServerError) },
        Flaw("staff:discovery:timeout", at: metadata) { throw HTTPError.timeout },
        Flaw("staff:keys:keysUnavailable", at: "/jwks") { HTTPResponse(status: .internalServerError) },
        Flaw("staff:token:invalidClient", at: "/token") {
            json(.unauthorized, #"{"error":"invalid_client","error_description":"SECRET"}"#)
        },
        Flaw("staff:token:invalidGrant", at: "/token") { json(.badRequest, #"{"error":"invalid_grant"}"#) },
        Flaw("staff:token:serverFailed", at: "/token") { HTTPResponse(status: .internalServerError) },
        Flaw("staff:token:timeout", at: "/token") { throw HTTPError.timeout },
        Flaw("staff:id_token:invalidIDToken") { $0.sign = { try JWT.sign($0, with: Key.generate(.rs256)) } },
        Flaw("staff:userinfo:invalidUserInfo", at: "/userinfo") { json(.ok, "SECRET") },
        Flaw("staff:userinfo:timeout", at: "/userinfo") { throw HTTPError.timeout },
    ]

    @Test(arguments: flaws)
    func `The log of a failing provider has its name, the part and the error, and nothing of its text`(
        flaw: Flaw
    ) async throws {
        let upstream = try ScriptedUpstream()
        upstream.deviate(flaw.deviate)
        let site = try await Site.brokering(upstream)
        let log = Mutex<[AccessLogEntry]>([])
        let logging = AccessLogInterceptor { entry in log.withLock { $0.append(entry) } }
        let handler = site.identity.handler.intercepted(by: [logging])
        func get(_ path: String, cookie: String? = nil) async throws -> Response {
            var request = HTTPRequest(scheme: "https", authority: "id.latch.example", path: path)
            request.fields[.cookie] = cookie
            return Response(try await handler.respond(to: request))
        }
        // Without an address in the ID token the user's data are asked for.
        var response = try await get(UpstreamApp().path())
        if response.status == 302 {
            let cookie = response.field(.setCookie)?.split(separator: ";").first.map(String.init)
            let query = try upstream.approve(response.location, as: ["sub": "carol"])
            response = try await get("/api/auth/staff/callback?\(query)", cookie: cookie)
        }
        #expect(response.status == 502 || response.status == 503)
        let entries = log.withLock { $0 }
        expectEqual(entries.compactMap(\.refusal), [flaw.refusal])
        #expect(!entries.description.contains("SECRET"))
        await site.close()
    }

    @Test
    func `The log of a failing provider has nothing of a user who refuses, and names the parameters`() async throws {
        let upstream = try ScriptedUpstream()
        let site = try await Site.brokering(upstream)
        for (error, refusal) in [
            ("access_denied", nil), ("server_error", "staff:authorization:serverFailed"),
        ] as [(String, String?)] {
            let log = Mutex<[AccessLogEntry]>([])
            let logging = AccessLogInterceptor { entry in log.withLock { $0.append(entry) } }
            var agent = UserAgent(site)
            let begun = try await agent.get(UpstreamApp().path())
            let state = try #require(ScriptedUpstream.parameters(begun.location)["state"])
            var request = HTTPRequest(
                scheme: "https", authority: "id.latch.example",
                path: "/api/auth/staff/callback?error=\(error)&error_description=SECRET&state=\(state)")
            request.fields[.cookie] = agent.cookies.map { "\($0.key)=\($0.value)" }.joined(separator: "; ")
            _ = try await site.identity.handler.intercepted(by: [logging]).respond(to: request)
            let entries = log.withLock { $0 }
            expectEqual(entries.map(\.refusal), [refusal])
            #expect(!entries.description.contains("SECRET"))
        }
        await site.close()
    }

    @Test(arguments: flaws.filter { !$0.refusal.contains("id_token") && !$0.refusal.contains("userinfo") })
    func `The log of a failing provider agrees with an operator's check, which a working provider passes`(flaw: Flaw)
        async throws
    {
        let upstream = try ScriptedUpstream()
        var configuration = try IdentityConfiguration(values: [
            "upstreams": "staff;issuer=https://sso.example.com;client_id=latch", "upstream_secrets": "staff=s3cret",
            "sign_in_redirects": "notes://auth/callback",
        ])
        configuration.issuer = Site.issuer
        let fine = try await configuration.checkUpstreams(by: upstream)
        #expect(fine.map(\.provider) == ["staff"] && fine.first?.part == nil && fine.first?.error == nil)
        upstream.deviate(flaw.deviate)
        let check = try #require(try await configuration.checkUpstreams(by: upstream).first)
        let found = check.error.map { "staff:\(check.part ?? ""):\($0.codeOrType)" }
        // It has sent a code that was never issued.
        expectEqual(found, flaw.refusal == "staff:token:invalidGrant" ? nil : flaw.refusal)
    }
}
