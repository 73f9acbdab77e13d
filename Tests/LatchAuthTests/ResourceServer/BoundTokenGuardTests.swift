// SPDX-License-Identifier: Apache-2.0

import Expectations
import LatchAuth
import LatchCore
import LatchFoundation
import LatchHTTP
import LatchJOSE
import LatchServer
import LatchTesting
import Synchronization
import TestTags
import Testing

@Suite(.tags(.proofReplay)) struct BoundTokenGuardTests {
    private let guarded: GuardedResource
    private let key: DPoPKey
    private let nonces: DPoPNonces

    init() throws {
        var guarded = try GuardedResource()
        let clock = guarded.clock.wallClock()
        nonces = DPoPNonces(clock: clock)
        guarded.resource.proofs = .required(DPoPVerifier(clock: clock))
        self.guarded = guarded
        key = try DPoPKey.generate(clock: clock)
        // Before, proofs need a nonce.
        guarded.clock.advance(by: .seconds(61))
    }

    private func boundToken(_ change: (inout Claims) -> Void = { _ in }) throws -> String {
        try guarded.token { claims in
            claims["cnf"] = ["jkt": .string(key.thumbprint)]
            change(&claims)
        }
    }

    /// Sends what our own client sends: the token with a proof of the key.
    private func send(
        _ token: String, with key: DPoPKey? = nil, to handler: any Handler, path: String = "/notes"
    ) async throws -> HTTPResponse {
        let tokens = Tokens(access: token, tokenType: .dpop, key: key ?? self.key)
        let client = handler.intercepted(by: [CredentialInterceptor(tokens, for: .host("api.test"))])
        return try await client.respond(to: HTTPRequest(authority: "api.test", path: path))
    }

    @Test func `A guard of tokens that are bound to a key passes our own client's request on`() async throws {
        let response = try await send(boundToken(), to: guarded.router())
        #expect(response.status == .ok && response.body.text == "ada")
    }

    @Test
    func `A guard of bound tokens challenges with the algorithms of proofs only, if each token must be bound`()
        async throws
    {
        let response = try await guarded.router().respond(to: guarded.request())
        expectEqual(response.challenges().map(\.scheme), ["DPoP"])
        expectNil(response.challenges().first?["error"])
        let plain = try await guarded.router().respond(to: guarded.request("Bearer \(guarded.token())"))
        #expect(plain.status == .unauthorized && plain.challenges().first?["error"] == "invalid_token")
    }

    @Test func `A guard of bound tokens refuses one that is presented as Bearer, as a thief has to`() async throws {
        for proofs in [guarded.resource.proofs, .supported(DPoPVerifier()), .unsupported] {
            var guarded = guarded
            guarded.resource.proofs = proofs
            let response = try await guarded.router().respond(to: guarded.request("Bearer \(boundToken())"))
            expectEqual(response.status, .unauthorized)
            #expect(response.challenges().contains { $0["error"] == "invalid_token" })
        }
    }

    @Test
    func `A guard of tokens that are bound to a key refuses a plain token with the scheme of bound ones`() async throws
    {
        var guarded = guarded
        guarded.resource.proofs = .supported(DPoPVerifier(clock: guarded.clock.wallClock()))
        let response = try await send(guarded.token(), to: guarded.router())
        expectEqual(response.status, .unauthorized)
        let challenges = response.challenges()
        expectEqual(challenges.first { $0.isScheme("DPoP") }?["error"], "invalid_token")
        expectNil(challenges.first { $0.isScheme("Bearer") }?["error"])
        try await expectEqual(guarded.router().respond(to: guarded.request("Bearer \(guarded.token())")).status, .ok)
    }

    @Test
    func `A guard of tokens that are bound to a key refuses a missing proof, and one of another key`() async throws {
        let token = try boundToken()
        let missing = try await guarded.router().respond(to: guarded.request("DPoP \(token)"))
        expectEqual(missing.challenges().first?["error"], "invalid_dpop_proof")
        let other = try DPoPKey.generate(clock: guarded.clock.wallClock())
        let foreign = try await send(token, with: other, to: guarded.router())
        #expect(foreign.status == .unauthorized && foreign.challenges().first?["error"] == "invalid_dpop_proof")
    }

    @Test
    func `A guard of bound tokens refuses a proof that is used, old, or for another path or token`() async throws {
        let router = guarded.router()
        let token = try boundToken()
        let tap = Tap()
        _ = try await send(token, to: tap.around(router))
        let message = try #require(tap.requests.first)
        try await expectEqual(router.respond(to: message).status, .unauthorized)
        guarded.clock.advance(by: .seconds(61))
        try await expectEqual(router.respond(to: message).status, .unauthorized)
        var elsewhere = message
        _ = try await send(token, to: tap.around(ClosureHandler { _ in HTTPResponse(status: .ok) }), path: "/other")
        elsewhere.fields["DPoP"] = tap.requests.last?.fields["DPoP"]
        try await expectEqual(router.respond(to: elsewhere).status, .unauthorized)
        var swapped = try #require(tap.requests.last)
        swapped.path = "/notes"
        swapped.fields[.authorization] = "DPoP \(try boundToken { $0["sub"] = "eve" })"
        try await expectEqual(router.respond(to: swapped).status, .unauthorized)
    }

    /// A table that processes share.
    private final class SharedMemory: Sendable {
        struct Away: Error {}

        private let used = Mutex<[String: Date]>([:])
        let isAway: Bool

        init(isAway: Bool = false) { self.isAway = isAway }

        @Sendable func use(_ proof: String, until end: Date) throws -> Bool {
            guard !isAway else { throw Away() }
            return used.withLock { $0.updateValue(end, forKey: proof) == nil }
        }

        var entries: [String: Date] { used.withLock { $0 } }
    }

    @Test
    func `A guard of bound tokens refuses a proof that another process with the same memory accepted`() async throws {
        let memory = SharedMemory()
        let clock = guarded.clock.wallClock()
        var (one, other) = (guarded, guarded)
        for guardedNode in [0, 1] {
            let proofs = ProtectedResource.Proofs.required(DPoPVerifier(clock: clock, memory: memory.use))
            if guardedNode == 0 { one.resource.proofs = proofs } else { other.resource.proofs = proofs }
        }
        let tap = Tap()
        try await expectEqual(send(boundToken(), to: tap.around(one.router())).status, .ok)
        let message = try #require(tap.requests.last)
        let refused = try await other.router().respond(to: message)
        #expect(refused.status == .unauthorized && refused.challenges().first?["error"] == "invalid_dpop_proof")
        let entry = try #require(memory.entries.first)
        #expect(memory.entries.count == 1 && entry.key.utf8.count == 64)
        #expect(entry.value.timeIntervalSince(guarded.clock.now) >= 119)
        // A new proof passes at either.
        try await expectEqual(send(boundToken(), to: other.router()).status, .ok)
    }

    @Test
    func `A guard of tokens that are bound to a key passes nothing on while the shared memory is away`() async throws {
        var guarded = guarded
        guarded.resource.proofs = .required(
            DPoPVerifier(clock: guarded.clock.wallClock(), memory: SharedMemory(isAway: true).use))
        let response = try await send(boundToken(), to: guarded.router())
        #expect(response.status == .serviceUnavailable && response.body.text?.contains("Away") != true)
    }

    @Test
    func `A guard of tokens that are bound to a key uses its own origin, whatever the request says`() async throws {
        let router = guarded.router()
        let tap = Tap()
        _ = try await send(boundToken(), to: tap.around(ClosureHandler { _ in HTTPResponse(status: .ok) }))
        var inside = try #require(tap.requests.first)
        (inside.scheme, inside.authority) = ("http", "10.0.0.7:8080")
        try await expectEqual(router.respond(to: inside).status, .ok)
    }

    @Test
    func `A guard of tokens that are bound to a key can require a nonce, which our own client learns`() async throws {
        var guarded = guarded
        let clock = guarded.clock.wallClock()
        guarded.resource.proofs = .required(DPoPVerifier(nonces: nonces, clock: clock))
        let tap = Tap()
        let response = try await send(boundToken(), to: tap.around(guarded.router()))
        expectEqual(response.status, .ok)
        expectEqual(tap.requests.count, 2)
        expectEqual(response.fields["DPoP-Nonce"], nonces.current)
        expectEqual(response.fields["Cache-Control"], "no-store")
        let refused = try #require(tap.responses.first)
        expectEqual(refused.challenges().first?["error"], "use_dpop_nonce")
        _ = try await send(boundToken(), to: tap.around(guarded.router()))
        expectEqual(tap.requests.count, 3)
    }

    @Test
    func `A guard of bound tokens asks for a nonce after its start, which our own client answers by itself`()
        async throws
    {
        var restarted = guarded
        let clock = guarded.clock.wallClock()
        restarted.resource.proofs = .required(DPoPVerifier(clock: clock))
        let tap = Tap()
        try await expectEqual(send(boundToken(), to: tap.around(restarted.router())).status, .ok)
        expectEqual(tap.requests.count, 2)
        expectEqual(tap.responses.first?.challenges().first?["error"], "use_dpop_nonce")
        try await expectEqual(send(boundToken(), to: tap.around(restarted.router())).status, .ok)
        expectEqual(tap.requests.count, 3)
    }

    @Test
    func `A guard of bound tokens takes no proof that another resource of the process has verified`() async throws {
        var inner = guarded
        inner.resource = try ProtectedResource(url: url("https://other.test/notes"), authorizationServers: [])
        inner.resource.proofs = guarded.resource.proofs
        let router = guarded.router([guarded.interceptor(), inner.interceptor()])
        try await expectEqual(send(boundToken(), to: router).challenges().first?["error"], "invalid_dpop_proof")
    }

    @Test
    func `A guard of tokens that are bound to a key uses a proof once for the guards around one route`() async throws {
        let inner = guarded.interceptor(authentication: StepUpRequirement(contextClasses: ["mfa"]))
        let router = guarded.router([guarded.interceptor(), inner])
        let token = try boundToken { $0["acr"] = "mfa" }
        try await expectEqual(send(token, to: router).status, .ok)
        try await expectEqual(send(boundToken(), to: router).challenges().first?["acr_values"], "mfa")
    }

    @Test(
        arguments: [
            ["x5t#S256": "abc"], ["jkt": 1], "text", [:], ["jwk": ["kty": "EC"]],
        ] as [JSONValue])
    func `A guard of tokens that are bound to a key refuses a binding that it does not verify`(confirmation: JSONValue)
        async throws
    {
        let token = try guarded.token { $0["cnf"] = confirmation }
        for scheme in ["Bearer", "DPoP"] {
            let response = try await guarded.router().respond(to: guarded.request("\(scheme) \(token)"))
            expectEqual(response.status, .unauthorized)
        }
        let both = try boundToken { $0["cnf"] = ["jkt": .string(key.thumbprint), "x5t#S256": "abc"] }
        try await expectEqual(send(both, to: guarded.router()).status, .unauthorized)
    }
}
