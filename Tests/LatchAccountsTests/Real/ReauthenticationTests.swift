// SPDX-License-Identifier: Apache-2.0

import Expectations
import Foundation
import LatchAccounts
import LatchAuth
import LatchCore
import LatchHTTP
import LatchTesting
import Testing

@testable import LatchIdentity

/// A user who signed in long ago, and now changes something that needs a recent authentication.
@Suite struct ReauthenticationTests {
    private typealias Connection = RealBackend.Connection

    /// Calls a method of the user service as the signed-in user.
    private func call(_ client: AuthClient, _ method: String, _ message: JSONObject = [:]) async throws -> HTTPResponse
    {
        let request = try client.client.request(
            .post, RoutePath("userservice.v1.UserService/\(method)"), fields: [.contentType: "application/json"],
            body: HTTPBody(JSONValue.object(message).serialized()))
        return try await client.client.respond(to: request)
    }

    private func changeEmail(_ client: AuthClient) async throws -> HTTPResponse {
        let id = try #require(client.account?.id)
        return try await call(client, "UpdateProfile", ["userId": .string(id), "email": "grace@example.com"])
    }

    @Test(arguments: RealBackend.Connection.allCases)
    func `A user who authenticates again changes the address after the password, with the same tokens`(
        way: RealBackend.Connection
    ) async throws {
        try await RealBackend.run(way) { backend, _ in
            let client = try await backend.signedIn()
            backend.passTime(901)
            let error = await #expect(throws: AuthError.stepUpRequired) { try await changeEmail(client) }
            expectEqual(error?.requirement?.maximumAge, .seconds(900))
            expectEqual(client.session.stepUp, error?.requirement)
            let (tokens, refreshes) = (try await client.session.credential(), try await backend.issued("refresh_token"))

            await #expect(throws: AccountError.wrongCredentials) {
                try await client.reauthenticate(password: "not the password")
            }
            expectEqual(client.session.stepUp, error?.requirement)
            try await client.reauthenticate(password: RealBackend.password)
            expectNil(client.session.stepUp)
            try await expectEqual(changeEmail(client).status, .ok)
            try await expectEqual(client.session.credential(), tokens)
            try await expectEqual(backend.issued("refresh_token"), refreshes)
        }
    }

    @Test(arguments: RealBackend.Connection.allCases)
    func `A user who authenticates again also gives the code of a second factor, if there is one`(
        way: RealBackend.Connection
    ) async throws {
        try await RealBackend.run(way) { backend, _ in
            let client = try await backend.signedIn()
            let codes = try await backend.enrolSecondFactor(of: client)
            backend.passTime(901)
            await #expect(throws: AuthError.stepUpRequired) { try await call(client, "SetupTwoFactor") }
            await #expect(throws: AccountError.secondFactorRequired) {
                try await client.reauthenticate(password: RealBackend.password)
            }
            await #expect(throws: AccountError.wrongCode) {
                try await client.reauthenticate(password: RealBackend.password, code: "aaaa-aaaa-aaaa-aaaa")
            }
            try await client.reauthenticate(password: RealBackend.password, code: codes[0])
            try await expectEqual(call(client, "SetupTwoFactor").status, .ok)

            let laptop = try backend.client()
            await #expect(throws: AccountError.secondFactorRequired) {
                try await laptop.signIn(email: RealBackend.email, password: RealBackend.password)
            }
            try await laptop.signIn(email: RealBackend.email, password: RealBackend.password, code: codes[1])
            try await expectEqual(laptop.profile().email, RealBackend.email)
        }
    }

    @Test
    func `A user who authenticates again sends a wrong password once, refreshes nothing, and stays signed in`()
        async throws
    {
        try await RealBackend.run { backend, _ in
            let client = try await backend.signedIn()
            let change: JSONObject = ["currentPassword": "not the password", "newPassword": "a sentence that is long"]
            let refused = try await call(client, "ChangePassword", change)
            expectEqual(refused.status, .forbidden)
            await #expect(throws: AccountError.wrongCredentials) {
                try await client.reauthenticate(password: "not the password")
            }
            let failures = try await backend.identity.audit.records(limit: 100).filter { $0.event.hasSuffix(".failed") }
            expectEqual(failures.map(\.event), ["reauthentication.failed", "passwordChange.failed"])
            try await expectEqual(backend.issued("refresh_token"), 0)
            #expect(client.session.currentState.isSignedIn)
        }
    }

    @Test func `A user who authenticates again has an expired token refreshed first`() async throws {
        try await RealBackend.run { backend, _ in
            await #expect(throws: AuthError.missingToken) {
                try await backend.client().reauthenticate(password: RealBackend.password)
            }
            let client = try await backend.signedIn()
            backend.passTime(5000)
            try await client.reauthenticate(password: RealBackend.password)
            try await expectEqual(backend.issued("refresh_token"), 1)
            try await expectEqual(changeEmail(client).status, .ok)
        }
    }
}
