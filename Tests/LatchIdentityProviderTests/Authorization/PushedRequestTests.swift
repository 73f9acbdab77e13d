// SPDX-License-Identifier: Apache-2.0

import Expectations
import IdentityTestSupport
import LatchCore
import LatchHTTP
import LatchJOSE
import LatchTesting
import TestTags
import Testing

@testable import LatchIdentity

/// Pushed authorization requests (RFC 9126).
@Suite(.tags(.pushedRequestReplay)) struct PushedRequestTests {
    private let app = SignInApp()

    private func push(_ site: Site, _ parameters: [(String, String)]? = nil) async throws -> Response {
        try await site.post("/oauth/par", form: FormEncoding.encode(parameters ?? app.parameters()))
    }

    private func path(_ uri: String, _ client: String? = "notes", _ more: [(String, String)] = []) -> String {
        let client = client.map { [("client_id", $0)] } ?? []
        return "/oauth/authorize?\(FormEncoding.encode(client + [("request_uri", uri)] + more))"
    }

    @Test(arguments: Way.allCases)
    func `A pushed request signs its user in, with nothing but its URI in the browser`(way: Way) async throws {
        let site = try await Site.authorizing(way)
        let pushed = try await push(site)
        #expect(pushed.status == 201 && pushed.json["expires_in"] == 90)
        expectEqual(pushed.response.fields[.cacheControl], "no-store")
        let uri = pushed.string("request_uri")
        #expect(uri.hasPrefix("urn:ietf:params:oauth:request_uri:") && uri.utf8.count < 100)
        var agent = UserAgent(site)
        // What the browser says besides is ignored (§4).
        let page = try await agent.get(path(uri, "notes", [("scope", "files:write"), ("state", "other")]))
        let done = try await agent.signIn(page)
        #expect(done.location.hasPrefix(app.redirect) && done.parameters["state"] == app.state)
        let tokens = try await site.exchange(try #require(done.parameters["code"]), app)
        #expect(tokens.status == 200 && tokens.string("scope") == app.scope)
        await site.close()
    }

    @Test func `A pushed request gives one code, also if its page was opened before and after`() async throws {
        let site = try await Site.authorizing()
        let uri = try await push(site).string("request_uri")
        var (first, second) = (UserAgent(site), UserAgent(site))
        // Opening it twice uses nothing up: a user may reload the page.
        let pages = (try await first.get(path(uri)), try await second.get(path(uri)))
        #expect(try await first.signIn(pages.0).parameters["code"] != nil)
        let late = try await second.signIn(pages.1)
        #expect(late.parameters["code"] == nil && late.parameters["error"] == "invalid_request_uri")
        let again = try await first.get(path(uri))
        #expect(again.status == 400 && again.location.isEmpty)
        await site.close()
    }

    @Test(arguments: SharedStore.all)
    func `Of sixteen requests of browsers with one pushed request on two nodes, one gets a code`(store: SharedStore)
        async throws
    {
        let location = try await store.location()
        let site = try await Site.authorizing(storedAt: location)
        let other = try await Site.authorizing(in: site.folder, storedAt: location)
        let uri = try await push(site).string("request_uri")
        var agents: [UserAgent] = []
        for index in 0..<16 {
            var agent = UserAgent(index % 2 == 0 ? site : other)
            _ = try await agent.authorize(app)
            agents.append(agent)
        }
        let errors = try await withThrowingTaskGroup(of: String?.self) { group in
            for agent in agents {
                group.addTask {
                    var agent = agent
                    let response = try await agent.get(path(uri))
                    // The one that has used the request up also removes it for a browser that comes later.
                    return response.parameters["code"] != nil ? nil : response.parameters["error"] ?? "page"
                }
            }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        expectEqual(errors.count { $0 == nil }, 1, "\(errors)")
        #expect(errors.compactMap(\.self).allSatisfy { ["page", "invalid_request_uri"].contains($0) }, "\(errors)")
        await other.close()
        await site.close()
    }

    @Test func `A pushed request is for its client and ends after ninety seconds`() async throws {
        let site = try await Site.authorizing()
        let uri = try await push(site).string("request_uri")
        var agent = UserAgent(site)
        for wrong in [
            path(uri, "foreign"), path(uri, nil), path(uri + "x"), path("urn:ietf:params:oauth:request_uri:"),
        ] {
            let page = try await agent.get(wrong)
            #expect(page.status == 400 && page.location.isEmpty, "\(wrong)")
        }
        let page = try await agent.get(path(uri))
        expectEqual(page.status, 200)
        site.clock.advance(by: 91)
        try await expectEqual(agent.get(path(uri)).status, 400)
        // The user has an hour for the page that is open.
        site.clock.advance(by: 1800)
        #expect(try await agent.signIn(page).parameters["code"] != nil)
        await site.close()
    }

    @Test(arguments: [
        ("redirect_uri", "https://evil.example"), ("response_type", "token"), ("code_challenge_method", "plain"),
        ("request_uri", "urn:ietf:params:oauth:request_uri:x"), ("request", "e30.e30.e30"), ("client_id", "nobody"),
        ("scope", "\""), ("prompt", "none login"), ("resource", "https://other.example"), ("dpop_jkt", "short"),
        ("state", String(repeating: "s", count: 2049)), ("response_mode", "fragment"),
    ])
    func `A pushed request that cannot be used is refused at once`(name: String, value: String) async throws {
        let site = try await Site.authorizing()
        let parameters = app.parameters().filter { $0.0 != name } + [(name, value)]
        let refused = try await push(site, parameters)
        #expect(refused.status == (name == "client_id" ? 401 : 400) && !refused.oauthError.isEmpty)
        expectNil(refused.json["request_uri"])
        try await expectEqual(push(site, app.parameters() + [("state", "twice")]).status, 400)
        await site.close()
    }

    @Test func `A client that must push its requests gets an error for any other request`() async throws {
        let site = try await Site.authorizing {
            for index in $0.clients.indices { $0.clients[index].requiresPushedRequests = true }
        }
        var agent = UserAgent(site)
        let refused = try await agent.get(app.path())
        #expect(refused.parameters["error"] == "invalid_request" && refused.location.hasPrefix(app.redirect))
        let uri = try await push(site).string("request_uri")
        #expect(try await agent.signIn(try await agent.get(path(uri))).parameters["code"] != nil)
        await site.close()
    }

    @Test func `A confidential client authenticates to push a request, and need not repeat its ID`() async throws {
        let site = try await Site.authorizing()
        let web = SignInApp(clientID: "web", redirect: "https://web.example/callback")
        try await expectEqual(push(site, web.parameters()).oauthError, "invalid_client")
        let pushed = try await site.send(
            .post, "/oauth/par",
            fields: [
                .authorization: ClientSecret.basic("web"), .contentType: "application/x-www-form-urlencoded",
            ], body: HTTPBody(FormEncoding.encode(web.parameters().filter { $0.0 != "client_id" })))
        expectEqual(pushed.status, 201)
        var agent = UserAgent(site)
        let done = try await agent.signIn(try await agent.get(path(pushed.string("request_uri"), "web")))
        #expect(done.location.hasPrefix(web.redirect) && done.parameters["code"] != nil)
        try await expectEqual(site.get("/oauth/par").status, 405)
        await site.close()
    }
}
