// SPDX-License-Identifier: Apache-2.0

import Expectations
import Foundation
import LatchAccounts
import LatchAuth
import LatchCore
import LatchHTTP
import LatchIdentityTesting
import LatchTesting
import Synchronization
import TestTags
import Testing

@testable import LatchIdentity

@Suite struct MailedCodeTests {
    private static let email = RealBackend.email

    private static func response(_ members: JSONObject) -> HTTPResponse {
        HTTPResponse(
            status: .ok, fields: [.contentType: "application/json"],
            body: HTTPBody(JSONValue.object(members).serialized()))
    }

    @Test(arguments: RealBackend.Connection.allCases)
    func `A user signs up with a mailed code and without a password, and signs in with another code`(
        way: RealBackend.Connection
    ) async throws {
        try await RealBackend.run(way, change: { $0.signInCodes = true }) { backend, _ in
            let client = try backend.client()
            let challenge = try await client.beginCodeSignUp(email: Self.email)
            #expect(challenge.email == Self.email && "\(challenge)" == "MailedCodeChallenge(<redacted>)")
            await #expect(throws: AccountError.wrongMailedCode) {
                try await client.completeCodeSignUp(challenge, code: "1234 5678")
            }
            try await client.completeCodeSignUp(challenge, code: await backend.mailedCode(), name: "Ada")
            try await expectEqual(client.profile().name, "Ada")
            try await expectEqual(client.profile().isEmailVerified, true)
            try await client.signOut()

            let first = try await client.beginCodeSignIn(email: Self.email)
            let again = try await client.resendCode(first)
            try await client.completeCodeSignIn(again, code: await backend.mailedCode())
            try await expectEqual(client.profile().email, Self.email)
            await #expect(throws: AccountError.mailedCodeExpired) {
                try await backend.client().completeCodeSignIn(
                    MailedCodeChallenge(email: first.email, expiryDate: first.expiryDate, token: first.token),
                    code: await backend.mailedCode())
            }
        }
    }

    @Test func `A sign-in with a mailed code asks for the second factor, and takes both codes`() async throws {
        try await RealBackend.run(change: { $0.signInCodes = true }) { backend, _ in
            let client = try backend.client()
            let challenge = try await client.beginCodeSignUp(email: Self.email)
            try await client.completeCodeSignUp(
                challenge, code: await backend.mailedCode(), password: RealBackend.password, username: "ada")
            let recovery = try await backend.enrolSecondFactor(of: client)
            let other = try backend.client()
            let signIn = try await other.beginCodeSignIn(email: Self.email)
            let code = await backend.mailedCode()
            await #expect(throws: AccountError.secondFactorRequired) {
                try await other.completeCodeSignIn(signIn, code: code)
            }
            await #expect(throws: AccountError.wrongCode) {
                try await other.completeCodeSignIn(signIn, code: code, secondFactor: "000000")
            }
            try await other.completeCodeSignIn(signIn, code: code, secondFactor: recovery.first)
            try await expectEqual(other.profile().email, Self.email)
        }
    }

    @Test(arguments: [true, false])
    func `A response that was lost after the code was used up is repeated with the same session`(isSignUp: Bool)
        async throws
    {
        try await RealBackend.run(change: { $0.signInCodes = true }) { backend, _ in
            let client = try backend.client()
            if !isSignUp {
                let challenge = try await client.beginCodeSignUp(email: Self.email)
                try await client.completeCodeSignUp(challenge, code: await backend.mailedCode())
                try await client.signOut()
            }
            let challenge =
                isSignUp
                ? try await client.beginCodeSignUp(email: Self.email)
                : try await client.beginCodeSignIn(email: Self.email)
            let code = await backend.mailedCode()
            let lost = Mutex(0)
            backend.network.withLock {
                $0 = { request, server in
                    let response = try await server.respond(to: request)
                    guard request.path.contains("/api/auth/code/") else { return response }
                    lost.withLock { $0 += 1 }
                    throw HTTPError.offline
                }
            }
            func complete() async throws -> Tokens {
                isSignUp
                    ? try await client.completeCodeSignUp(challenge, code: code)
                    : try await client.completeCodeSignIn(challenge, code: code)
            }
            await #expect(throws: HTTPError.self) { try await complete() }
            #expect(lost.withLock { $0 } > 0 && !client.session.currentState.isSignedIn)
            backend.network.withLock { $0 = { try await $1.respond(to: $0) } }
            _ = try await complete()
            try await expectEqual(client.profile().email, Self.email)
            let account = try #require(try await backend.identity.administration.account(email: Self.email))
            let services = backend.identity.services
            try await expectEqual(services.store.devices(of: account.id, at: services.clock.now).count, 1)
        }
    }

    @Test func `A server states its ways to sign in, and one without the route has passwords and passkeys`()
        async throws
    {
        try await RealBackend.run(change: { $0.signInWays = [.code] }) { backend, _ in
            let ways = try await backend.client().signInWays()
            #expect(!ways.hasPassword && !ways.hasPasskey && ways.hasCode && ways.hasSignUp)
            expectEqual(ways.providers, [])
            backend.network.withLock { $0 = { _, _ in HTTPResponse(status: .notFound) } }
            try await expectEqual(backend.client().signInWays(), SignInWays())
            backend.network.withLock {
                $0 = { _, _ in Self.response(["ways": ["password", "telepathy"], "providers": [["name": "staff"]]]) }
            }
            let later = try await backend.client().signInWays()
            #expect(later.hasPassword && !later.hasPasskey && !later.hasCode)
            expectEqual(later.providers, [.init(IdentityProvider(rawValue: "staff"), displayName: "staff")])
            backend.network.withLock { $0 = { _, _ in Self.response([:]) } }
            await #expect(throws: AccountError.invalidResponse) { try await backend.client().signInWays() }
        }
    }

    @Test func `A server without codes does not offer them`() async throws {
        try await RealBackend.run { backend, _ in
            let client = try backend.client()
            let error = await #expect(throws: AccountError.refused) {
                try await client.beginCodeSignIn(email: Self.email)
            }
            expectEqual(error?.serverCode, "signInWayOff")
            await #expect(throws: AccountError.invalidEmail) { try await client.beginCodeSignUp(email: "ada") }
        }
    }
}
