// SPDX-License-Identifier: Apache-2.0

import Expectations
import Foundation
import LatchAccounts
import LatchAuth
import LatchTesting
import LatchTexts
import LatchUI
import Synchronization
import TestSupport
import Testing

@testable import LatchIdentity

/// A person's taps from the sign-up to the sign-out, over the models and the real server.
@MainActor @Suite struct PersonTests {
    private let email = RealServer.email
    private let password = RealServer.password

    @Test func `A person with an app signs up, verifies, signs in, sets a second factor up, and signs out`()
        async throws
    {
        try await RealServer.run(change: { $0.requireOwnerProof = true }) { server in
            let phone = try server.client()
            try await signUp(phone, server)
            try await signIn(phone)
            let gate = SessionGateModel(phone.session)
            expectEqual(gate.gate.phase, .signedIn)
            try await editProfile(phone)
            let secret = try await setUpSecondFactor(phone, server)
            try await changePassword(phone)

            // Another device: its sign-in has two steps.
            server.clock.advance(by: 31)
            let laptop = try server.client()
            let signIn = SignInModel(laptop, clock: server.clock.wallClock())
            await signIn.use([.email: email, .password: "another sentence"], press: .submit)
            #expect(signIn.focus == .code && !laptop.session.currentState.isSignedIn)
            await signIn.use([.code: "000000"], press: .submit)
            expectEqual(signIn.control(.code)?.problem, ScreenFailure(.wrongCode).phrase)
            await signIn.use([.code: server.code(of: secret)], press: .submit)
            #expect(signIn.outcome == .signedIn && laptop.session.currentState.isSignedIn)

            try await signOutOthers(phone, laptop)
            let profile = ProfileModel(phone)
            await profile.use(press: .signOut)
            expectEqual(profile.outcome, .signedOut)
            #expect(!phone.session.currentState.isSignedIn)
        }
    }

    private func signUp(_ client: AuthClient, _ server: RealServer) async throws {
        let registration = RegistrationModel(client)
        await registration.use([.name: "Ada", .email: "ada example.com", .newPassword: "short"], press: .submit)
        expectEqual(registration.focus, .email)
        await registration.use([.email: email, .newPassword: password], press: .submit)
        expectEqual(registration.outcome, .registered(email: email))

        let verification = EmailVerificationModel(client, screen: EmailVerificationScreen(email: email))
        await verification.use(press: .resend)
        expectEqual(verification.control(.notice)?.label, Phrase("verification.sentAgain", .text(email)))
        verification.send(.open(try await server.mailedLink()))
        await verification.settled()
        // The server wants to know that the reader of the mail chose the password.
        expectEqual(verification.focus, .password)
        await verification.use([.password: password], press: .submit)
        expectEqual(verification.screen.step, .verified)
        await verification.use(press: .done)
        expectEqual(verification.outcome, .verified(email: email))
    }

    private func signIn(_ client: AuthClient) async throws {
        let signIn = SignInModel(client)
        await signIn.use([.email: email, .password: "not the password"], press: .submit)
        expectEqual(signIn.machine.failure?.reason, .wrongCredentials)
        await signIn.use([.password: password], press: .submit)
        expectEqual(signIn.outcome, .signedIn)
    }

    private func editProfile(_ client: AuthClient) async throws {
        let profile = ProfileModel(client)
        var way: ProfileScreen.Outcome?
        profile.onFinish = { way = $0 }
        await profile.use(press: .edit)
        guard case .edit(let loaded) = way else {
            Issue.record("the profile has not been loaded: \(String(describing: profile.machine.failure))")
            return
        }
        #expect(loaded.isEmailVerified && loaded.email == email)
        let editing = EditProfileModel(client, profile: loaded)
        await editing.use([.displayName: "Countess", .email: "ada"], press: .submit)
        #expect(editing.focus == .email && editing.control(.displayName)?.text.value == "Countess")
        await editing.use([.email: email], press: .submit)
        guard case .saved(let saved) = editing.outcome else {
            Issue.record("the profile has not been saved: \(String(describing: editing.machine.failure))")
            return
        }
        expectEqual(saved.displayName, "Countess")
        await profile.use()
        expectEqual(profile.screen.title, .verbatim("Countess"))
    }

    private func setUpSecondFactor(_ client: AuthClient, _ server: RealServer) async throws -> String {
        // The sign-in is too old: the request raises a step-up.
        server.clock.advance(by: 901)
        let model = SecondFactorModel(client)
        await model.use(press: .submit)
        expectEqual(model.machine.failure?.reason, .stepUpRequired)
        #expect(client.session.stepUp != nil)
        let stepUp = StepUpModel(client) { _ in }
        let gate = SessionGateModel(client.session)
        stepUp.onFinish = { gate.endStepUp($0) }
        try await eventually { gate.isStepUpPresented }
        await stepUp.use(press: .cancel)
        #expect(!gate.isStepUpPresented)
        // The next request that needs it shows it again.
        await model.use(press: .submit)
        try await eventually { gate.isStepUpPresented }
        await stepUp.use([.password: password], press: .submit)
        #expect(stepUp.outcome == .authenticated && client.session.stepUp == nil)

        await model.use(press: .submit)
        let secret = try #require(model.control(.secret)?.text.value)
        expectEqual(model.control(.authenticator)?.url?.scheme, "otpauth")
        await model.use([.code: "000000"], press: .submit)
        #expect(model.control(.code)?.problem != nil)
        await model.use([.code: server.code(of: secret)], press: .submit)
        expectEqual(model.control(ControlID("recoveryCode", item: "1"))?.text.value.isEmpty, false)
        await model.use(press: .done)
        expectEqual(model.outcome, .enabled)

        server.clock.advance(by: 31)
        await model.use(press: .newRecoveryCodes)
        await model.use([.code: server.code(of: secret)], press: .submit)
        let code = try #require(model.control(ControlID("recoveryCode", item: "1"))?.text.value)
        await model.use(press: .done)
        await model.use(press: .removeSecondFactor)
        await model.use([.code: code], press: .submit)
        expectEqual(model.screen.step, .removed, "\(String(describing: model.machine.failure))")
        await model.use(press: .done)
        expectEqual(model.outcome, .disabled)
        await model.use(press: .removeSecondFactor)
        await model.use([.code: "123456"], press: .submit)
        expectEqual(model.machine.failure?.reason, .missing)
        await model.use(press: .submit)
        return try await confirm(model, server)
    }

    private func confirm(_ model: SecondFactorModel, _ server: RealServer) async throws -> String {
        server.clock.advance(by: 31)
        let secret = try #require(model.control(.secret)?.text.value)
        await model.use([.code: server.code(of: secret)], press: .submit)
        await model.use(press: .done)
        expectEqual(model.outcome, .enabled)
        return secret
    }

    private func changePassword(_ client: AuthClient) async throws {
        let model = ChangePasswordModel(client)
        await model.use([.password: "not the password", .newPassword: "another sentence"], press: .submit)
        expectEqual(model.control(.password)?.problem, Phrase("field.currentPassword.wrong"))
        await model.use([.password: password, .newPassword: "another sentence"], press: .submit)
        await model.use(press: .done)
        expectEqual(model.outcome, .changed)
    }

    private func signOutOthers(_ phone: AuthClient, _ laptop: AuthClient) async throws {
        let devices = DevicesModel(phone)
        await devices.use()
        let all = try #require(devices.screen.devices)
        #expect(all.count == 2 && all.first?.isCurrent == true)
        let other = try #require(all.last)
        let name = other.name.map { Phrase.verbatim($0) } ?? Phrase("devices.unnamed")
        await devices.use(press: .signOutDevice(other.id))
        expectEqual(devices.screen.devices?.count, 1)
        expectEqual(devices.control(.notice)?.label, Phrase("devices.signedOut.one", .phrase(name)))
        await #expect(throws: AuthError.reauthenticationRequired) { try await laptop.profile() }
        expectEqual(SessionGateState(laptop.session.currentState).notice, Phrase("failure.signedOut"))
    }

    @Test
    func `A person with an app resets the password by the mailed link, also after a restart of the app`() async throws {
        try await RealServer.run { server in
            let client = try server.client()
            try await client.signUp(email: email, password: password)
            let reset = PasswordResetModel(client, screen: PasswordResetScreen(email: email))
            server.isOffline.withLock { $0 = true }
            await reset.use(press: .submit)
            expectEqual(reset.machine.failure?.reason, .offline)
            server.isOffline.withLock { $0 = false }
            await reset.use(press: .submit)
            let stored = try JSONEncoder().encode(reset.screen)

            let restored = PasswordResetModel(
                client, screen: try JSONDecoder().decode(PasswordResetScreen.self, from: stored))
            expectEqual(restored.screen.step, .waiting(email: email))
            let link = try await server.mailedLink()
            restored.send(.open(link))
            await restored.use([.newPassword: "another sentence"], press: .submit)
            await restored.use(press: .done)
            expectEqual(restored.outcome, .signIn(email: email))

            // The link is used.
            restored.send(.open(link))
            await restored.use([.newPassword: "a third sentence"], press: .submit)
            #expect(restored.machine.failure?.reason == .invalidLink && restored.screen.step == .address)

            let signIn = SignInModel(client)
            await signIn.use([.email: email, .password: "another sentence"], press: .submit)
            expectEqual(signIn.outcome, .signedIn)
        }
    }

    @Test func `A person with an app deletes the account`() async throws {
        try await RealServer.run { server in
            let client = try server.client()
            try await client.signUp(email: email, password: password)
            try await client.signIn(email: email, password: password)
            let profile = ProfileModel(client)
            await profile.use(press: .delete)
            await profile.use(press: .confirmDeletion)
            expectEqual(profile.outcome, .deleted)
            await #expect(throws: AccountError.wrongCredentials) {
                try await client.signIn(email: email, password: password)
            }
        }
    }

    @Test func `A person with an app administers users and is refused without the role`() async throws {
        try await RealServer.run { server in
            let client = try server.client()
            let account = try await client.signUp(email: email, password: password, name: "Ada")
            for number in 1...2 { try await client.signUp(email: "user\(number)@example.com", password: password) }
            try await client.signIn(email: email, password: password)
            let refused = UserListModel(client)
            await refused.use()
            expectEqual(refused.machine.failure?.reason, .forbidden)

            _ = try await server.identity.administration.setRole(of: account.id, to: .admin)
            let users = UserListModel(client)
            await users.use()
            #expect(users.screen.users?.count == 3 && users.control(.more) == nil)
            let page = try await client.users(limit: 2)
            #expect(page.users.count == 2 && page.total == 3)
            try await expectEqual(client.users(after: page.next, limit: 2).users.count, 1)
            await users.use([.search: email], press: .submit)
            expectEqual(users.screen.users?.map(\.email), [email])
            var selected: [UserListScreen.Outcome] = []
            users.onFinish = { selected.append($0) }
            await users.use(press: .showUser(account.id))
            expectEqual(selected, users.screen.users?.map { .selected($0) })

            let other = try #require(page.users.first { $0.id != account.id } ?? page.users.last)
            let user = UserModel(client, user: other)
            await user.use(press: .suspend)
            await user.use(press: .confirmChange)
            expectEqual(user.screen.user.status, "suspended", "\(String(describing: user.machine.failure))")
            await user.use(press: .activate)
            await user.use(press: .setRole("moderator"))
            await user.use(press: .confirmChange)
            expectEqual(user.screen.user.role, "moderator")
            await user.use(press: .done)
            expectEqual(user.outcome, .closed(user.screen.user))
        }
    }
}
