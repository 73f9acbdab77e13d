// SPDX-License-Identifier: Apache-2.0

import Expectations
import Foundation
import IdentityTestSupport
import LatchCore
import LatchHTTP
import LatchJOSE
import LatchTesting
import TestTags
import Testing

@testable import LatchIdentity

/// Authorization requests that a client signs (RFC 9101).
@Suite struct RequestObjectTests {
    private let key: Key
    private let app = SignInApp()

    init() throws { key = try Key.generate(.es256) }

    private func site(
        _ way: Way = .inProcess, change: (inout OAuthClient) -> Void = { _ in }
    ) async throws -> Site {
        let keys = KeySet([key]).jwks()
        return try await Site.authorizing(way) {
            for index in $0.clients.indices where $0.clients[index].id == "notes" {
                $0.clients[index].jwks = keys
                change(&$0.clients[index])
            }
        }
    }

    /// An object with the parameters of the app.
    private func object(
        _ site: Site, _ changes: JSONObject = [:], without names: [String] = [], header: JSONObject = [:],
        by signer: Key? = nil
    ) throws -> String {
        let now = Int64(site.clock.now.timeIntervalSince1970)
        var claims: JSONObject = [
            "iss": "notes", "aud": .string(site.identity.issuer ?? ""), "iat": .integer(now), "nbf": .integer(now),
            "exp": .integer(now + 300),
        ]
        for (name, value) in app.parameters() { claims[name] = .string(value) }
        for (name, value) in changes { claims[name] = value }
        for name in names { claims[name] = nil }
        var members: JSONObject = ["typ": "oauth-authz-req+jwt"]
        members["kid"] = key.id.map { .string($0) }
        for (name, value) in header { members[name] = value }
        return try JWS.sign(JSONValue.object(claims).serialized(), with: signer ?? key, header: members)
    }

    private func path(_ object: String, _ more: [(String, String)] = []) -> String {
        let fields = [("client_id", "notes"), ("response_type", "code"), ("scope", "openid"), ("request", object)]
        return "/oauth/authorize?\(FormEncoding.encode(fields + more))"
    }

    @Test(arguments: Way.allCases)
    func `A signed request counts as its client has signed it, without what stands beside it`(way: Way) async throws {
        let site = try await site(way)
        var agent = UserAgent(site)
        // Values beside the object: another redirect, another state, a silent request.
        let others = [("redirect_uri", "https://evil.example"), ("state", "outer"), ("prompt", "none")]
        let done = try await agent.signIn(
            try await agent.get(path(try object(site, ["max_age": 3600, "claims": ["userinfo": [:]]]), others)))
        #expect(done.location.hasPrefix(app.redirect) && done.parameters["state"] == app.state)
        let tokens = try await site.exchange(try #require(done.parameters["code"]), app)
        expectEqual(tokens.string("scope"), app.scope)
        try expectEqual(JWT(unverified: tokens.string("id_token")).claims.string("nonce"), app.nonce)
        let unstated = try await agent.get(path(try object(site, without: ["state"]), [("state", "outer")]))
        #expect(unstated.parameters["code"] != nil && unstated.parameters["state"] == nil)
        await site.close()
    }

    @Test(.tags(.tokenForgery))
    func `An object that its client has not signed for this server, for now and in its name is shown to the user`()
        async throws
    {
        let site = try await site()
        var agent = UserAgent(site)
        let other = try Key.generate(.es256)
        let now = Int64(site.clock.now.timeIntervalSince1970)
        let none = try object(site).split(separator: ".")
        let unsigned = Base64URL.encode(Array(#"{"alg":"none"}"#.utf8)) + ".\(none[1])."
        let wrong = [
            unsigned, try object(site, by: other), "a.b.c", try object(site, ["iss": "foreign"]),
            try object(site, ["aud": "https://other.example"]), try object(site, ["exp": .integer(now - 60)]),
            try object(site, ["nbf": .integer(now + 60)]), try object(site, ["client_id": "foreign"]),
            try object(site, ["request_uri": "https://app.example/object"]),
            try object(site, ["request": "a.b.c"]), try object(site, header: ["typ": "dpop+jwt"]),
            try object(site, ["response_type": "token"]), try object(site, ["exp": "soon"]),
            try object(site, ["sub": "notes"]),
        ]
        for (index, text) in wrong.enumerated() {
            let page = try await agent.get(path(text))
            #expect(page.status == 400 && page.location.isEmpty, "\(index)")
        }
        for (index, accepted) in [
            try object(site, ["aud": ["https://other.example", .string(site.identity.issuer ?? "")]]),
            try object(site, ["nbf": .integer(now + 8)]), try object(site, without: ["iss", "aud", "exp", "nbf"]),
        ].enumerated() {
            try await expectEqual(agent.get(path(accepted)).status, 200, "\(index)")
        }
        // An error of what was signed goes to the client.
        let refused = try await agent.get(path(try object(site, ["scope": "\""])))
        #expect(refused.parameters["error"] == "invalid_scope" && refused.location.hasPrefix(app.redirect))
        let foreign = SignInApp(clientID: "foreign", redirect: "https://foreign.example/back")
        let keyless = try await agent.get(foreign.path(["request": try object(site)]))
        expectEqual(keyless.parameters["error"], "request_not_supported")
        await site.close()
    }

    /// FAPI 2.0 Message Signing §5.3.1.
    @Test func `A client that must sign its requests bounds them to an hour, and pushes them`() async throws {
        let site = try await site {
            ($0.requiresRequestObjects, $0.requiresPushedRequests) = (true, true)
            $0.requestObjectAlgorithm = .es256
        }
        let now = Int64(site.clock.now.timeIntervalSince1970)
        func push(_ fields: [(String, String)]) async throws -> Response {
            try await site.post("/oauth/par", form: FormEncoding.encode([("client_id", "notes")] + fields))
        }
        try await expectEqual(push(app.parameters().filter { $0.0 != "client_id" }).oauthError, "invalid_request")
        for object in [
            try object(site, without: ["exp"]), try object(site, without: ["nbf"]), try object(site, without: ["aud"]),
            try object(site, without: ["iss"]), try object(site, ["exp": .integer(now + 4000)]),
            try object(site, ["nbf": .integer(now - 4000)]),
        ] {
            try await expectEqual(push([("request", object)]).oauthError, "invalid_request_object")
        }
        let pushed = try await push([("request", try object(site))])
        expectEqual(pushed.status, 201)
        var agent = UserAgent(site)
        let query = [("client_id", "notes"), ("request_uri", pushed.string("request_uri"))]
        let done = try await agent.signIn(try await agent.get("/oauth/authorize?\(FormEncoding.encode(query))"))
        #expect(done.parameters["code"] != nil && done.parameters["state"] == app.state)
        try await expectEqual(agent.get(path(try object(site))).parameters["error"], "invalid_request")
        await site.close()
    }

    @Test func `Metadata says which request objects are read`() async throws {
        let site = try await site()
        let json = try await site.get("/.well-known/openid-configuration").json
        #expect(json["request_parameter_supported"] == true && json["request_uri_parameter_supported"] == false)
        let algorithms = json["request_object_signing_alg_values_supported"]?.arrayValue ?? []
        #expect(algorithms.contains("RS256") && algorithms.contains("PS256") && !algorithms.contains("none"))
        await site.close()
    }
}
