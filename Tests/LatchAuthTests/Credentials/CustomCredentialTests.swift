// SPDX-License-Identifier: Apache-2.0

import Expectations
import Foundation
import LatchAuth
import LatchHTTP
import Testing

/// The example of `Credential`, as it stands in the documentation.
private struct CountedToken: Credential {
    let token: String

    func authorize(_ request: inout HTTPRequest) {
        request.fields["X-Token"] = "\(token);length=\(request.body.length ?? 0)"
        request.credentialFields.append("X-Token")
    }
}

/// A scheme that has to ask another service first.
private struct Asking: Credential {
    let ask: @Sendable () async throws -> String

    func authorize(_ request: inout HTTPRequest) async throws {
        request.fields[.authorization] = "Custom \(try await ask())"
    }
}

@Suite struct CustomCredentialTests {
    private func send(_ credential: any Credential, _ request: HTTPRequest) async throws -> HTTPRequest {
        let recorded = Recorded()
        let client = Client(
            baseURL: try #require(URL(string: "https://api.example.com")), transport: recorded,
            interceptors: [CredentialInterceptor(credential, for: .host("api.example.com"))])
        _ = try await client.respond(to: request)
        return try #require(recorded.requests.first)
    }

    @Test func `A custom scheme needs one method`() async throws {
        let sent = try await send(CountedToken(token: "abc"), .example(.post, "/", body: HTTPBody("hello")))
        expectEqual(sent.fields["x-token"], "abc;length=5")
        #expect(sent.isCredential("X-TOKEN"))
    }

    @Test func `A custom scheme can wait, and can fail before anything is sent`() async throws {
        let sent = try await send(
            Asking {
                await Task.yield()
                return "abc"
            }, .example())
        expectEqual(sent.fields[.authorization], "Custom abc")
        await #expect(throws: AuthError.missingToken) {
            try await send(Asking { throw AuthError.missingToken }, .example())
        }
    }
}
