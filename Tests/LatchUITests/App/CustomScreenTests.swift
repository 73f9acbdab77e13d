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

/// Screens and rows of an app in the flow of its model, at the real server.
@MainActor @Suite struct CustomScreenTests {
    private let email = RealServer.email
    private let password = RealServer.password

    @Test
    func `An app's own screen in the flow follows a registration, and leads on to the wait for the mail`() async throws
    {
        try await RealServer.run { server in
            let plans = Plans()
            let auth = try server.app { plans.add(to: &$0, after: .registration) }
            await auth.restore()
            await auth.settled()
            await auth.use([.email: email], press: .register)
            await auth.use([.newPassword: password], press: .submit)
            let plan = try #require(auth.screen?.model)
            expectEqual(auth.screen?.route, .custom("plan", email: email))
            expectEqual(plan.controls.map(\.id), [.title, "team", "free", "pro", .cancel])
            expectEqual(plan.focus, "team", "the model has shown it")

            // Its request is one that the model waits for, and its failure is a notice.
            plans.error.withLock { $0 = ScreenFailure(.offline) }
            await auth.use(["team": "Analysts"], press: "pro")
            #expect(plan.failure?.reason == .offline && !plan.isBusy && auth.screen?.model === plan)
            plans.error.withLock { $0 = nil }
            await auth.use(press: "pro")
            expectEqual(plans.chosen.withLock(\.self), ["pro for Analysts of \(email)"])
            guard let waiting = auth.screen?.model as? EmailVerificationModel else { return record(auth) }
            expectEqual(waiting.screen.email, email)
        }
    }

    @Test func `An app's own screen in the flow stays due when a link or a sign-in comes first`() async throws {
        try await RealServer.run(change: { $0.requireOwnerProof = true }) { server in
            let plans = Plans()
            let auth = try server.app { plans.add(to: &$0, after: .registration) }
            await auth.restore()
            await auth.settled()
            await auth.use([.email: email], press: .register)
            await auth.use([.newPassword: password], press: .submit)
            expectEqual(auth.screen?.route?.customName, "plan")
            let stored = auth.exchangePath(Data())

            let restarted = try server.app { plans.add(to: &$0, after: .registration) }
            await restarted.restore()
            await restarted.settled()
            expectEqual(restarted.exchangePath(stored), stored)
            expectEqual(restarted.screen?.route, .custom("plan", email: email))
            #expect(restarted.open(try await server.mailedURL()))
            guard restarted.screen?.model is EmailVerificationModel else { return record(restarted) }
            await restarted.use([.password: password], press: .submit)
            #expect(restarted.isSignedIn)
            expectEqual(restarted.screen?.route, .custom("plan"))
            await restarted.use(press: "free")
            #expect(restarted.screen == nil && plans.chosen.withLock(\.self) == ["free for  of \(email)"])
        }
    }

    @Test func `An app's own screen in the flow stays due in an app with one account`() async throws {
        try await RealServer.run(change: { $0.requireOwnerProof = true }) { server in
            let plans = Plans()
            let auth = AuthModel(try server.client()) {
                $0.clock = server.clock.wallClock()
                plans.add(to: &$0, after: .registration)
            }
            await auth.restore()
            await auth.settled()
            await auth.use([.email: email], press: .register)
            await auth.use([.newPassword: password], press: .submit)
            #expect(auth.open(try await server.mailedURL()))
            await auth.use([.password: password], press: .submit)
            #expect(auth.isSignedIn)
            expectEqual(auth.screen?.route, .custom("plan"))
            await auth.use(press: "pro")
            #expect(auth.screen == nil && plans.chosen.withLock(\.self) == ["pro for  of \(email)"])
        }
    }

    @Test
    func `An app's own screen in the flow follows a sign-in of a user who needs it, with the user's client`()
        async throws
    {
        try await RealServer.run { server in
            let plans = Plans()
            let auth = try await server.signedIn { plans.add(to: &$0, after: .signIn) }
            expectEqual(auth.screen?.route?.customName, "plan")
            #expect(auth.isPresented)
            await auth.use(press: "free")
            #expect(auth.screen == nil && plans.chosen.withLock(\.self) == ["free for  of \(email)"])

            // It is neither needed by the next sign-in nor shown at the start.
            auth.menu?.press(.signOut)
            await auth.use([.email: email, .password: password], press: .submit)
            #expect(auth.isSignedIn && auth.screen == nil && plans.checks.withLock(\.self) == 2)
            let restarted = try server.app { plans.add(to: &$0, after: .signIn) }
            await restarted.restore()
            await restarted.settled()
            #expect(restarted.isSignedIn && restarted.screen == nil && plans.checks.withLock(\.self) == 2)
        }
    }

    @Test func `An app's own screen in the flow replaces the registration, and keeps its exits`() async throws {
        try await RealServer.run { server in
            let auth = try server.app {
                $0.replace(RegistrationScreen.self) { position in
                    let client = position.client
                    var form = FormScreen(title: .verbatim("Join us"))
                    form.fields = Fields([
                        Field(.email, .email, Phrase("field.email"), text: position.email, fills: .username),
                        Field(.newPassword, .newPassword, Phrase("field.password")),
                    ])
                    form.switches = [.toggle("terms", .verbatim("I accept the terms"), isOn: false)]
                    return position.form(form) { entries in
                        guard entries.switches == ["terms"] else { throw ScreenFailure(.refused) }
                        try await client.signUp(email: entries[.email], password: entries[.newPassword])
                    } outcome: { entries in
                        entries.map { .registered(email: $0[.email]) } ?? .cancelled
                    }
                }
            }
            var events: [AuthEvent] = []
            auth.onEvent = { events.append($0) }
            await auth.restore()
            await auth.use([.email: email], press: .register)
            let form = try #require(auth.screen?.model as? ScreenModel<FormScreen>)
            #expect(form.control(.email)?.text.value == email && auth.path.last == .registration(email: email))
            expectEqual(form.focus, .newPassword)
            await auth.use([.newPassword: password], press: .submit)
            expectEqual(form.failure?.reason, .refused)
            form.send(.set("terms", true))
            await auth.use([.newPassword: password], press: .submit)
            expectEqual(events.last, .signedUp(email: email))
            guard auth.screen?.model is EmailVerificationModel else { return record(auth) }
            auth.pop()
            await auth.use(press: .register)
            await auth.use(press: .cancel)
            guard auth.screen?.model is SignInModel else { return record(auth) }
        }
    }

    @Test func `An app's own screen in the flow is opened by a row in the menu and in the profile`() async throws {
        try await RealServer.run { server in
            let plans = Plans()
            var opened: [UUID] = []
            let auth = try await server.signedIn {
                plans.add(to: &$0, after: nil)
                $0.rows = [
                    AccountRow(
                        "plan.row", .verbatim("Plan"), symbol: "creditcard", after: .profile, opens: .custom("plan")),
                    AccountRow("help", .verbatim("Help"), in: [.menu]) { scene in
                        opened.append(scene.id)
                    },
                    AccountRow("legal", .verbatim("Legal"), in: [.profile], opens: .devices),
                ]
            }
            let menu = try #require(auth.menu)
            let ids = menu.controls.map(\.id)
            expectEqual(ids, [.title, .explanation, .profile, "plan.row", .devices, .accounts, "help", .signOut])
            expectEqual(menu.control("plan.row")?.symbol, "creditcard")
            menu.press("help")
            #expect(opened == [auth.scene.id] && auth.screen == nil)
            menu.press("plan.row")
            let plan = try #require(auth.screen?.model)
            expectEqual(auth.screen?.route, .custom("plan"))
            #expect(auth.isPresented && plan.focus == nil, "its only field is optional")
            await auth.use(press: .cancel)
            expectNil(auth.screen)

            menu.press(.profile)
            await auth.settled()
            let shown = try #require(auth.screen?.model.controls.map(\.id))
            expectEqual(shown.suffix(5), ["plan.row", "legal", .signOut, .delete, .done])
            await auth.use(press: "legal")
            guard auth.screen?.model is DevicesModel else { return record(auth) }
            await auth.use(press: .done)
            guard let profile = auth.screen?.model as? ProfileModel else { return record(auth) }
            await auth.use(press: "plan.row")
            await auth.use(press: "free")
            #expect(auth.screen?.model === profile && profile.control("legal") != nil)
        }
    }

    @Test
    func `An app's own screen in the flow is not shown if it is unknown, as by a path of an earlier version`()
        async throws
    {
        try await RealServer.run { server in
            let auth = try await server.signedIn()
            auth.push(.custom("plan"))
            #expect(auth.screen == nil && auth.path.isEmpty)
        }
    }

    private func record(_ auth: AuthModel) {
        Issue.record("another screen: \(auth.path) \(auth.screen?.model.controls.map(\.id) ?? [])")
    }
}

/// An app's plans: a screen that asks for one, and what users have chosen.
private final class Plans: Sendable {
    let chosen = Mutex<[String]>([])
    let checks = Mutex(0)
    let error = Mutex<ScreenFailure?>(nil)

    func add(to configuration: inout AuthModel.Configuration, after moment: AuthModel.Configuration.Moment?) {
        configuration.addScreen("plan", after: moment, if: needsPlan) { [self] position in
            var form = FormScreen(title: .verbatim("Choose a plan"))
            let isRegistered = position.route == .custom("plan")
            form.fields = Fields([Field("team", .text, .verbatim("Team"), isRequired: !isRegistered)])
            form.buttons = [.button("free", .secondary, .verbatim("Free")), .button("pro", .primary, .verbatim("Pro"))]
            let (email, client) = (position.email, position.client)
            return position.form(form) { [self] entries in
                if let error = error.withLock(\.self) { throw error }
                // The user's client is signed in.
                if isRegistered { _ = try await client.profile() }
                chosen.withLock { $0.append("\(entries.button) for \(entries["team"]) of \(email)") }
            }
        }
    }

    private func needsPlan(_ client: AuthClient) async throws -> Bool {
        checks.withLock { $0 += 1 }
        let email = try await client.profile().email
        return chosen.withLock { !$0.contains { $0.hasSuffix(email) } }
    }
}
