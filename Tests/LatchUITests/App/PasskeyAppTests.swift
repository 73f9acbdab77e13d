// SPDX-License-Identifier: Apache-2.0

import Expectations
import Foundation
import LatchAccounts
import LatchAuth
import LatchIdentityTesting
import LatchTesting
import LatchTexts
import LatchUI
import Synchronization
import TestSupport
import Testing

/// An app with passkeys, on a device that is a virtual authenticator, at the real server.
// The main actor also explores the screens, for minutes on a busy machine.
@MainActor @Suite(.timeLimit(.minutes(5))) struct PasskeyAppTests {
    private let email = RealServer.email
    private let password = RealServer.password

    private func signOut(_ auth: AuthModel) async {
        auth.menu?.press(.signOut)
        await auth.settled()
    }

    @Test func `An app with passkeys offers one after a sign-in with a password, and signs in with it`() async throws {
        try await RealServer.run { server in
            let auth = try await server.signedIn(passkeys: VirtualPasskeys())
            guard let offer = auth.screen?.model as? PasskeyModel else { return record(auth) }
            #expect(auth.isSignedIn && offer.screen.account == email)
            await auth.use(press: .submit)
            expectEqual(auth.screen?.model.control(.notice)?.label, Phrase("passkey.done", .text(email)))
            await auth.use(press: .done)
            expectNil(auth.screen)
            try await expectEqual(auth.client.passkeys().count, 1)

            await signOut(auth)
            guard auth.screen?.model is SignInModel else { return record(auth) }
            await auth.use(press: .passkey)
            #expect(auth.isSignedIn && auth.screen == nil && auth.profile?.email == email)

            // A user with a passkey is not asked, whatever the way in.
            await signOut(auth)
            await auth.use([.email: email, .password: password], press: .submit)
            #expect(auth.isSignedIn && auth.screen == nil)
        }
    }

    @Test func `An app with passkeys asks a user who declined one only once on a device`() async throws {
        try await RealServer.run { server in
            let auth = try await server.signedIn(passkeys: VirtualPasskeys())
            guard auth.screen?.model is PasskeyModel else { return record(auth) }
            await auth.use(press: .cancel)
            expectNil(auth.screen)
            await signOut(auth)
            let restarted = try server.app(passkeys: VirtualPasskeys())
            await restarted.restore()
            await restarted.use([.email: email, .password: password], press: .submit)
            #expect(restarted.isSignedIn && restarted.screen == nil)

            let other = try server.app(secrets: InMemorySecretStore(), passkeys: VirtualPasskeys())
            await other.restore()
            await other.use([.email: email, .password: password], press: .submit)
            guard other.screen?.model is PasskeyModel else { return record(other) }
        }
    }

    @Test
    func `An app with passkeys returns to the form when the user closes the dialog, and reports a missing one`()
        async throws
    {
        try await RealServer.run { server in
            let passkeys = VirtualPasskeys()
            let auth = try await server.signedUp(passkeys: passkeys)
            guard let signIn = auth.screen?.model as? SignInModel else { return record(auth) }
            passkeys.isDeclining = true
            await auth.use(press: .passkey)
            #expect(signIn.failure == nil && signIn.outcome == nil)
            expectEqual(signIn.announcement?.phrase, Phrase("progress.cancelled"))
            passkeys.isDeclining = false
            await auth.use(press: .passkey)
            expectEqual(signIn.failure?.reason, .noPasskey)
            expectEqual(signIn.announcement?.phrase, ScreenFailure(.noPasskey).phrase)
        }
    }

    @Test
    func `An app with passkeys signs in by a suggestion of the keyboard, which waits with the form`() async throws {
        try await RealServer.run { server in
            let passkeys = VirtualPasskeys(suggestsPasskeys: true)
            let auth = try await server.signedIn(passkeys: passkeys)
            await auth.use(press: .submit)
            await auth.use(press: .done)
            await signOut(auth)
            guard let signIn = auth.screen?.model as? SignInModel else { return record(auth) }
            #expect(!signIn.isBusy && signIn.machine.assistance == .passkey(.conditional))
            try await passkeys.chooseSuggestion()
            try await eventually { auth.isSignedIn }
            await auth.settled()
            #expect(auth.screen == nil && auth.profile?.email == email)
        }
    }

    @Test
    func `An app with passkeys signs in by a suggestion of the keyboard as the app's first action`() async throws {
        try await RealServer.run { server in
            let passkeys = VirtualPasskeys(suggestsPasskeys: true)
            let before = try await server.signedIn(passkeys: passkeys)
            await before.use(press: .submit)
            await before.use(press: .done)
            let auth = try server.app(secrets: InMemorySecretStore(), passkeys: passkeys)
            await auth.restore()
            await auth.settled()
            guard let signIn = auth.screen?.model as? SignInModel else { return record(auth) }
            signIn.send(.appear)
            try await eventually { signIn.machine.assistance == .passkey(.conditional) }
            try await passkeys.chooseSuggestion()
            try await eventually { auth.isSignedIn }
            await auth.settled()
            #expect(auth.screen == nil && auth.profile?.email == email)
        }
    }

    @Test func `An app with passkeys does not report missing suggestions, and ends them with the form`() async throws {
        try await RealServer.run { server in
            server.isOffline.withLock { $0 = true }
            let passkeys = VirtualPasskeys(suggestsPasskeys: true)
            let offline = SignInModel(try server.client(), passkeys: passkeys)
            offline.send(.appear)
            try await eventually { offline.machine.assistance == nil }
            #expect(offline.failure == nil && offline.announcement == nil)

            server.isOffline.withLock { $0 = false }
            let online = SignInModel(try server.client(), passkeys: passkeys)
            online.send(.appear)
            online.send(.disappear)
            #expect(online.machine.assistance == nil && online.outcome == nil)
            online.send(.appear)
            online.press(.register)
            expectNil(online.machine.assistance)
        }
    }

    @Test
    func `An app with passkeys shows, renames and removes passkeys, after a step-up with one of them`() async throws {
        try await RealServer.run { server in
            let passkeys = VirtualPasskeys()
            let auth = try await server.signedIn(passkeys: passkeys)
            await auth.use(press: .submit)
            await auth.use(press: .done)
            auth.menu?.press(.profile)
            await auth.use(press: .passkeys)
            guard let model = auth.screen?.model as? PasskeysModel else { return record(auth) }
            let id = try #require(model.screen.passkeys?.first?.id)
            await auth.use(press: .renamePasskey(id))
            await auth.use([.name: "My phone"], press: .submit)
            expectEqual(model.screen.passkeys?.map(\.name), ["My phone"])
            expectEqual(model.control(.notice)?.label, Phrase("passkeys.renamed", .text("My phone")))

            server.clock.advance(by: 901)
            await auth.use(press: .removePasskey(id))
            await auth.use(press: .confirmRemoval)
            guard let stepUp = auth.screen?.model as? StepUpModel else { return record(auth) }
            await stepUp.use(press: .passkey)
            expectEqual(stepUp.outcome, .authenticated)
            guard auth.screen?.model is PasskeysModel else { return record(auth) }
            await auth.use(press: .removePasskey(id))
            await auth.use(press: .confirmRemoval)
            expectEqual(model.screen.passkeys?.isEmpty, true)
            expectEqual(model.control(.explanation)?.label, Phrase("passkeys.empty"))
            await auth.use(press: .addPasskey)
            expectEqual(model.screen.passkeys?.count, 1)
            await auth.use(press: .addPasskey)
            expectEqual(model.failure?.reason, .passkeyExists)
            await auth.use(press: .done)
            guard auth.screen?.model is ProfileModel else { return record(auth) }
        }
    }

    private func record(_ auth: AuthModel) {
        Issue.record("another screen: \(String(describing: auth.path)) \(auth.screen?.model.controls.map(\.id) ?? [])")
    }
}
