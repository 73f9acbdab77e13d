// SPDX-License-Identifier: Apache-2.0

import Expectations
import Foundation
import LatchAccounts
import LatchTesting
import LatchTexts
import LatchUI
import Testing

/// A person whose request the server has served, and who never hears of it, over the models and the real server.
@MainActor @Suite struct LostAnswerTests {
    private let email = RealServer.email
    private let password = RealServer.password

    @Test
    func `A lost answer to a registration lets the next attempt say that the account can already exist`() async throws {
        try await RealServer.run { server in
            let model = RegistrationModel(try server.client())
            server.lose("/register")
            await model.use([.email: email, .newPassword: password], press: .submit)
            expectEqual(model.machine.failure?.reason, .offline)
            model.edit(.newPassword, password)
            model.press(.submit)
            await model.settled()
            expectEqual(model.control(.email)?.problem, Phrase("field.email.taken.unsure"))
            // Another address has nothing to do with it.
            try await server.client().signUp(email: "bob@example.com", password: password)
            model.edit(.email, "bob@example.com")
            model.edit(.newPassword, password)
            model.press(.submit)
            await model.settled()
            expectEqual(model.control(.email)?.problem, Phrase("field.email.taken"))
        }
    }

    @Test func `A lost answer to a change of password lets the next attempt say that it can be changed`() async throws {
        try await RealServer.run { server in
            let client = try server.client()
            try await client.signUp(email: email, password: password)
            try await client.signIn(email: email, password: password)
            let model = ChangePasswordModel(client)
            server.lose("/ChangePassword")
            for _ in 0..<2 {
                model.edit(.password, password)
                model.edit(.newPassword, "another sentence")
                model.press(.submit)
                await model.settled()
            }
            expectEqual(model.control(.password)?.problem, Phrase("field.currentPassword.unsure"))
            try await server.client().signIn(email: email, password: "another sentence")
        }
    }

    @Test func `A lost answer to a reset leads to the sign-in`() async throws {
        try await RealServer.run { server in
            let client = try server.client()
            try await client.signUp(email: email, password: password)
            let model = PasswordResetModel(client)
            await model.use([.email: email], press: .submit)
            model.send(.open(try await server.mailedLink()))
            server.lose("/reset-password")
            for _ in 0..<2 {
                model.edit(.newPassword, "another sentence")
                model.press(.submit)
                await model.settled()
            }
            expectEqual(model.control(.notice)?.label, Phrase("reset.unsure"))
            model.press(.done)
            expectEqual(model.outcome, .signIn(email: email))
        }
    }

    @Test func `A lost answer to a verification leads to the sign-in`() async throws {
        try await RealServer.run { server in
            let client = try server.client()
            try await client.signUp(email: email, password: password)
            let model = EmailVerificationModel(client, screen: EmailVerificationScreen(email: email))
            server.lose("/verify-email")
            model.send(.open(try await server.mailedLink()))
            await model.settled()
            model.press(.retry)
            await model.settled()
            expectEqual(model.screen.step, .usedLink)
            model.press(.confirmed)
            await model.settled()
            expectEqual(model.outcome, .signIn(email: email))
        }
    }
}
