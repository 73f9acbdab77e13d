// SPDX-License-Identifier: Apache-2.0

import Expectations
import JWTAuthDependencies
import LatchCore
import LatchHTTP
import LatchTesting
import Synchronization
import TestTags
import Testing

@Suite struct RequestTests {
    let backend: Backend

    init() throws { backend = try Backend() }

    @Test(.tags(.authenticatedSending))
    func `A request with the session's token carries exactly the valid token, and refreshes nothing`() async throws {
        let tokens = try backend.issue()
        try await backend.run(keychain: .inMemory(tokens)) {
            @Dependency(\.jwtAuthClient) var client
            let answer: SuccessResponse<Profile> = try await client.sendAuthenticated(.get("/user/profile"))
            expectEqual(answer.data, Profile(name: "Ada"))
            expectEqual(answer.value, answer.data)
            expectEqual(answer.response.statusCode, 200)
        }
        expectEqual(backend.authorizations, ["Bearer \(tokens.access)"])
        expectEqual(backend.refreshes, 0)
    }

    @Test(.tags(.authenticatedSending))
    func `An expired token is refreshed exactly once, and the new one is sent`() async throws {
        let expired = try backend.issue(life: -10)
        try await backend.run(keychain: .inMemory(expired)) {
            @Dependency(\.jwtAuthClient) var client
            let answer: SuccessResponse<Profile> = try await client.sendAuthenticated(.get("/user/profile"))
            expectEqual(answer.data.name, "Ada")
        }
        let accepted = backend.state.withLock { $0.accepted.first }
        expectEqual(backend.requests.map(\.path), ["/auth/refresh", "/user/profile"])
        expectEqual(backend.authorizations, [nil, "Bearer \(accepted ?? "")"])
    }

    @Test(.tags(.authenticatedSending))
    func `A request that does not refresh sends the old token, and the refusal is the answer`() async throws {
        let expired = try backend.issue(life: -10)
        backend.state.withLock { $0.accepted = [] }
        try await backend.run(keychain: .inMemory(expired)) {
            @Dependency(\.jwtAuthClient) var client
            let error = await failure {
                try await client.sendAuthenticated(.get("/user/profile"), refreshExpiredToken: false)
            }
            guard case HTTPRequestClient.Error.badResponse(_, 401, let body)? = error else {
                Issue.record("\(String(describing: error))")
                return
            }
            #expect(body.contains("who are you"))
        }
        expectEqual(backend.authorizations, ["Bearer \(expired.access)"])
    }

    @Test(.tags(.authenticatedSending))
    func `A request without tokens fails with missingToken, and is not sent`() async throws {
        try await backend.run {
            @Dependency(\.jwtAuthClient) var client
            await #expect(throws: AuthTokens.Error.missingToken) {
                try await client.sendAuthenticated(.get("/user/profile"))
            }
            await #expect(throws: AuthTokens.Error.missingToken) {
                try await client.sendAuthenticated(.get("/user/profile"), refreshExpiredToken: false)
            }
            await #expect(throws: AuthTokens.Error.missingToken) { try await client.refreshExpiredTokens() }
        }
        #expect(backend.requests.isEmpty)
    }

    @Test(.tags(.concurrentRefresh))
    func `A thousand concurrent requests with an expired token make one refresh and one write`()
        async throws
    {
        let keychain = RecordedKeychain()
        try await backend.run(keychain: keychain.client) {
            @Dependency(\.authTokensClient) var authTokensClient
            @Dependency(\.jwtAuthClient) var client
            try await authTokensClient.save(try backend.issue(life: -10))
            let before = keychain.writes.count
            let names = await atOnce(1000) { _ in
                let answer: SuccessResponse<Profile>? = try? await client.sendAuthenticated(.get("/user/profile"))
                return answer?.data.name
            }
            expectEqual(names.filter { $0 == "Ada" }.count, 1000)
            let fresh = backend.state.withLock { $0.refreshable.first } ?? ""
            // Before the tokens are written, it is written down what will be asked, for the case of a crash.
            expectEqual(keychain.writes.dropFirst(before).filter { $0.contains(fresh) }.count, 1)
            expectEqual(keychain.writes.count, before + 2)
        }
        expectEqual(backend.refreshes, 1)
    }

    @Test(.tags(.concurrentRefresh))
    func `A late refusal of the old token is repeated with the new one, without another refresh`()
        async throws
    {
        let late = Gate()
        let old = try backend.issue()
        backend.on("/slow") { [backend] request in
            let isOld = request.fields[.authorization] == "Bearer \(old.access)"
            if isOld { await late.pass() }
            return isOld
                ? .json("{}", status: .unauthorized)
                : .json(#"{"name":"\#(backend.requests(to: "/slow").count)"}"#)
        }
        try await backend.run(keychain: .inMemory(old)) {
            let client = Dependency(\.jwtAuthClient).wrappedValue
            async let slow: SuccessResponse<Profile> = client.sendAuthenticated(.get("/slow"))
            await late.reached()
            backend.state.withLock { $0.accepted = [] }
            let quick: SuccessResponse<Profile> = try await client.sendAuthenticated(.get("/user/profile"))
            expectEqual(quick.data.name, "Ada")
            late.open()
            try await expectEqual(slow.data.name, "2")
        }
        expectEqual(backend.refreshes, 1)
    }

    @Test(.tags(.forcedRefresh))
    func `A refused token that has not expired is refreshed once, and the request is repeated`()
        async throws
    {
        let tokens = try backend.issue()
        backend.on("/notes") { [backend] request in
            backend.requests(to: "/notes").count == 1
                ? .json("{}", status: .unauthorized) : .json(#"{"name":"saved"}"#, status: .created)
        }
        try await backend.run(keychain: .inMemory(tokens)) {
            @Dependency(\.jwtAuthClient) var client
            let answer: SuccessResponse<Profile> = try await client.sendAuthenticated(
                .post("/notes").body(Profile(name: "note & body")))
            expectEqual(answer.data.name, "saved")
        }
        let sent = backend.requests(to: "/notes")
        expectEqual(sent.map(\.body.text), [#"{"name":"note & body"}"#, #"{"name":"note & body"}"#])
        expectEqual(sent[0].fields[.contentType], sent[1].fields[.contentType])
        expectNotEqual(sent[0].fields[.authorization], sent[1].fields[.authorization])
        expectEqual(backend.refreshes, 1)
    }

    @Test(.tags(.forcedRefresh)) func `The second refusal of a request is the answer`() async throws {
        let tokens = try backend.issue()
        backend.on("/never") { _ in .json("no", status: .unauthorized) }
        try await backend.run(keychain: .inMemory(tokens)) {
            @Dependency(\.jwtAuthClient) var client
            @Shared(.authSession) var session
            let error = await failure { try await client.sendAuthenticated(.get("/never")) }
            guard case HTTPRequestClient.Error.badResponse(_, 401, "no")? = error else {
                Issue.record("\(String(describing: error))")
                return
            }
            #expect(session?.tokens != nil)
        }
        expectEqual(backend.requests(to: "/never").count, 2)
        expectEqual(backend.refreshes, 1)
    }
}
