// SPDX-License-Identifier: Apache-2.0

import Expectations
import Foundation
import LatchAuth
import LatchHTTP
import LatchOAuth
import LatchTesting
import TestSupport
import TestTags
import Testing

@Suite struct HostileIssuerTests {
    let grant = PasswordGrant(username: "ada", password: "pass-word-9")

    private func endpoint(_ server: RawHTTPServer) throws -> TokenEndpoint {
        TokenEndpoint(
            server: .latchwork(at: try #require(URL(string: server.url))), timeout: .seconds(60))
    }

    /// Neither a redirect nor a second attempt may carry a password anywhere.
    private func failure(of answer: RawHTTPServer.Response) async throws -> any Error {
        let server = try RawHTTPServer { _ in answer }
        let error = try #require(
            await #expect(throws: (any Error).self) { try await endpoint(server).tokens(for: grant) })
        expectEqual(server.requests.count, 1)
        #expect(!"\(error)".contains("pass-word-9"))
        return error
    }

    @Test(.tags(.loginRequest)) func `An issuer on a socket gets the form of the grant, byte for byte`() async throws {
        let server = try RawHTTPServer { _ in .response(fields: [], body: #"{"access_token":"a"}"#) }
        _ = try await endpoint(server).tokens(for: PasswordGrant(username: "a&b", password: "ü +"))
        let request = try #require(server.requests.first)
        expectEqual(request.line, "POST /oauth/token HTTP/1.1")
        expectEqual(request.values(of: "Content-Type"), ["application/x-www-form-urlencoded"])
        #expect(request.values(of: "Cookie").isEmpty)
        expectEqual(
            String(decoding: request.body, as: UTF8.self), "grant_type=password&username=a%26b&password=%C3%BC%20%2B")
    }

    @Test(.tags(.loginResponses)) func `An issuer on a socket can be a proxy that answers with HTML`() async throws {
        let page = RawHTTPServer.Response.response(
            502, fields: ["Content-Type: text/html"], body: "<html><h1>Bad Gateway</h1></html>")
        let error = try await failure(of: page)
        expectEqual(error as? OAuthError, .serverFailed)
        expectNil((error as? OAuthError)?.issuerMessage)
    }

    @Test(.tags(.loginResponses)) func `An issuer on a socket can give no answer at all`() async throws {
        try await expectEqual(failure(of: .response(400)) as? OAuthError, .refused)
        try await expectEqual(failure(of: .response(200)) as? OAuthError, .invalidResponse)
        try await expectEqual(failure(of: .text("HTTP/1.1 204 No Content\r\n\r\n")) as? OAuthError, .invalidResponse)
    }

    @Test(.tags(.tokenRefresh))
    func `An issuer on a socket can break off in the middle, which is the network's failure`() async throws {
        let error = try await failure(
            of: .closing(after: "HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n{\"access_token\":\"a"))
        #expect(error is HTTPError)
        #expect(try await failure(of: .closing(after: "")) is HTTPError)
        #expect(try await failure(of: .closing(after: "NONSENSE\r\n\r\n")) is HTTPError)
    }

    @Test func `An issuer on a socket is not read beyond a megabyte`() async throws {
        let body = #"{"access_token":"a","x":""# + String(repeating: "x", count: 2 << 20) + "\"}"
        try await expectEqual(failure(of: .response(body: body)) as? HTTPError, .tooLarge)
    }

    @Test(.tags(.secretTransport)) func `An issuer on a socket gets no password by a redirect`() async throws {
        let thief = try RawHTTPServer { _ in .response(body: #"{"access_token":"evil"}"#) }
        for status in [301, 302, 303, 307, 308] {
            let error = try await failure(
                of: .response(status, fields: ["Location: \(thief.url)/oauth/token"]))
            expectEqual(error as? OAuthError, .invalidResponse)
        }
        #expect(thief.requests.isEmpty)
    }

    @Test func `An issuer on a socket can answer a byte at a time`() async throws {
        let body = #"{"access_token":"a","expires_in":60}"#
        let server = try RawHTTPServer { _ in
            .trickle("HTTP/1.1 200 OK\r\nContent-Length: \(body.utf8.count)\r\n\r\n\(body)")
        }
        try await expectEqual(endpoint(server).tokens(for: grant).tokens.access, "a")
    }

    @Test func `An issuer on a socket keeps a session alive that it answers with garbage`() async throws {
        let server = try RawHTTPServer { _ in .closing(after: "HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\n{\"a") }
        let store = InMemoryTokenStore(Tokens(access: "a0", refresh: "r0", expiry: .distantPast))
        let session = Session(tokenEndpoint: try endpoint(server), store: store)
        await #expect(throws: HTTPError.self) { try await session.credential() }
        #expect(session.currentState.isSignedIn)
        expectEqual(store.load()?.refresh, "r0")
    }
}
