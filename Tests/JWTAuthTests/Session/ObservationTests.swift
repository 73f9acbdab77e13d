// SPDX-License-Identifier: Apache-2.0

import Expectations
import Foundation
import JWTAuthDependencies
import LatchCore
import LatchHTTP
import LatchTesting
import Observation
import TestTags
import Testing

@Suite struct ObservationTests {
    let backend: Backend

    init() throws { backend = try Backend() }

    @Test(.tags(.sessionObservers))
    func `Each observer of the session sees each change once, and also an expiry`() async throws {
        let tokens = try backend.issue(life: 900)
        try await backend.run {
            @Dependency(\.authTokensClient) var authTokensClient
            @Dependency(\.jwtAuthClient) var client
            @Shared(.authSession) var session
            var first = $session.changes.makeAsyncIterator()
            var second = $session.changes.makeAsyncIterator()
            await expectEqual(first.next(), .some(nil))
            try await client.loadSession()
            await expectEqual(first.next(), .missing)
            try await authTokensClient.save(tokens)
            try await authTokensClient.save(tokens)
            await expectEqual(first.next(), .valid(tokens))
            await backend.clock.wakeNext()
            await expectEqual(first.next(), .expired(tokens))
            try await client.refreshExpiredTokens()
            let fresh = try #require(session?.tokens)
            expectNotEqual(fresh, tokens)
            await expectEqual(first.next(), .valid(fresh))
            try await authTokensClient.destroy()
            await expectEqual(first.next(), .missing)

            let expected: [AuthSession?] = [nil, .missing, .valid(tokens), .expired(tokens), .valid(fresh), .missing]
            for state in expected { await expectEqual(second.next(), .some(state)) }
        }
    }

    @Test(.tags(.sessionObservers))
    func `A reader of the session under observation is notified of the next change`() async throws {
        let tokens = try backend.issue()
        try await backend.run {
            @Dependency(\.authTokensClient) var authTokensClient
            let shared = Shared(.authSession)
            let told = Gate()
            told.open()
            let seen = withObservationTracking {
                shared.wrappedValue
            } onChange: {
                Task { await told.pass() }
            }
            expectNil(seen)
            try await authTokensClient.save(tokens)
            await told.reached()
            expectEqual(shared.wrappedValue, .valid(tokens))
        }
    }

    @Test func `The shared session is correct at once when a call returns`() async throws {
        let tokens = try backend.issue()
        try await backend.run {
            @Dependency(\.authTokensClient) var authTokensClient
            @Shared(.authSession) var session
            for _ in 0..<50 {
                try await authTokensClient.save(tokens)
                expectEqual(session, .valid(tokens))
                try await authTokensClient.destroy()
                expectEqual(session, .missing)
            }
        }
    }

    @Test func `Streams of the session end with it and leave no task behind`() async throws {
        let changes = try await backend.run { Shared(.authSession).changes }
        var count = 0
        for await _ in changes { count += 1 }
        expectEqual(count, 1)
    }

    @Test func `The issuer's clock counts if this device's is wrong`() async throws {
        let tokens = try backend.issue(life: 900)
        // This device is an hour ahead: by its own clock the token has expired before it came.
        try await backend.run({ values, _ in values.wallClock = backend.clock.wallClock(skew: 3600) }) {
            @Dependency(\.authTokensClient) var authTokensClient
            @Dependency(\.jwtAuthClient) var client
            @Shared(.authSession) var session
            backend.on("/auth/login") { _ in .json(#"{"access":"\#(tokens.access)","refresh":"\#(tokens.refresh)"}"#) }
            let issued: SuccessResponse<AuthTokens> = try await client.send(.post("/auth/login"))
            #expect(issued.data.isExpired)
            try await authTokensClient.save(issued.data)
            #expect(!issued.data.isExpired)
            try tokens.validateAccessToken()
            expectEqual(session, .valid(tokens))
            let answer: SuccessResponse<Profile> = try await client.sendAuthenticated(.get("/user/profile"))
            expectEqual(answer.data.name, "Ada")
        }
        expectEqual(backend.refreshes, 0)
    }

    @Test(arguments: [false, true]) func `No other response shows the issuer's clock`(isCached: Bool) async throws {
        let tokens = try backend.issue(life: -10)
        let old = HTTPDate(backend.clock.now.addingTimeInterval(-3600)).description
        let body = isCached ? #"{"access":"\#(tokens.access)"}"# : #"{"name":"Ada"}"#
        try await backend.run({ values, _ in
            values.httpRequestClient = HTTPRequestClient(
                handler: ClosureHandler { _ in
                    var response = HTTPResponse.json(body)
                    response.fields[.date] = old
                    response.fields["Age"] = isCached ? "3600" : nil
                    return response
                })
        }) {
            @Dependency(\.authTokensClient) var authTokensClient
            @Dependency(\.jwtAuthClient) var client
            @Shared(.authSession) var session
            _ = try await client.send(.get("/news"))
            try await authTokensClient.save(tokens)
            expectEqual(session, .expired(tokens))
            #expect(tokens.isExpired)
        }
    }

    @Test func `A refresh closure on a device whose clock is ahead can check its result`() async throws {
        let expired = try backend.issue(life: -10)
        let keychain = KeychainClient.inMemory(expired)
        try await backend.run(
            keychain: keychain,
            { values, _ in
                values.wallClock = backend.clock.wallClock(skew: 7200)
                values.jwtAuthClient.refresh = { tokens in
                    // Without a response that shows the issuer's clock.
                    #expect(tokens.isExpired)
                    let fresh = try backend.issue(life: 900)
                    try fresh.validateAccessToken()
                    return fresh
                }
            }
        ) {
            @Dependency(\.jwtAuthClient) var client
            try await client.refreshExpiredTokens()
            try await expectEqual(keychain.loadTokens()?.refresh, "refresh-canary-2")
        }
    }
}
