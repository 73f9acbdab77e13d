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

/// What comes between a person and the end of a step, over the app's model and the real server.
@MainActor @Suite struct InterruptionTests {
    private let email = RealServer.email
    private let password = RealServer.password

    @Test func `An interrupted person confirms the address by a link that was opened without a network`() async throws {
        try await RealServer.run { server in
            let auth = try server.app()
            await auth.restore()
            await auth.use([.email: email], press: .register)
            await auth.use([.newPassword: password], press: .submit)
            let url = try await server.mailedURL()
            server.isOffline.withLock { $0 = true }
            auth.open(url)
            await auth.settled()
            guard let model = auth.screen?.model as? EmailVerificationModel else { return record(auth) }
            #expect(model.machine.failure?.reason == .offline && model.screen.step != .verified)
            server.isOffline.withLock { $0 = false }
            model.send(.activate)
            await auth.settled()
            expectEqual(model.screen.step, .verified)
        }
    }

    @Test(arguments: ["", "garbage", "{}", #"{"version":9000,"path":[]}"#, #"[{"profile":{}},{"nothing":{}}]"#])
    func `An interrupted person starts at the sign-in if the stored screens are another version's`(stored: String)
        async throws
    {
        try await RealServer.run { server in
            let auth = try await server.signedUp()
            _ = auth.exchangePath(Data(stored.utf8))
            guard auth.screen?.model is SignInModel else { return record(auth) }
            expectEqual(auth.path.count, 1)
        }
    }

    @Test func `An interrupted person sees no screen of a user who has signed out since it was stored`() async throws {
        try await RealServer.run { server in
            let auth = try await server.signedIn()
            auth.push(.devices)
            let stored = auth.exchangePath(Data())
            auth.menu?.press(.signOut)
            await auth.settled()
            let restarted = try server.app()
            await restarted.restore()
            await restarted.settled()
            _ = restarted.exchangePath(stored)
            guard restarted.screen?.model is SignInModel, restarted.path.count == 1 else { return record(restarted) }
        }
    }

    @Test
    func `An interrupted person signs in with a recovery code as it was written down, while codes are locked`()
        async throws
    {
        try await RealServer.run { server in
            let (auth, _, code) = try await withFactor(server)
            await auth.use([.email: email, .password: password], press: .submit)
            for _ in 0..<20 where auth.screen?.model.failure?.reason != .locked {
                await auth.use([.code: "000000"], press: .submit)
            }
            expectEqual(auth.screen?.model.failure?.reason, .locked)
            expectEqual(auth.screen?.model.control(.submit)?.isEnabled, false)
            let written = " " + code.uppercased().map { String($0) }.joined(separator: " ") + " "
            await auth.use([.code: written], press: .submit)
            #expect(auth.isSignedIn, "\(String(describing: auth.screen?.model.failure))")
        }
    }

    @Test
    func `An interrupted person begins the second factor again after ten minutes elsewhere, with a notice`()
        async throws
    {
        try await RealServer.run { server in
            let (auth, secret, _) = try await withFactor(server)
            await auth.use([.email: email, .password: password], press: .submit)
            guard let signIn = auth.screen?.model as? SignInModel, signIn.control(.code) != nil else {
                return record(auth)
            }
            let before = signIn.announcements
            // The screen waits for the end of the challenge.
            await server.clock.sleeper(for: .seconds(200)...(.seconds(600)))
            server.clock.advance(by: .seconds(601))
            try await eventually { signIn.control(.code) == nil }
            #expect(signIn.machine.failure?.reason == .expired && signIn.announcements > before)
            await auth.use([.password: password], press: .submit)
            await auth.use([.code: server.code(of: secret)], press: .submit)
            #expect(auth.isSignedIn)
        }
    }

    @Test
    func `An interrupted person deletes the account after a step-up that failed, was dismissed, and came again`()
        async throws
    {
        try await RealServer.run { server in
            let auth = try await server.signedIn()
            auth.push(.profile)
            await auth.settled()
            server.clock.advance(by: .seconds(901))
            await auth.use(press: .delete)
            await auth.use(press: .confirmDeletion)
            guard let stepUp = auth.screen?.model as? StepUpModel else { return record(auth) }
            await auth.use([.password: "not the password"], press: .submit)
            #expect(stepUp.control(.password)?.problem != nil && auth.isSignedIn)
            auth.isPresented = false
            guard auth.screen?.model is ProfileModel else { return record(auth) }
            if auth.screen?.model.control(.confirmDeletion) == nil { await auth.use(press: .delete) }
            await auth.use(press: .confirmDeletion)
            await auth.use([.password: password], press: .submit)
            #expect(!auth.isSignedIn)
            await #expect(throws: AccountError.wrongCredentials) {
                try await server.client().signIn(email: email, password: password)
            }
        }
    }

    @Test func `An interrupted person sees the sign-in if the session ends while a request runs`() async throws {
        try await RealServer.run { server in
            let auth = try await server.signedIn()
            let laptop = try server.client()
            try await laptop.signIn(email: email, password: password)
            auth.push(.profile)
            await auth.use(press: .edit)
            try await laptop.signOutOtherDevices()
            // The session may refresh by itself as soon as the time is there.
            let gate = server.hold("/refresh-token")
            server.clock.advance(by: .seconds(901))
            auth.screen?.model.edit(.displayName, "Countess")
            auth.screen?.model.press(.submit)
            await gate.reached()
            expectEqual(auth.screen?.model.isBusy, true)
            gate.open()
            await auth.settled()
            guard let signIn = auth.screen?.model as? SignInModel else { return record(auth) }
            #expect(auth.gate.notice == Phrase("failure.signedOut") && signIn.control(.email)?.text.value == email)
        }
    }

    @Test
    func `An interrupted person has one more account in the list if its sign-in was left while it ran`() async throws {
        try await RealServer.run { server in
            let auth = try await server.signedIn()
            try await server.client().signUp(email: "bob@example.com", password: password)
            auth.menu?.press(.accounts)
            await auth.use(press: .addAccount)
            let gate = server.hold("/Login")
            guard let signIn = auth.screen?.model as? SignInModel else { return record(auth) }
            signIn.edit(.email, "bob@example.com")
            signIn.edit(.password, password)
            signIn.press(.submit)
            await gate.reached()
            signIn.press(.cancel)
            auth.isPresented = false
            gate.open()
            await signIn.settled()
            await auth.settled()
            #expect(auth.isSignedIn && auth.account?.username == email)
            auth.push(.accounts)
            await auth.settled()
            guard let list = auth.screen?.model as? AccountSwitcherModel else { return record(auth) }
            expectEqual(Set(list.screen.accounts?.map(\.username) ?? []), [email, "bob@example.com"])
        }
    }

    @Test func `An interrupted person sends one request by two taps`() async throws {
        try await RealServer.run { server in
            let auth = try await server.signedUp()
            guard let signIn = auth.screen?.model as? SignInModel else { return record(auth) }
            signIn.edit(.email, email)
            signIn.edit(.password, password)
            for _ in 0..<5 { signIn.press(.submit) }
            await auth.settled()
            #expect(auth.isSignedIn && server.requests(to: "/Login") == 1)
        }
    }

    @Test(arguments: [
        ("Ada+notes@Example.com", "  two  spaces  "), ("ada@example.com", String(repeating: "long", count: 50)),
        ("o'hara@example.co.uk", "🔑🧳👩‍👩‍👧 ünïcødé"), ("ada_1@sub.example.com", "tab\tand \"quotes\" \\ / <b>"),
    ])
    func `An interrupted person signs up and in with real names and passwords`(email: String, password: String)
        async throws
    {
        try await RealServer.run { server in
            let auth = try server.app()
            await auth.restore()
            await auth.use([.email: email], press: .register)
            await auth.use([.newPassword: password], press: .submit)
            guard auth.screen?.model is EmailVerificationModel else { return record(auth) }
            let restarted = try server.app()
            await restarted.restore()
            await restarted.use([.email: "\u{A0}\(email) ", .password: password], press: .submit)
            #expect(restarted.isSignedIn)
        }
    }

    /// Returns an app whose user has set a second factor up and signed out, with the factor's secret and a recovery code.
    private func withFactor(_ server: RealServer) async throws -> (auth: AuthModel, secret: String, code: String) {
        let auth = try await server.signedIn()
        auth.push(.secondFactor)
        await auth.use(press: .submit)
        let secret = try #require(auth.screen?.model.control(.secret)?.text.value)
        await auth.use([.code: server.code(of: secret)], press: .submit)
        let code = try #require(auth.screen?.model.control(ControlID("recoveryCode", item: "1"))?.text.value)
        await auth.use(press: .done)
        auth.menu?.press(.signOut)
        await auth.settled()
        return (auth, secret, code)
    }

    private func record(_ auth: AuthModel) {
        Issue.record("another screen: \(auth.path) \(auth.screen?.model.controls.map(\.id) ?? [])")
    }
}
