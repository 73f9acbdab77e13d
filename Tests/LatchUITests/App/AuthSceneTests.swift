// SPDX-License-Identifier: Apache-2.0

import Expectations
import Foundation
import LatchAccounts
import LatchAuth
import LatchTesting
import Synchronization
import TestSupport
import Testing

@testable import LatchIdentity
@testable import LatchUI

/// Several windows of an app over one model, at the real server.
@MainActor @Suite struct AuthSceneTests {
    private let email = RealServer.email
    private let password = RealServer.password

    @Test
    func `The windows of an app have a sign-in each, and keep the text that is typed in the other`() async throws {
        try await RealServer.run { server in
            let auth = try await server.signedUp()
            let (left, right) = (auth.openScene(), auth.openScene())
            #expect(auth.scenes.map(\.id) == [left.id, right.id] && auth.scene === right)
            guard let first = left.screen?.model as? SignInModel, let second = right.screen?.model as? SignInModel
            else {
                return record(auth)
            }
            #expect(first !== second)
            let (leftView, rightView) = (UUID(), UUID())
            first.appear(in: leftView)
            second.appear(in: rightView)
            first.edit(.email, email)
            first.edit(.password, "half of it")
            first.send(.focus(.password))
            second.edit(.email, "bob@example.com")
            second.send(.focus(.email))
            #expect(first.focus == .password && second.focus == .email)
            second.press(.register)
            guard right.screen?.model is RegistrationModel, left.screen?.model is SignInModel else {
                return record(auth)
            }

            second.disappear(from: rightView)
            auth.close(right)
            #expect(auth.scenes.map(\.id) == [left.id] && auth.scene === left && right.screens.isEmpty)
            #expect(first.control(.password)?.text.value == "half of it" && left.path == [.signIn(email: email)])
            first.edit(.password, password)
            first.press(.submit)
            await auth.settled()
            #expect(auth.isSignedIn && left.screen == nil && auth.profile?.email == email)
        }
    }

    @Test
    func `The windows of an app show the user who has signed in in one of them, with separate screens`() async throws {
        try await RealServer.run { server in
            let auth = try await server.signedUp()
            let (left, right) = (auth.openScene(), auth.openScene())
            await right.use([.email: email, .password: password], press: .submit)
            #expect(auth.isSignedIn && left.screen == nil && right.screen == nil)
            let (leftMenu, rightMenu) = (try #require(left.menu), try #require(right.menu))
            #expect(leftMenu !== rightMenu && leftMenu.screen.profile.email == email)

            leftMenu.press(.profile)
            await auth.settled()
            rightMenu.press(.devices)
            await auth.settled()
            guard left.screen?.model is ProfileModel, right.screen?.model is DevicesModel else { return record(auth) }
            #expect(left.path == [.profile] && right.path == [.devices])
            await left.use(press: .edit)
            await left.use([.displayName: "Countess"], press: .submit)
            #expect(leftMenu.screen.initials == "C" && rightMenu.screen.initials == "C")
            left.isPresented = false
            #expect(!left.isPresented && right.isPresented)

            // A third one opens with the content.
            let third = auth.openScene()
            #expect(third.screen == nil && third.menu?.screen.initials == "C")
            rightMenu.press(.signOut)
            await auth.settled()
            for scene in [left, right, third] {
                guard scene.screen?.model is SignInModel else { return record(auth) }
                #expect(scene.menu == nil && !scene.isPresented)
            }
        }
    }

    @Test func `The windows of an app open a link in the one that received it`() async throws {
        try await RealServer.run(change: { $0.requireOwnerProof = true }) { server in
            let auth = try server.app()
            let (left, right) = (auth.openScene(), auth.openScene())
            await auth.restore()
            await auth.settled()
            await left.use([.email: email], press: .register)
            await left.use([.newPassword: password], press: .submit)
            let url = try await server.mailedURL()
            #expect(right.open(url))
            await auth.settled()
            guard let waiting = left.screen?.model as? EmailVerificationModel,
                let opened = right.screen?.model as? EmailVerificationModel
            else {
                return record(auth)
            }
            #expect(waiting !== opened && waiting.control(.password) == nil)
            await right.use([.password: password], press: .submit)
            #expect(auth.isSignedIn && left.screen == nil && right.screen == nil)

            // Before the session is restored, too.
            let restarted = try server.app()
            let (first, second) = (restarted.openScene(), restarted.openScene())
            #expect(first.open(try #require(URL(string: "http://localhost:8080/reset?token=abc"))))
            await restarted.restore()
            await restarted.settled()
            guard first.screen?.model is PasswordResetModel else { return record(restarted) }
            expectNil(second.screen)
        }
    }

    @Test func `The windows of an app store a path each`() async throws {
        try await RealServer.run { server in
            let auth = try await server.signedIn()
            let (left, right) = (auth.openScene(), auth.openScene())
            left.push(.devices)
            right.push(.profile)
            let stored = (left.exchangePath(Data()), right.exchangePath(Data()))
            let restarted = try server.app()
            let (first, second) = (restarted.openScene(), restarted.openScene())
            await restarted.restore()
            await restarted.settled()
            #expect(first.exchangePath(stored.0) == stored.0 && second.exchangePath(stored.1) == stored.1)
            guard first.screen?.model is DevicesModel, second.screen?.model is ProfileModel else {
                return record(restarted)
            }
        }
    }

    @Test func `The windows of an app complete the sign-in of one that is closed before the answer`() async throws {
        try await RealServer.run { server in
            let auth = try await server.signedUp()
            let (left, right) = (auth.openScene(), auth.openScene())
            let gate = server.hold("/Login")
            right.screen?.model.edit(.email, email)
            right.screen?.model.edit(.password, password)
            right.screen?.model.press(.submit)
            await gate.reached()
            auth.close(right)
            gate.open()
            await auth.settled()
            #expect(auth.isSignedIn && auth.account?.username == email && left.screen == nil)
            try await expectEqual(auth.client.profile().email, email)
        }
    }

    @Test func `The windows of an app keep the user when another window is closed during a sign-in`() async throws {
        try await RealServer.run { server in
            let auth = try await server.signedUp()
            let bob = "bob@example.com"
            try await server.client().signUp(email: bob, password: password)
            let (left, right) = (auth.openScene(), auth.openScene())
            let gate = server.hold("/Login")
            right.screen?.model.edit(.email, bob)
            right.screen?.model.edit(.password, password)
            right.screen?.model.press(.submit)
            await gate.reached()
            server.gates.withLock { $0 = [:] }
            left.screen?.model.edit(.email, email)
            left.screen?.model.edit(.password, password)
            left.screen?.model.press(.submit)
            try await eventually { auth.isSignedIn }
            let client = auth.client
            #expect(auth.account?.username == email && right.screen == nil)
            auth.close(right)
            gate.open()
            await auth.settled()
            try await eventually { auth.hasOtherAccounts }
            #expect(auth.account?.username == email && auth.client === client && left.screen == nil)
            left.push(.accounts)
            await auth.settled()
            guard let list = left.screen?.model as? AccountSwitcherModel else { return record(auth) }
            expectEqual(Set(list.screen.accounts?.map(\.username) ?? []), [email, bob])
            let restarted = try server.app()
            await restarted.restore()
            expectEqual(restarted.account?.username, email)
        }
    }

    @Test
    func `The windows of an app have a guest's sign-in and a payment's step-up in the requesting window`() async throws
    {
        try await RealServer.run { server in
            let auth = try await server.signedUp()
            let (left, right) = (auth.openScene(), auth.openScene())
            let answer = Task { await left.signIn() }
            try await eventually { left.isPresented }
            #expect(!right.isPresented)
            await left.use([.email: email, .password: password], press: .submit)
            #expect(await answer.value)

            let payment = Task { await right.confirmUser() }
            try await eventually { right.isPresented }
            expectNil(left.screen)
            auth.close(right)
            #expect(await !payment.value)
            #expect(await !right.confirmUser())
            #expect(await right.signIn(), "a user is signed in")

            // A step-up that the server requires is raised in each of them, with a field of its own.
            let other = auth.openScene()
            server.clock.advance(by: 901)
            await #expect(throws: AuthError.stepUpRequired) { _ = try await auth.client.beginSecondFactor() }
            await auth.settled()
            guard let one = left.screen?.model as? StepUpModel, let two = other.screen?.model as? StepUpModel else {
                return record(auth)
            }
            #expect(one !== two)
            await other.use([.password: password], press: .submit)
            #expect(left.screen == nil && other.screen == nil)
        }
    }

    @Test func `The windows of an app leave nothing behind when they are closed`() async throws {
        try await RealServer.run { server in
            let auth = try await server.signedUp()
            _ = auth.openScene()
            let (scene, model) = openAndClose(auth)
            await auth.settled()
            #expect(scene.value == nil && model.value == nil)
        }
    }

    private func openAndClose(_ auth: AuthModel) -> (scene: Weak<AuthScene>, model: Weak<SignInModel>) {
        let scene = auth.openScene()
        defer { auth.close(scene) }
        guard let model = scene.screen?.model as? SignInModel else { return (Weak(scene), Weak(nil)) }
        return (Weak(scene), Weak(model))
    }

    @Test func `The windows of an app keep the last one for the next window`() async throws {
        try await RealServer.run { server in
            let auth = try await server.signedUp()
            let only = auth.openScene()
            await only.use([.email: email], press: .register)
            auth.close(only)
            expectEqual(auth.scenes.count, 1)
            let next = auth.openScene()
            #expect(next === only)
            guard next.screen?.model is RegistrationModel else { return record(auth) }
        }
    }

    private func record(_ auth: AuthModel) {
        Issue.record("other screens: \(auth.scenes.map(\.path))")
    }
}

/// A reference that keeps nothing alive.
@MainActor private struct Weak<Object: AnyObject> {
    private(set) weak var value: Object?

    init(_ value: Object?) { self.value = value }
}

extension AuthScene {
    /// Types texts into the visible screen, presses a button, and waits.
    func use(_ texts: [ControlID: String] = [:], press id: ControlID) async {
        for (field, text) in texts { screen?.model.edit(field, text) }
        screen?.model.press(id)
        await settled()
    }
}
