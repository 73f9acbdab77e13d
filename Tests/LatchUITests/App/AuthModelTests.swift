// SPDX-License-Identifier: Apache-2.0

import Expectations
import Foundation
import LatchAccounts
import LatchAuth
import LatchCore
import LatchTesting
import LatchTexts
import LatchUI
import Synchronization
import TestSupport
import Testing

@testable import LatchIdentity

/// The app of fifteen lines: one model, its visible screen, and the real server.
@MainActor @Suite struct AuthModelTests {
    private let email = RealServer.email
    private let password = RealServer.password

    @Test
    func `An app's model leads from the registration over the mailed link and the sign-in to the content`() async throws
    {
        try await RealServer.run(change: { $0.requireOwnerProof = true }) { server in
            let auth = try server.app()
            expectEqual(auth.gate.phase, .restoring)
            await auth.restore()
            await auth.settled()
            #expect(auth.gate.phase == .signedOut && !auth.isPresented)
            await auth.use([.email: email], press: .register)
            await auth.use([.newPassword: password], press: .submit)
            guard auth.screen?.model is EmailVerificationModel else { return record(auth) }
            #expect(auth.open(try await server.mailedURL()))
            await auth.settled()
            await auth.use([.password: password], press: .submit)
            // The password that was just proved signs in as well.
            #expect(auth.isSignedIn && auth.screen == nil)
            #expect(auth.profile?.email == email && auth.menu?.screen.profile.email == email)
            expectEqual(auth.account?.username, email)

            // The app starts again.
            let restarted = try server.app(secrets: server.secrets)
            await restarted.restore()
            await restarted.settled()
            #expect(restarted.isSignedIn && restarted.profile?.email == email)
        }
    }

    @Test func `An app's model shows content once the account is stored, with a working client`() async throws {
        try await RealServer.run { server in
            let secrets = GatedSecretStore(server.secrets)
            let auth = try await server.signedUp(secrets: secrets)
            secrets.isHeld.withLock { $0 = true }
            guard let signIn = auth.screen?.model as? SignInModel else { return record(auth) }
            signIn.edit(.email, email)
            signIn.edit(.password, password)
            signIn.press(.submit)
            await secrets.gate.reached()
            #expect(!auth.isSignedIn && signIn.isBusy && signIn.outcome == nil)
            #expect(auth.screen?.model === signIn)
            secrets.gate.open()
            try await eventually { auth.isSignedIn }
            // The app makes its own models of the client that it sees first.
            let client = auth.client
            await auth.settled()
            #expect(auth.client === client && auth.account?.username == email)
            try await expectEqual(client.profile().email, email)
        }
    }

    @Test(arguments: [AuthError.storeFull, .storeLocked])
    func `An app's model reports that an account cannot be stored, and keeps the typed text`(error: AuthError)
        async throws
    {
        try await RealServer.run { server in
            let secrets = GatedSecretStore(server.secrets)
            let auth = try await server.signedUp(secrets: secrets)
            secrets.error.withLock { $0 = error }
            for _ in 0..<2 {
                await auth.use([.email: email, .password: password], press: .submit)
                #expect(!auth.isSignedIn)
                expectEqual(auth.screen?.model.failure?.reason, .storeUnavailable)
                expectEqual(auth.screen?.model.control(.email)?.text.value, email)
            }
            secrets.error.withLock { $0 = nil }
            await auth.use([.password: password], press: .submit)
            #expect(auth.isSignedIn && auth.account?.username == email)
        }
    }

    @Test func `An app's model accepts an answer that came as the user went on`() async throws {
        try await RealServer.run { server in
            let secrets = GatedSecretStore(server.secrets)
            let auth = try await server.signedUp(secrets: secrets)
            secrets.isHeld.withLock { $0 = true }
            guard let signIn = auth.screen?.model as? SignInModel else { return record(auth) }
            signIn.edit(.email, email)
            signIn.edit(.password, password)
            signIn.press(.submit)
            await secrets.gate.reached()
            signIn.press(.cancel)
            secrets.gate.open()
            await auth.settled()
            try await eventually { auth.isSignedIn }
            expectEqual(auth.account?.username, email)
            try await expectEqual(auth.client.profile().email, email)
        }
    }

    @Test
    func `An app's model opens a link that starts the app, and restores the screens of the last run`() async throws {
        try await RealServer.run { server in
            let auth = try server.app()
            await auth.restore()
            await auth.settled()
            await auth.use([.email: email], press: .register)
            await auth.use([.newPassword: password], press: .submit)
            let stored = auth.exchangePath(Data())
            #expect(!String(decoding: stored, as: UTF8.self).contains(password))

            let restarted = try server.app()
            await restarted.restore()
            await restarted.settled()
            expectEqual(restarted.exchangePath(stored), stored)
            guard let model = restarted.screen?.model as? EmailVerificationModel else { return record(restarted) }
            expectEqual(model.screen.email, email)

            let linked = try server.app()
            #expect(linked.open(try await server.mailedURL()))
            expectNil(linked.screen)
            #expect(!linked.open(try #require(URL(string: "https://id.example.com/notes?token=abc"))))
            await linked.restore()
            await linked.settled()
            guard let opened = linked.screen?.model as? EmailVerificationModel else { return record(linked) }
            expectEqual(opened.screen.step, .verified)
        }
    }

    @Test func `An app's model offers providers only with a way to sign in through them`() async throws {
        try await RealServer.run { server in
            var options = SignInScreen.Options()
            options.providers = [.google]
            let screen = SignInScreen(options: options)
            let without = SignInModel(try server.client(), screen: screen)
            expectNil(without.control(.provider(.google)))
            let with = SignInModel(try server.client(), screen: screen, signInThrough: { _ in })
            expectEqual(with.control(.provider(.google))?.isEnabled, true)
        }
    }

    @Test func `An app's model resets a password by the link of a mail`() async throws {
        try await RealServer.run { server in
            let auth = try await server.signedUp()
            await auth.use(press: .forgotPassword)
            await auth.use([.email: email], press: .submit)
            auth.open(try await server.mailedURL())
            await auth.use([.newPassword: "another sentence"], press: .submit)
            #expect(auth.isSignedIn && auth.screen == nil && auth.profile?.email == email)
        }
    }

    @Test
    func `An app's model shows profile, devices and a second factor, whose step-up it starts itself`() async throws {
        try await RealServer.run { server in
            let auth = try await server.signedIn()
            auth.menu?.press(.profile)
            #expect(auth.isPresented)
            await auth.use(press: .edit)
            await auth.use([.displayName: "Countess"], press: .submit)
            #expect(auth.profile?.displayName == "Countess" && auth.menu?.screen.initials == "C")
            await auth.use(press: .devices)
            await auth.use(press: .done)
            guard auth.screen?.model is ProfileModel else { return record(auth) }

            server.clock.advance(by: 901)
            await auth.use(press: .secondFactor)
            await auth.use(press: .submit)
            guard auth.screen?.model is StepUpModel else { return record(auth) }
            // It was dismissed, and the next attempt raises it again.
            auth.isPresented = false
            guard auth.screen?.model is SecondFactorModel else { return record(auth) }
            await auth.use(press: .submit)
            guard auth.screen?.model is StepUpModel else { return record(auth) }
            await auth.use(press: .cancel)
            await auth.use(press: .submit)
            await auth.use([.password: password], press: .submit)
            // What was refused is done without another press.
            guard let factor = auth.screen?.model as? SecondFactorModel else { return record(auth) }
            expectNil(factor.machine.failure)
            let secret = try #require(factor.control(.secret)?.text.value)
            await auth.use([.code: server.code(of: secret)], press: .submit)
            // The recovery codes are shown once.
            auth.isPresented = false
            guard auth.screen?.model is SecondFactorModel else { return record(auth) }
            await auth.use(press: .done)
            guard auth.screen?.model is ProfileModel else { return record(auth) }
            auth.isPresented = false
            #expect(auth.screen == nil && auth.isSignedIn)
        }
    }

    @Test func `An app's model holds several accounts, each with its own client`() async throws {
        try await RealServer.run { server in
            let auth = try await server.signedIn()
            let first = auth.client
            try await server.client().signUp(email: "bob@example.com", password: password)
            auth.menu?.press(.accounts)
            await auth.use(press: .addAccount)
            await auth.use([.email: "bob@example.com", .password: password], press: .submit)
            #expect(auth.profile?.email == "bob@example.com" && auth.client !== first)
            #expect(first.session.currentState.isSignedIn)

            auth.menu?.press(.accounts)
            await auth.settled()
            guard let switcher = auth.screen?.model as? AccountSwitcherModel else { return record(auth) }
            let ada = try #require(switcher.screen.accounts?.first { $0.username == email })
            await auth.use(press: .useAccount(ada.id))
            #expect(auth.profile?.email == email && auth.client === first && auth.screen == nil)

            // Signed out, the user chooses among the other accounts.
            auth.menu?.press(.signOut)
            await auth.settled()
            guard let rest = auth.screen?.model as? AccountSwitcherModel else { return record(auth) }
            expectEqual(rest.screen.accounts?.map(\.username), ["bob@example.com"])
            let bob = try #require(rest.screen.accounts?.first)
            await auth.use(press: .useAccount(bob.id))
            #expect(auth.isSignedIn && auth.profile?.email == "bob@example.com")
            auth.menu?.press(.profile)
            await auth.use(press: .signOut)
            guard auth.screen?.model is SignInModel else { return record(auth) }
            #expect(auth.account == nil && auth.menu == nil && auth.profile == nil)
        }
    }

    @Test
    func `An app's model leads from an account that the server has ended to the others, also after a restart`()
        async throws
    {
        try await RealServer.run { server in
            let auth = try await server.signedIn()
            try await server.client().signUp(email: "bob@example.com", password: password)
            auth.menu?.press(.accounts)
            await auth.use(press: .addAccount)
            await auth.use([.email: "bob@example.com", .password: password], press: .submit)
            let laptop = try server.client()
            try await laptop.signIn(email: "bob@example.com", password: password)
            try await laptop.signOutOtherDevices()
            server.clock.advance(by: 3_600)
            await #expect(throws: (any Error).self) { try await auth.client.profile() }
            await auth.settled()
            guard auth.screen?.model is SignInModel else { return record(auth) }
            expectEqual(auth.gate.notice, Phrase("failure.signedOut"))
            await auth.use(press: .otherAccounts)
            guard let list = auth.screen?.model as? AccountSwitcherModel else { return record(auth) }
            // Both can be used: the one that has ended by signing in again.
            let accounts = try #require(list.screen.accounts)
            #expect(accounts.allSatisfy { list.control(.useAccount($0.id)) != nil })
            expectEqual(accounts.count, 2)
            await auth.use(press: .done)
            guard auth.screen?.model is SignInModel else { return record(auth) }

            let restarted = try server.app(secrets: server.secrets)
            await restarted.restore()
            await restarted.settled()
            guard restarted.screen?.model is SignInModel else { return record(restarted) }
            await restarted.use(press: .otherAccounts)
            guard let again = restarted.screen?.model as? AccountSwitcherModel else { return record(restarted) }
            let (ada, bob) = (
                try #require(again.screen.accounts?.first { $0.username == email }),
                try #require(again.screen.accounts?.first { $0.username == "bob@example.com" })
            )
            await restarted.use(press: .useAccount(bob.id))
            guard let signIn = restarted.screen?.model as? SignInModel else { return record(restarted) }
            expectEqual(signIn.control(.email)?.text.value, "bob@example.com")
            await restarted.use(press: .otherAccounts)
            await restarted.use(press: .useAccount(ada.id))
            #expect(restarted.isSignedIn && restarted.profile?.email == email && restarted.screen == nil)
        }
    }

    @Test func `An app's model registers one more account beside the first`() async throws {
        try await RealServer.run { server in
            let auth = try await server.signedIn()
            let first = auth.client
            auth.menu?.press(.accounts)
            await auth.use(press: .addAccount)
            await auth.use(press: .register)
            await auth.use([.email: "bob@example.com", .newPassword: password], press: .submit)
            guard auth.screen?.model is EmailVerificationModel else { return record(auth) }
            auth.open(try await server.mailedURL(to: "bob@example.com"))
            await auth.settled()
            await auth.use(press: .done)
            await auth.use([.password: password], press: .submit)
            #expect(auth.profile?.email == "bob@example.com" && auth.client !== first && auth.screen == nil)
            #expect(first.session.currentState.isSignedIn)
        }
    }

    @Test func `An app's model signs out without a network, and revokes the tokens later`() async throws {
        try await RealServer.run { server in
            let auth = try await server.signedIn()
            let tokens = try #require(auth.client.session.currentState.credential)
            server.isOffline.withLock { $0 = true }
            auth.menu?.press(.profile)
            await auth.settled()
            #expect(auth.connection.isOffline && auth.connection.controls.count == 1)
            await auth.use(press: .signOut)
            #expect(!auth.isSignedIn)
            guard auth.screen?.model is SignInModel else { return record(auth) }
            server.isOffline.withLock { $0 = false }
            let restarted = try server.app(secrets: server.secrets)
            await restarted.restore()
            await restarted.settled()
            #expect(await restarted.client.session.revokeRemaining())
            let other = try server.client()
            try await other.session.signIn(tokens)
            await #expect(throws: (any Error).self) { try await other.devices() }
        }
    }

    @Test
    func `An app's model reports that the server has ended the session, and signs the same user in again`() async throws
    {
        try await RealServer.run { server in
            let auth = try await server.signedIn()
            let before = auth.account
            let laptop = try server.client()
            try await laptop.signIn(email: email, password: password)
            try await laptop.signOutOtherDevices()
            server.clock.advance(by: 3_600)
            await #expect(throws: (any Error).self) { try await auth.client.profile() }
            await auth.settled()
            #expect(auth.gate.phase == .signedOut && auth.gate.notice == Phrase("failure.signedOut"))
            guard let signIn = auth.screen?.model as? SignInModel else { return record(auth) }
            expectEqual(signIn.control(.email)?.text.value, email)
            await auth.use([.password: password], press: .submit)
            #expect(auth.isSignedIn && auth.account?.id == before?.id)
        }
    }

    @Test func `An app's model follows a client that signs in and out elsewhere`() async throws {
        try await RealServer.run { server in
            let client = try server.client()
            try await client.signUp(email: email, password: password)
            let auth = AuthModel(client) { $0.clock = server.clock.wallClock() }
            await auth.restore()
            await auth.settled()
            guard auth.screen?.model is SignInModel else { return record(auth) }
            try await client.signIn(email: email, password: password)
            await auth.settled()
            #expect(auth.isSignedIn && auth.screen == nil && auth.menu?.screen.hasAccounts == false)
            try await client.signOut()
            await auth.settled()
            guard auth.screen?.model is SignInModel else { return record(auth) }
        }
    }

    @Test func `An app's model shows no sign-in while the accounts cannot be read`() async throws {
        try await RealServer.run { server in
            let secrets = FailingSecretStore(server.secrets, after: 0, with: .storeLocked)
            let auth = try server.app(secrets: secrets)
            await auth.restore()
            await auth.settled()
            #expect(auth.gate.phase == .unavailable && auth.screen == nil)
        }
    }

    @Test func `An app's model reads the accounts again when the user returns, and opens the link`() async throws {
        try await RealServer.run { server in
            try await server.client().signUp(email: email, password: password)
            let secrets = GatedSecretStore(server.secrets)
            secrets.readError.withLock { $0 = .storeLocked }
            let auth = try server.app(secrets: secrets)
            await auth.restore()
            await auth.settled()
            expectEqual(auth.gate.phase, .unavailable)
            #expect(auth.open(try await server.mailedURL()))
            auth.activate()
            await auth.settled()
            expectEqual(auth.gate.phase, .unavailable)
            secrets.readError.withLock { $0 = nil }
            auth.activate()
            await auth.settled()
            guard let model = auth.screen?.model as? EmailVerificationModel else { return record(auth) }
            expectEqual(model.screen.step, .verified)
        }
    }

    private func record(_ auth: AuthModel) {
        Issue.record("another screen: \(String(describing: auth.path)) \(auth.screen?.model.controls.map(\.id) ?? [])")
    }
}

extension AuthModel {
    /// Types texts into the visible screen, presses a button, and waits.
    func use(_ texts: [ControlID: String] = [:], press id: ControlID) async {
        await settled()
        for (field, text) in texts { screen?.model.edit(field, text) }
        screen?.model.press(id)
        await settled()
    }
}

/// A store whose writes wait, or fail.
private final class GatedSecretStore: SecretStore {
    let isHeld = Mutex(false)
    let error = Mutex<AuthError?>(nil)
    let readError = Mutex<AuthError?>(nil)
    let gate = Gate()
    private let inner: any SecretStore

    init(_ inner: any SecretStore) { self.inner = inner }

    func read(_ name: String) async throws -> [UInt8]? {
        if let error = readError.withLock(\.self) { throw error }
        return try await inner.read(name)
    }

    func write(_ secret: [UInt8], for name: String) async throws {
        if let error = error.withLock(\.self) { throw error }
        if isHeld.withLock(\.self) { await gate.pass() }
        try await inner.write(secret, for: name)
    }

    func remove(_ name: String) async throws { try await inner.remove(name) }

    func names() async throws -> [String] { try await inner.names() }
}
