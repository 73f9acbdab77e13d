// SPDX-License-Identifier: Apache-2.0

import Expectations
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

/// Clients whose ID is the URL of a document (draft-ietf-oauth-client-id-metadata-document).
@Suite struct ClientDocumentTests {
    private static let id = "https://app.example/client.json"

    private static let document: JSONObject = [
        "client_id": .string(id), "client_name": "App", "redirect_uris": ["http://127.0.0.1/back"],
        "grant_types": ["authorization_code", "refresh_token"], "token_endpoint_auth_method": "none",
    ]

    private func documents(_ response: HTTPResponse) -> ClientDocuments {
        var configuration = IdentityConfiguration()
        configuration.scopes = ["files:read", "files:admin"]
        let transport = PublicTransport(transport: ClosureHandler { _ in response })
        return ClientDocuments(
            documents: PublicDocuments(transport: transport, clock: ManualClock(noon).wallClock()),
            rules: .document(ScopePolicy(configuration)))
    }

    private func documents(_ changes: KeyValuePairs<String, JSONValue?> = [:]) -> ClientDocuments {
        var document = Self.document
        for (name, value) in changes { document[name] = value }
        return documents(.json(.object(document)))
    }

    @Test func `A document describes a public client that nobody vouches for`() async throws {
        let client = try await documents(["backchannel_logout_uri": "https://app.example/x", "trusted": true]).client(
            Self.id)
        #expect(client.id == Self.id && client.permits(.none) && !client.isTrusted && !client.belongsToOperator)
        #expect(client.registersItself && client.requiresPKCE && client.backchannelLogoutURI == nil)
        #expect(client.scopes?.contains("files:admin") == false && client.scopes?.contains("files:read") == true)
        #expect(client.allows(redirect: "http://127.0.0.1:8123/back"))
    }

    @Test(arguments: [
        "https://app.example/other.json", "https://APP.example/client.json", "https://app.example:443/client.json",
        "https://app.example/client.json?", "https://app.example/client%2ejson",
    ])
    func `A document names its own URL, character by character`(url: String) async throws {
        let error = await #expect(throws: IdentityError.self) { try await documents().client(url) }
        expectEqual(error?.message.contains("another 'client_id'"), true, "\(error?.message ?? "")")
        expectEqual(error?.form.oauth, "invalid_client")
    }

    @Test func `A document that cannot be used says why, and not where the server looked`() async throws {
        let cases: [(HTTPResponse, String)] = [
            (HTTPResponse(status: .notFound), "status 404"), (.json(JSONValue.array([])), "JSON object"),
            (.json(["client_id": 1]), "another 'client_id'"),
            (.json(.object(Self.document.merging("redirect_uris", nil))), "redirect_uris"),
            (.json(.object(Self.document.merging("client_secret", "x"))), "client_secret"),
            (.json(.object(Self.document.merging("token_endpoint_auth_method", "client_secret_post"))), "secret"),
        ]
        for (response, word) in cases {
            let error = await #expect(throws: IdentityError.self) { try await documents(response).client(Self.id) }
            expectEqual(error?.message.contains(word), true, "\(error?.message ?? "")")
        }
    }

    @Test(
        .tags(.serverSideRequest),
        arguments: [
            "app", "http://app.example/c", "https://app.example", "https://app.example?c", "https://a@app.example/c",
            "https://app.example/c#d", "https://app.example/./c", "https://app.example/a/../c",
            "https://app.example/..",
            "https://app.example/%2e%2E/c", "https://app.example/.%2e/c", "https:///c", "HTTPS://app.example/c",
            "https://app.example/ c", "https://app.example/\u{E9}",
            "https://app.example/" + String(repeating: "a", count: 250),
        ])
    func `A document has a URL with https and a path, without dots, user and fragment`(url: String) async throws {
        #expect(!ClientDocuments.isID(url))
        await #expect(throws: IdentityError.self) { try await documents().client(url) }
    }

    @Test(arguments: [
        id, "https://app.example/", "https://app.example:8443/c", "https://app.example/c?v=1",
        "https://app.example/.well-known/c",
        "https://app.example/a..b/...",
    ])
    func `A document may have a port, a query, and a name with dots`(url: String) {
        #expect(ClientDocuments.isID(url))
    }

    // MARK: At a server

    /// A server that takes documents, which come from a transport that tests answer.
    private func site(
        _ takesDocuments: Bool = true, _ respond: @escaping @Sendable () -> HTTPResponse
    ) async throws -> Site {
        try await Site.authorizing(documents: PublicTransport(transport: ClosureHandler { _ in respond() })) {
            $0.takesClientDocuments = takesDocuments
        }
    }

    private static let app = SignInApp(
        clientID: id, redirect: "http://127.0.0.1:50123/back", scope: "openid files:read")

    @Test func `A document's client signs a user in, who is asked each time, and refreshes`() async throws {
        let fetches = Mutex(0)
        let site = try await site {
            fetches.withLock { $0 += 1 }
            return .json(.object(Self.document))
        }
        let metadata = try await site.get("/.well-known/oauth-authorization-server").json
        expectEqual(metadata["client_id_metadata_document_supported"], true)
        for _ in 0..<2 {
            var agent = UserAgent(site)
            let page = try await agent.signIn(try await agent.get(Self.app.path()))
            #expect(page.formAction == "/consent" && page.text.contains("app.example"))
            let code = try #require(try await agent.submit(page).parameters["code"])
            let tokens = try await site.exchange(code, Self.app)
            #expect(tokens.status == 200 && tokens.scopes.contains("files:read"))
            try await expectEqual(site.refreshGrant(tokens.refreshToken, as: Self.id).status, 200)
        }
        // It is cached: each of these requests needs the client.
        expectEqual(fetches.withLock { $0 }, 1)
        await site.close()
    }

    @Test func `A server fetches no document unless its setting says so, nor for what is no such ID`() async throws {
        let fetches = Mutex(0)
        let site = try await site(false) {
            fetches.withLock { $0 += 1 }
            return .json(.object(Self.document))
        }
        var agent = UserAgent(site)
        try await expectEqual(agent.get(Self.app.path()).status, 400)
        await site.close()
        let open = try await self.site {
            fetches.withLock { $0 += 1 }
            return HTTPResponse(status: .notFound)
        }
        for id in ["http://app.example/client.json", "https://app.example/../x", "https://app.example/%2e%2e/x"] {
            try await expectEqual(agent.get(SignInApp(clientID: id).path()).status, 400)
        }
        expectEqual(fetches.withLock { $0 }, 0)
        // A document that cannot be used is a page for the user, and no redirect.
        var visitor = UserAgent(open)
        let page = try await visitor.get(Self.app.path())
        #expect(page.status == 400 && page.field(.location) == nil && fetches.withLock { $0 } == 1)
        try await expectEqual(open.refreshGrant("x", as: Self.id).oauthError, "invalid_client")
        expectEqual(fetches.withLock { $0 }, 1)
        await open.close()
    }
}

extension JSONObject {
    fileprivate func merging(_ name: String, _ value: JSONValue?) -> JSONObject {
        var object = self
        object[name] = value
        return object
    }
}
