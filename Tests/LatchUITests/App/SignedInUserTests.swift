// SPDX-License-Identifier: Apache-2.0

import Expectations
import Foundation
import LatchAccounts
import LatchAuth
import LatchCore
import LatchHTTP
import LatchTesting
import LatchTexts
import LatchUI
import Synchronization
import Testing

@testable import LatchIdentity

/// What an app's model shows of its user over time, at the real server.
@MainActor @Suite struct SignedInUserTests {
    private let email = RealServer.email
    private let password = RealServer.password

    @Test
    func `The signed-in user of an app has a role that an administrator has changed, after a while`() async throws {
        try await RealServer.run { server in
            let auth = try await server.signedIn()
            let id = try #require(auth.profile?.id)
            expectEqual(auth.profile?.role, "user")
            _ = try await server.identity.administration.setRole(of: id, to: .moderator)
            auth.activate()
            await auth.settled()
            expectEqual(auth.profile?.role, "user", "it was loaded a moment ago")
            server.clock.advance(by: 61)
            auth.activate()
            await auth.settled()
            #expect(auth.profile?.role == "moderator" && auth.menu?.screen.profile.role == "moderator")

            // The profile's own screen loads it each time, and the app has it immediately.
            _ = try await server.identity.administration.setRole(of: id, to: .admin)
            auth.menu?.press(.profile)
            await auth.settled()
            expectEqual(auth.profile?.role, "admin")
        }
    }

    @Test func `The signed-in user of an app has a failure to load in the menu, and later the profile`() async throws {
        try await RealServer.run { server in
            let first = try await server.signedIn()
            #expect(first.isSignedIn)
            server.isOffline.withLock { $0 = true }
            let auth = try server.app(secrets: server.secrets)
            await auth.restore()
            await auth.settled()
            let menu = try #require(auth.menu)
            #expect(auth.isSignedIn && auth.profile == nil && auth.profileFailure?.reason == .offline)
            expectEqual(menu.control(.notice)?.label, Phrase("failure.offline"))
            expectEqual(menu.screen.profile.email, email, "the token says so much")

            server.isOffline.withLock { $0 = false }
            _ = try await auth.client.devices()
            await auth.settled()
            #expect(auth.profile?.email == email && auth.profileFailure == nil)
            #expect(auth.menu === menu && menu.control(.notice) == nil)
        }
    }

    @Test
    func `The signed-in user of an app sees whether there is a second factor, also after its set-up`() async throws {
        try await RealServer.run { server in
            let auth = try await server.signedIn()
            auth.menu?.press(.profile)
            await auth.settled()
            let state = { auth.screen?.model.control(.secondFactorState)?.detail }
            expectEqual(state(), Phrase("profile.secondFactor.off"))
            await auth.use(press: .secondFactor)
            await auth.use(press: .submit)
            let secret = try #require(auth.screen?.model.control(.secret)?.text.value)
            await auth.use([.code: server.code(of: secret)], press: .submit)
            await auth.use(press: .done)
            expectEqual(state(), Phrase("profile.secondFactor.on"))
        }
    }

    @Test
    func `The signed-in user of an app is asked again by the next refused request after a dismissed step-up`()
        async throws
    {
        try await RealServer.run { server in
            let auth = try await server.signedIn()
            server.clock.advance(by: 901)
            await #expect(throws: AuthError.stepUpRequired) { _ = try await auth.client.beginSecondFactor() }
            await auth.settled()
            guard auth.screen?.model is StepUpModel else { return record(auth) }
            auth.isPresented = false
            expectNil(auth.screen)
            // By the app's own request.
            await #expect(throws: AuthError.stepUpRequired) { _ = try await auth.client.beginSecondFactor() }
            await auth.settled()
            guard auth.screen?.model is StepUpModel else { return record(auth) }
            await auth.use(press: .cancel)
            expectNil(auth.screen)
            // And by a screen that is opened anew.
            auth.push(.secondFactor)
            await auth.use(press: .submit)
            guard auth.screen?.model is StepUpModel else { return record(auth) }
            await auth.use([.password: password], press: .submit)
            guard auth.screen?.model is SecondFactorModel else { return record(auth) }
        }
    }

    @Test(.timeLimit(.minutes(2)))
    func `The signed-in user of an app keeps tokens to revoke when the app signs out without a network`() async throws {
        try await RealServer.run { server in
            let auth = try await server.signedIn()
            let tokens = try #require(auth.client.session.currentState.credential)
            server.isOffline.withLock { $0 = true }
            try await auth.client.signOut()
            await auth.settled()
            #expect(!auth.isSignedIn && auth.account == nil)
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

    @Test func `The signed-in user of an app sees only the lock, which a failed sign-out does not open`() async throws {
        try await RealServer.run { server in
            let auth = try await server.signedIn()
            auth.menu?.press(.profile)
            await auth.settled()
            let mayOpen = Atomic(false)
            let unlock = UnlockModel(UnlockScreen(app: "Notes")) { _ in
                guard mayOpen.load(ordering: .relaxed) else { throw ScreenFailure(.deviceRefused) }
                return .authenticated
            }
            let lock = AppLockModel(unlock, clock: server.clock.wallClock())
            auth.lock = lock
            lock.receive(.active)
            #expect(auth.isLocked && auth.screen == nil && !auth.isPresented && lock.lock.phase == .locked)
            // The sheet has closed for the lock alone, and is not dismissed by that.
            auth.isPresented = false
            await unlock.use(press: .submit)
            #expect(auth.isLocked)
            mayOpen.store(true, ordering: .relaxed)
            await unlock.use(press: .submit)
            guard auth.screen?.model is ProfileModel else { return record(auth) }

            lock.receive(.background)
            server.clock.advance(by: 61)
            lock.receive(.active)
            #expect(auth.isLocked)
            await unlock.use(press: .signOut)
            await auth.settled()
            #expect(!auth.isSignedIn && !auth.isLocked && lock.lock.phase == .open)
            await auth.use([.email: email, .password: password], press: .submit)
            #expect(auth.isSignedIn && !auth.isLocked)
        }
    }

    @Test
    func `The signed-in user of an app is also offered the screens of the last run if the address is known`()
        async throws
    {
        try await RealServer.run { server in
            let auth = try await server.signedIn()
            let laptop = try server.client()
            try await laptop.signIn(email: email, password: password)
            try await laptop.signOutOtherDevices()
            server.clock.advance(by: 3_600)
            await #expect(throws: (any Error).self) { try await auth.client.profile() }
            await auth.settled()
            await auth.use(press: .forgotPassword)
            await auth.use([.email: email], press: .submit)
            let stored = auth.exchangePath(Data())

            let restarted = try server.app(secrets: server.secrets)
            await restarted.restore()
            await restarted.settled()
            guard let signIn = restarted.screen?.model as? SignInModel, signIn.control(.email)?.text.value == email
            else {
                return record(restarted)
            }
            expectEqual(restarted.exchangePath(stored), stored)
            guard restarted.screen?.model is PasswordResetModel else { return record(restarted) }
        }
    }

    @Test
    func `The signed-in user of an app sees the address of the link on a device that does not know it`() async throws {
        try await RealServer.run { server in
            try await server.client().signUp(email: email, password: password)
            let auth = try server.app()
            await auth.restore()
            await auth.settled()
            #expect(auth.open(try await server.mailedURL()))
            await auth.settled()
            guard let model = auth.screen?.model as? EmailVerificationModel else { return record(auth) }
            expectEqual(model.control(.notice)?.label, Phrase("verification.done", .text(email)))
            await auth.use(press: .done)
            guard let signIn = auth.screen?.model as? SignInModel else { return record(auth) }
            expectEqual(signIn.control(.email)?.text.value, email)
        }
    }

    private func record(_ auth: AuthModel) {
        Issue.record("another screen: \(auth.path) \(auth.screen?.model.controls.map(\.id) ?? [])")
    }
}
