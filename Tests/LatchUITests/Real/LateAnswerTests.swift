// SPDX-License-Identifier: Apache-2.0

import Expectations
import Foundation
import LatchAccounts
import LatchTesting
import LatchTexts
import LatchUI
import Testing

/// A person who cancels requests whose answers come all the same, over the models and the real server.
@MainActor @Suite struct LateAnswerTests {
    private let email = RealServer.email
    private let password = RealServer.password

    @Test func `A late answer lets a link through that came while the app asked`() async throws {
        try await RealServer.run { server in
            let client = try server.client()
            try await client.signUp(email: email, password: password)
            try await client.signIn(email: email, password: password)
            let model = EmailVerificationModel(client, screen: EmailVerificationScreen(email: email))
            model.send(.appear)
            let gate = server.hold("/user/profile")
            model.send(.activate)
            await gate.reached()
            model.send(.open(try await server.mailedLink()))
            gate.open()
            await model.settled()
            expectEqual(server.requests(to: "/verify-email"), 1)
            #expect(model.screen.step == .verified && model.machine.failure == nil)
        }
    }

    @Test func `A late answer of another mail keeps the form of the link with the typed text`() async throws {
        try await RealServer.run { server in
            let client = try server.client()
            try await client.signUp(email: email, password: password)
            let model = PasswordResetModel(client)
            await model.use([.email: email], press: .submit)
            let gate = server.hold("/forgot-password")
            model.press(.resend)
            await gate.reached()
            // The newest mail has the link that holds.
            model.send(.open(try await server.mailedLink()))
            model.edit(.newPassword, "another sen")
            gate.open()
            await model.settled()
            expectEqual(model.control(.newPassword)?.text.value, "another sen")
            model.edit(.newPassword, "another sentence")
            model.press(.submit)
            await model.settled()
            expectEqual(model.screen.step, .done)
        }
    }

    @Test func `A late answer of a list lets a device be signed out`() async throws {
        try await RealServer.run { server in
            let phone = try server.client()
            try await phone.signUp(email: email, password: password)
            try await phone.signIn(email: email, password: password)
            let tablet = try server.client()
            try await tablet.signIn(email: email, password: password)
            let model = DevicesModel(phone)
            await model.use()
            let other = try #require(model.screen.devices?.first { !$0.isCurrent })
            let gate = server.hold("/GetActiveDevices")
            model.send(.refresh)
            await gate.reached()
            model.press(.cancel)
            model.press(.signOutDevice(other.id))
            gate.open()
            await model.settled()
            expectEqual(server.requests(to: "/RevokeDevice"), 1)
            #expect(model.screen.devices?.count == 1 && model.machine.failure == nil)
        }
    }

    @Test
    func `A late answer that has set the password is reported if the next attempt finds the link used`() async throws {
        try await RealServer.run { server in
            let client = try server.client()
            try await client.signUp(email: email, password: password)
            let model = PasswordResetModel(client)
            await model.use([.email: email], press: .submit)
            model.send(.open(try await server.mailedLink()))
            let gate = server.hold("/reset-password")
            model.edit(.newPassword, "another sentence")
            model.press(.submit)
            await gate.reached()
            model.press(.cancel)
            model.edit(.newPassword, "a third sentence")
            model.press(.submit)
            gate.open()
            await model.settled()
            #expect(model.screen.step == .address && model.machine.failure == nil)
            #expect(model.controls.contains { $0.label == Phrase("reset.unsure") })
            try await client.signIn(email: email, password: "another sentence")
        }
    }
}
