// SPDX-License-Identifier: Apache-2.0

import Expectations
import Foundation
import LatchAuth
import LatchCore
import LatchCrypto
import LatchHTTP
import LatchJOSE
import LatchTesting
import Synchronization
import TestSupport
import Testing

@testable import LatchOAuth

/// The dialog of the system and Apple's keys, which answer as a test says.
private final class ScriptedApple: AppleIDProvider, Handler {
    struct Deviations: Sendable {
        var claims: @Sendable (inout Claims) -> Void = { _ in }
        var credential: @Sendable (inout AppleIDCredential) -> Void = { _ in }
        var error: (any Error)?
        var waits = false
    }

    let key: Key
    let clock = ManualClock()
    let deviations = Mutex(Deviations())
    let requests = Mutex<[AppleIDRequest]>([])
    let states = Mutex<[Result<AppleIDState, OAuthError>]>([])
    private let notifications = AsyncStream.makeStream(of: Void.self)

    init() throws { key = try Key.generate(.rs256) }

    func revoke() { notifications.continuation.yield() }
    func finish() { notifications.continuation.finish() }

    func credential(for request: AppleIDRequest) async throws -> AppleIDCredential {
        requests.withLock { $0.append(request) }
        let deviations = deviations.withLock { $0 }
        if let error = deviations.error { throw error }
        if deviations.waits { try await untilCancelled() }
        var claims: Claims = ["sub": "001.ada", "nonce": .string(request.nonce), "email_verified": "true"]
        claims.issuer = "https://appleid.apple.com"
        claims.audience = ["com.example.notes"]
        claims.issuedAt = clock.now
        claims.expiry = clock.now.addingTimeInterval(600)
        claims["c_hash"] = .string(Base64URL.encode(SHA256.hash(data: Array("code-1".utf8)).prefix(16)))
        claims["email"] = "x@privaterelay.appleid.com"
        claims["is_private_email"] = true
        deviations.claims(&claims)
        var credential = AppleIDCredential(
            user: "001.ada", identityToken: try JWT.sign(claims, with: key), authorizationCode: "code-1",
            state: request.state)
        deviations.credential(&credential)
        return credential
    }

    func state(ofUser user: String) async throws -> AppleIDState {
        try states.withLock { $0.isEmpty ? .success(.authorized) : $0.removeFirst() }.get()
    }

    func revocations() -> AsyncStream<Void> { notifications.stream }

    func respond(to request: HTTPRequest) async throws -> HTTPResponse {
        let body: JSONValue =
            request.absoluteURL == "https://appleid.apple.com/auth/keys"
            ? KeySet([key]).jwks()
            // What Apple published for a day in June 2025; its tokens kept their issuer.
            : [
                "issuer": "https://account.apple.com", "token_endpoint": "https://account.apple.com/auth/token",
                "jwks_uri": "https://account.apple.com/keys",
            ]
        return HTTPResponse(
            status: .ok, fields: [.contentType: "application/json"], body: HTTPBody(body.serialized()))
    }
}

@Suite(.timeLimit(.minutes(1))) struct AppleSignInTests {
    private let apple: ScriptedApple
    private let details = InMemorySecretStore()

    init() throws { apple = try ScriptedApple() }

    private var signIn: AppleSignIn {
        AppleSignIn(
            clientID: "com.example.notes", provider: apple, details: details, transport: apple,
            clock: apple.clock.wallClock())
    }

    @Test func `Sign in with Apple returns the user of a verified identity token`() async throws {
        let user = try await signIn.signIn()
        expectEqual(user.id, "001.ada")
        expectEqual(user.authorizationCode, "code-1")
        expectEqual(user.email, "x@privaterelay.appleid.com")
        #expect(user.isEmailVerified)
        #expect(user.isPrivateEmail)
        expectNil(user.name)
        let request = try #require(apple.requests.withLock { $0.first })
        #expect(request.requestsName && request.requestsEmail)
        // SHA-256 in hexadecimal digits; the nonce itself stays with the app.
        expectEqual(request.nonce, SHA256.hash(data: Data(user.nonce.utf8)).map { String(format: "%02x", $0) }.joined())
        try expectEqual(JWT(unverified: user.identityToken).claims.string("nonce"), request.nonce)
        #expect(!"\(user)".contains(user.identityToken))
    }

    @Test func `Sign in with Apple has a new nonce and state each time`() async throws {
        for _ in 0..<2 { _ = try await signIn.signIn(requestingName: false, requestingEmail: false) }
        let requests = apple.requests.withLock { $0 }
        expectNotEqual(requests[0].nonce, requests[1].nonce)
        expectNotEqual(requests[0].state, requests[1].state)
        #expect(!requests[0].requestsName && !requests[0].requestsEmail)
    }

    @Test(arguments: [
        "nonce", "iss", "aud", "sub", "c_hash", "exp", "iat", "state", "no state", "no token", "other key", "user",
    ])
    func `Sign in with Apple refuses a credential that is not the answer to its request`(part: String) async throws {
        let other = try Key.generate(.rs256)
        let past = apple.clock.now.addingTimeInterval(-3_600)
        apple.deviations.withLock { deviations in
            switch part {
            case "exp": deviations.claims = { $0.expiry = past }
            case "iat": deviations.claims = { $0["iat"] = nil }
            case "state": deviations.credential = { $0.state = "other" }
            case "no state": deviations.credential = { $0.state = nil }
            case "no token": deviations.credential = { $0.identityToken = nil }
            case "user": deviations.credential = { $0.user = "002.eve" }
            case "other key":
                deviations.credential = { $0.identityToken = try? JWT.sign(["sub": "001.ada"], with: other) }
            default: deviations.claims = { $0[part] = "other" }
            }
        }
        await #expect(throws: OAuthError.self) { try await signIn.signIn() }
        #expect(details.names().isEmpty)
    }

    @Test func `Sign in with Apple keeps a name that comes once, until it is delivered`() async throws {
        apple.deviations.withLock {
            $0.credential = {
                $0.name = AppleUserName(given: "Ada", family: "")
                $0.email = "ada@example.com"
            }
            $0.claims = { $0["email"] = nil }
        }
        let first = try await signIn.signIn()
        expectEqual(first.name, AppleUserName(given: "Ada"))
        expectEqual(first.email, "ada@example.com")
        apple.deviations.withLock { $0.credential = { _ in } }
        // Another launch, and Apple says nothing any more.
        let second = try await signIn.signIn()
        expectEqual(second.name, first.name)
        expectEqual(second.email, "ada@example.com")
        #expect(details.names().allSatisfy { !$0.contains("ada") })
        try await signIn.forgetDetails(ofUser: first.id)
        let third = try await signIn.signIn()
        expectNil(third.name)
        expectNil(third.email)
    }

    @Test func `Sign in with Apple survives a store that cannot be used`() async throws {
        apple.deviations.withLock { $0.credential = { $0.name = AppleUserName(given: "Ada") } }
        let secrets = FailingSecretStore(InMemorySecretStore(), after: 0, with: .storeLocked)
        let signIn = AppleSignIn(
            clientID: "com.example.notes", provider: apple, details: secrets, transport: apple,
            clock: apple.clock.wallClock())
        try await expectEqual(signIn.signIn().name?.given, "Ada")
    }

    @Test func `Sign in with Apple has no name of empty parts`() {
        expectNil(AppleUserName(given: "", family: nil))
        expectNil(AppleUserName())
    }

    @Test(
        arguments: [
            (1_001, OAuthError.cancelled), (1_000, .browserUnavailable), (1_004, .browserUnavailable),
            (nil, .browserUnavailable),
        ] as [(Int?, OAuthError)])
    func `Sign in with Apple reports each error of the system`(code: Int?, error: OAuthError) async throws {
        apple.deviations.withLock { $0.error = OAuthError(appleIDErrorCode: code) }
        await #expect(throws: error) { try await signIn.signIn() }
    }

    @Test func `Sign in with Apple ends with the task`() async throws {
        apple.deviations.withLock { $0.waits = true }
        let task = Task { try await signIn.signIn() }
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
    }

    @Test(arguments: [
        (0, AppleIDState.revoked, true), (1, .authorized, false), (2, .notFound, true), (3, .transferred, false),
        (9, .unknown, false), (-1, .unknown, false),
    ])
    func `Sign in with Apple knows which states end a session`(raw: Int, state: AppleIDState, ends: Bool) {
        expectEqual(AppleIDState(rawValue: raw), state)
        expectEqual(state.endsSession, ends)
    }

    @Test
    func `Sign in with Apple ends the session of a user who has left, and not for a check that fails`() async throws {
        let session = Session(client: try ScriptedProvider().client(), store: InMemoryTokenStore())
        try await session.signIn(Tokens(access: "a", refresh: "r"))
        apple.states.withLock {
            let failure = Result<AppleIDState, OAuthError>.failure(.browserUnavailable)
            $0 = [.success(.authorized), failure, failure, .success(.revoked)]
        }
        let checks = Mutex(0)
        apple.revoke()
        async let watching: Void = signIn.watch(user: "001.ada") {
            checks.withLock { $0 += 1 }
            do { _ = try await session.signOut() } catch { Issue.record(error) }
        }
        await expectEqual(apple.clock.wakeNext(), .seconds(5))
        #expect(session.currentState.isSignedIn)
        await expectEqual(apple.clock.wakeNext(), .seconds(10))
        await watching
        expectEqual(checks.withLock { $0 }, 1)
        #expect(!session.currentState.isSignedIn)
        #expect(apple.states.withLock { $0.isEmpty })
    }

    @Test func `Sign in with Apple stops watching when nothing is reported any more`() async throws {
        apple.finish()
        await signIn.watch(user: "001.ada") { Issue.record("nobody has left") }
    }
}
