// SPDX-License-Identifier: Apache-2.0

import Expectations
import Foundation
import LatchAuth
import LatchCore
import LatchHTTP
import LaziOAuth
import TestTags
import Testing

@MainActor
@Suite struct SignupTests {
    @Test(.tags(.signUp), arguments: RealBackend.Connection.allCases)
    func `A signup sends the password in the content, and signs in`(connection: RealBackend.Connection) async throws {
        try await RealBackend.run(connection) { backend in
            let service = backend.service()
            try await service.signup(username: "ada", email: "ada@example.com", password: RealBackend.password)
            #expect(service.isAuthenticated)
            expectEqual(service.currentUser?.username, "ada")
            expectEqual(service.currentUser?.userId.isEmpty, false)
            expectEqual(backend.requests.map(\.path), ["/auth/signup", "/oauth/token"])
            let request = try #require(backend.requests.first)
            let content = try JSONValue(parsing: request.body.bytes)
            expectEqual(content["password"]?.stringValue, RealBackend.password)
            expectEqual(request.fields[.contentType], "application/json")
        }
    }

    @Test(.tags(.signUp, .realServer))
    func `A signup of a name that is taken is an error of the real server, and signs no user in`()
        async throws
    {
        try await RealBackend.run { backend in
            _ = try await backend.signedIn()
            let service = backend.service()
            let logins = backend.requests(to: "/oauth/token").count
            await #expect {
                try await service.signup(username: "ada2", email: "ada@example.com", password: RealBackend.password)
            } throws: { error in
                guard case OAuthError.serverError(let message) = error else { return false }
                return !message.isEmpty
            }
            #expect(!service.isAuthenticated)
            expectEqual(backend.requests(to: "/oauth/token").count, logins)
        }
    }

    @Test(
        .tags(.signUp),
        arguments: [
            (409, #"{"detail":"Username taken"}"#, "Username taken"), (409, "", "The account could not be created"),
            (200, #"{"status":"failed","message":"User already exists"}"#, "User already exists"),
            (200, #"{"status":"failed"}"#, "The account could not be created"),
            (422, #"{"detail":[{"msg":"bad"}]}"#, "bad"),
            (500, "", "The server failed."), (429, "", "The server received too many requests."),
        ] as [(HTTPStatus, String, String)])
    func `A signup that fails is an error, and no login follows`(
        status: HTTPStatus, body: String, text: String
    ) async throws {
        let backend = ScriptedBackend()
        backend.on("/auth/signup", status, body)
        let service = backend.service()
        await #expect { try await service.signup(username: "ada", email: "a@b.co", password: "p") } throws: {
            ($0 as? OAuthError)?.errorDescription?.hasPrefix(text) == true
        }
        expectEqual(backend.requests.count, 1)
        #expect(!service.isAuthenticated)
    }

    @Test(.tags(.signUp)) func `A signup is a success for any other members of its answer`() async throws {
        let backend = ScriptedBackend()
        backend.on("/oauth/token", .ok, ScriptedBackend.answer("a", refresh: "r"))
        for (status, body) in [(201, #"{"id":"1"}"#), (200, #"{"status":"success"}"#), (204, "")] {
            backend.on("/auth/signup", HTTPStatus(rawValue: status), body)
            let service = backend.service()
            try await service.signup(username: "ada", email: "a@b.co", password: "p")
            #expect(service.isAuthenticated)
        }
    }
}
