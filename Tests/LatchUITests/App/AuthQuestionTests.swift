// SPDX-License-Identifier: Apache-2.0

import Expectations
import LatchAccounts
import LatchAuth
import LatchTesting
import LatchUI
import TestSupport
import Testing

@testable import LatchIdentity

/// What an app asks an ``AuthModel``, and hears of it.
@MainActor @Suite struct AuthQuestionTests {
    private let email = RealServer.email
    private let password = RealServer.password

    @Test
    func `An app with guests and payments receives the user's actions on the screens, without a secret`() async throws {
        try await RealServer.run { server in
            let auth = try server.app()
            var events: [AuthEvent] = []
            auth.onEvent = { events.append($0) }
            await auth.restore()
            await auth.settled()
            await auth.use(press: .register)
            await auth.use([.email: email, .newPassword: password], press: .submit)
            expectEqual(events, [.signedUp(email: email)])
            events = []
            auth.pop()
            await auth.use([.email: email, .password: "a wrong password"], press: .submit)
            guard case .failed(let route?, let failure)? = events.first, events.count == 1 else {
                Issue.record("\(events)")
                return
            }
            expectEqual(route.description, "signIn")
            expectEqual(failure.reason, .wrongCredentials)
            #expect(!"\(events) \(String(reflecting: events))".contains("a wrong password"))
            events = []
            await auth.use([.email: email, .password: password], press: .submit)
            #expect(auth.isSignedIn && events == [.signedIn(by: .password)])
            events = []
            auth.menu?.press(.signOut)
            await auth.settled()
            #expect(!auth.isSignedIn && events == [.signedOut(.user)])
        }
    }

    @Test
    func `An app with guests and payments receives an end by the server, and not a start with an account`() async throws
    {
        try await RealServer.run { server in
            _ = try await server.signedIn()
            let auth = try server.app()
            var events: [AuthEvent] = []
            auth.onEvent = { events.append($0) }
            await auth.restore()
            await auth.settled()
            #expect(auth.isSignedIn && events.isEmpty)
            try await server.client().requestPasswordReset(email: email)
            let token = try await server.mailedLink().token
            _ = try await server.client().resetPassword(token: token, newPassword: "another long password")
            await #expect(throws: (any Error).self) { try await auth.client.profile() }
            await auth.settled()
            #expect(!auth.isSignedIn && events == [.signedOut(.issuer)])
        }
    }

    @Test
    func `An app with guests and payments has the user confirm a payment, which a dismissal refuses`() async throws {
        try await RealServer.run { server in
            let auth = try await server.signedIn()
            let first = Task { await auth.confirmUser() }
            try await eventually { auth.isPresented }
            guard auth.screen?.model is StepUpModel else { return record(auth) }
            await auth.use([.password: "a wrong password"], press: .submit)
            #expect(auth.isPresented)
            await auth.use([.password: password], press: .submit)
            #expect(await first.value)
            expectNil(auth.screen)
            for dismiss in [true, false] {
                let next = Task { await auth.confirmUser() }
                try await eventually { auth.isPresented }
                if dismiss { auth.isPresented = false } else { await auth.use(press: .cancel) }
                #expect(await !next.value)
                #expect(auth.screen == nil && auth.isSignedIn)
            }
            let last = Task { await auth.confirmUser() }
            try await eventually { auth.isPresented }
            try await auth.client.signOut()
            #expect(await !last.value)
            #expect(await !auth.confirmUser())
        }
    }

    @Test
    func `An app with guests and payments does not confirm a payment by a late answer to an earlier question`()
        async throws
    {
        try await RealServer.run { server in
            let auth = try await server.signedIn()
            let first = Task { await auth.confirmUser() }
            try await eventually { auth.isPresented }
            guard let stepUp = auth.screen?.model as? StepUpModel else { return record(auth) }
            let gate = server.hold("")
            stepUp.edit(.password, password)
            stepUp.press(.submit)
            await gate.reached()
            stepUp.press(.cancel)
            auth.isPresented = false
            #expect(await !first.value)
            let second = Task { await auth.confirmUser() }
            try await eventually { auth.isPresented }
            gate.open()
            await stepUp.settled()
            await auth.settled()
            guard let next = auth.screen?.model as? StepUpModel, next !== stepUp else { return record(auth) }
            await auth.use(press: .cancel)
            #expect(await !second.value)
        }
    }

    @Test
    func `An app with guests and payments shows a guest the sign-in for one feature, and accepts a refusal`()
        async throws
    {
        try await RealServer.run { server in
            try await server.client().signUp(email: email, password: password)
            let auth = try server.app()
            await auth.restore()
            await auth.settled()
            #expect(!auth.isPresented && auth.screen?.model.control(.cancel) == nil)
            for dismiss in [true, false] {
                let answer = Task { await auth.signIn() }
                try await eventually { auth.isPresented }
                #expect(auth.screen?.model.control(.cancel) != nil)
                if dismiss { auth.isPresented = false } else { await auth.use(press: .cancel) }
                #expect(await !answer.value)
                #expect(!auth.isPresented && !auth.isSignedIn)
            }
            let answer = Task { await auth.signIn() }
            try await eventually { auth.isPresented }
            await auth.use([.email: email, .password: password], press: .submit)
            #expect(await answer.value)
            #expect(auth.isSignedIn && !auth.isPresented)
            #expect(await auth.signIn())
        }
    }

    @Test
    func `An app with guests and payments does not repeat a refused request after a dismissed step-up`() async throws {
        try await RealServer.run { server in
            let auth = try await server.signedIn()
            auth.push(.profile)
            await auth.settled()
            server.clock.advance(by: 901)
            await auth.use(press: .delete)
            await auth.use(press: .confirmDeletion)
            guard auth.screen?.model is StepUpModel else { return record(auth) }
            await auth.use(press: .cancel)
            // Another request of the app needs one, and the user authenticates for that.
            await #expect(throws: AuthError.stepUpRequired) { _ = try await auth.client.beginSecondFactor() }
            await auth.settled()
            guard auth.screen?.model is StepUpModel else { return record(auth) }
            await auth.use([.password: password], press: .submit)
            #expect(auth.isSignedIn)
            expectEqual(server.requests(to: "/DeleteUser"), 1)
            try await server.client().signIn(email: email, password: password)
        }
    }

    private func record(_ auth: AuthModel) {
        Issue.record("another screen: \(auth.path) \(auth.screen?.model.controls.map(\.id) ?? [])")
    }
}
