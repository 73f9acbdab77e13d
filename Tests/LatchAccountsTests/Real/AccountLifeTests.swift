// SPDX-License-Identifier: Apache-2.0

import Expectations
import Foundation
import LatchAccounts
import LatchAuth
import LatchCore
import LatchHTTP
import LatchTesting
import TestTags
import Testing

@testable import LatchIdentity

@Suite struct AccountLifeTests {
    @Test(arguments: RealBackend.Connection.allCases)
    func `A user at the real server signs up, verifies, signs in, is known and signs out`(way: RealBackend.Connection)
        async throws
    {
        try await RealBackend.run(way) { backend, _ in
            let client = try backend.client()
            let account = try await client.signUp(
                email: RealBackend.email, password: RealBackend.password, name: "Ada", roles: ["admin"])
            expectEqual(account.email, RealBackend.email)
            expectEqual(account.roles.contains("admin"), false, "P6: no user becomes an administrator alone")

            try await client.signIn(email: RealBackend.email, password: RealBackend.password)
            try await expectEqual(client.profile().isEmailVerified, false)
            try await client.verifyEmail(token: await backend.mailedToken())
            let profile = try await client.profile()
            expectEqual(profile.isEmailVerified, true)
            expectEqual(profile.id, account.id)
            expectEqual(client.account?.id, account.id)
            expectEqual(client.account?.name, "Ada")

            let tokens = try await client.session.credential()
            #expect(try await client.signOut())
            let thief = try backend.client(store: InMemoryTokenStore(tokens))
            await #expect(throws: AuthError.reauthenticationRequired) { try await thief.profile() }
        }
    }

    @Test(arguments: [true, false])
    func `A user at the real server verifies with the password before the first sign-in`(requiresProof: Bool)
        async throws
    {
        try await RealBackend.run(change: {
            $0.requireVerifiedEmail = true
            $0.requireOwnerProof = requiresProof
        }) { backend, _ in
            let client = try backend.client()
            try await client.signUp(email: RealBackend.email, password: RealBackend.password)
            let token = await backend.mailedToken()
            if requiresProof {
                await #expect(throws: AccountError.refused) { try await client.verifyEmail(token: token) }
            }
            await #expect(throws: AccountError.wrongCredentials) {
                try await client.verifyEmail(token: token, password: "not the password")
            }
            try await client.verifyEmail(token: token, password: RealBackend.password)
            try await client.signIn(email: RealBackend.email, password: RealBackend.password)
            let account = try await backend.identity.administration.account(email: RealBackend.email)
            #expect(account?.ownerProvedAt != nil)
        }
    }

    @Test func `A user at the real server verifies with the code of the email, signed in or with the password`()
        async throws
    {
        try await RealBackend.run(change: { $0.requireOwnerProof = true }) { backend, _ in
            for email in ["ada@example.com", "eve@example.com"] {
                let client = try backend.client()
                try await client.signUp(email: email, password: RealBackend.password)
                let code = await backend.mailedCode(to: email)
                await #expect(throws: AccountError.wrongMailedCode) {
                    try await client.verifyEmail(code: "1234 5678", of: email)
                }
                let isSignedIn = email == "ada@example.com"
                if isSignedIn { try await client.signIn(email: email, password: RealBackend.password) }
                let result = try await client.verifyEmail(
                    code: code, of: email, password: isSignedIn ? nil : RealBackend.password)
                expectEqual(result.email, email)
            }
        }
    }

    @Test(arguments: RealBackend.Connection.allCases)
    func `A user at the real server reports a wrong password, a taken or invalid address and too many attempts`(
        way: RealBackend.Connection
    )
        async throws
    {
        try await RealBackend.run(way, change: { $0.loginLimitPerMinute = 3 }) { backend, _ in
            let client = try backend.client()
            try await client.signUp(email: RealBackend.email, password: RealBackend.password)
            await #expect(throws: AccountError.emailTaken) {
                try await client.signUp(email: "ADA@example.com", password: RealBackend.password)
            }
            await #expect(throws: AccountError.invalidEmail) {
                try await client.signUp(email: "ada example.com", password: RealBackend.password)
            }
            for _ in 0..<3 {
                await #expect(throws: AccountError.wrongCredentials) {
                    try await client.signIn(email: RealBackend.email, password: "wrong-password")
                }
            }
            let error = await #expect(throws: AccountError.tooManyAttempts) {
                try await client.signIn(email: RealBackend.email, password: RealBackend.password)
            }
            #expect(error?.retryAfter ?? .zero > .zero)
            backend.passTime(61)
            try await client.signIn(email: RealBackend.email, password: RealBackend.password)
        }
    }

    @Test(.tags(.passwordReset))
    func `A user at the real server sets a new password by mail, which ends every session and the old password`()
        async throws
    {
        try await RealBackend.run { backend, _ in
            let phone = try await backend.signedIn()
            let laptop = try backend.client()
            try await laptop.signIn(email: RealBackend.email, password: RealBackend.password)

            let known = try await laptop.requestPasswordReset(email: RealBackend.email)
            let unknown = try await laptop.requestPasswordReset(email: "nobody@example.com")
            expectEqual(known, unknown)
            let token = await backend.mailedToken()
            try await laptop.resetPassword(token: token, newPassword: "NewSecret456!")
            await #expect(throws: AccountError.refused) {
                try await laptop.resetPassword(token: token, newPassword: "Another789!")
            }
            for client in [phone, laptop] {
                await #expect(throws: AuthError.reauthenticationRequired) { try await client.profile() }
                expectEqual(client.session.currentState, .signedOut(.issuer))
            }
            await #expect(throws: AccountError.wrongCredentials) {
                try await phone.signIn(email: RealBackend.email, password: RealBackend.password)
            }
            try await phone.signIn(email: RealBackend.email, password: "NewSecret456!")
        }
    }

    @Test(arguments: [-86_400.0, 86_400, 3_000, -3_000])
    func `A user at the real server is signed in on a device whose clock is wrong`(skew: TimeInterval) async throws {
        try await RealBackend.run { backend, _ in
            let client = try backend.client(skew: skew)
            try await client.signUp(email: RealBackend.email, password: RealBackend.password)
            try await client.signIn(email: RealBackend.email, password: RealBackend.password)
            for _ in 0..<3 { try await expectEqual(client.profile().email, RealBackend.email) }
            backend.passTime(890)
            try await expectEqual(client.profile().email, RealBackend.email)
            backend.passTime(20)
            try await expectEqual(client.profile().email, RealBackend.email)
            #expect(try await backend.issued("refresh_token") <= 3)
        }
    }
}
