// SPDX-License-Identifier: Apache-2.0

import Expectations
import TestSupport
import Testing

@testable import LatchUI

@Suite struct AuthFlowTests {
    @Test
    func `The screens of an app have an exit in every state, and keep their places after every outcome`() async throws {
        let explorer = try await offThePool { FlowExplorer.shared }
        #expect(explorer.violations.isEmpty, "\(explorer.violations.joined(separator: "\n"))")
        #expect(explorer.states.count > 500)
    }

    @Test func `The screens of an app ignore the outcome of a closed one`() throws {
        var flow = AuthFlow(hasAccounts: true)
        flow.enter()
        flow.open(.profile)
        flow.open(.devices)
        let devices = try #require(flow.screens.last)
        flow.pop()
        let before = flow
        #expect(flow.follow(DevicesScreen.move(after: .closed), of: devices.id).isEmpty && flow == before)
        // Its kind is open again, and is another screen.
        flow.open(.devices)
        #expect(flow.follow(DevicesScreen.move(after: .closed), of: devices.id).isEmpty && flow.screens.count == 2)
    }

    @Test func `The screens of an app close a covered one below the visible one`() throws {
        var flow = AuthFlow(hasAccounts: true)
        flow.enter()
        flow.open(.profile)
        let profile = try #require(flow.screens.last)
        flow.open(.devices)
        _ = flow.follow(ProfileScreen.move(after: .closed), of: profile.id)
        expectEqual(flow.screens.map(\.route), [.devices])
    }

    @Test func `The screens of an app keep the app's step after a registration for the registered user`() throws {
        let email = "ada@example.com"
        var flow = AuthFlow.exploring(hasAccounts: true)
        flow.leave()
        flow.start(with: .signIn(email: ""))
        _ = flow.follow(SignInScreen.move(after: .registration(email: email)), of: try #require(flow.screens.last).id)
        _ = flow.follow(
            RegistrationScreen.move(after: .registered(email: email)), of: try #require(flow.screens.last).id)
        expectEqual(flow.screens.map(\.route.kind), [.signIn, .verification, .custom])
        // The mail's link comes before the step is done.
        flow.reveal(.verification(EmailVerificationScreen(email: email)))
        expectEqual(flow.screens.map(\.route.kind), [.signIn, .custom, .verification])
        var proved = flow
        _ = proved.follow(
            EmailVerificationScreen.move(after: .verified(email: email)), of: try #require(flow.screens.last).id)
        expectEqual(proved.screens.map(\.route.kind), [.custom, .signIn])
        for (user, routes) in [("Ada@example.com", [AuthRoute.custom("plan")]), ("bob@example.com", [])] {
            var entered = proved
            entered.change()
            entered.email = user
            entered.enter()
            expectEqual(entered.screens.map(\.route), routes)
        }
        // Signed out again, the user has another start.
        proved.change()
        proved.email = email
        proved.enter()
        proved.leave()
        #expect(proved.screens.isEmpty)
    }

    @Test func `The screens of an app are at the start with any address, until the user goes on`() {
        var flow = AuthFlow(hasAccounts: true)
        flow.leave()
        flow.start(with: .signIn(email: "ada@example.com"))
        #expect(flow.isAtStart)
        flow.open(.registration(email: ""))
        #expect(!flow.isAtStart)
    }

    @Test
    func `The screens of an app leave the account of a sign-in in the list whose screen the user has left`() throws {
        var flow = AuthFlow(hasAccounts: true)
        flow.enter()
        flow.open(.accounts)
        _ = flow.follow(AccountSwitcherScreen.move(after: .add), of: try #require(flow.screens.last).id)
        let signIn = try #require(flow.screens.last)
        let outcome = AuthFlow.Move.signedIn(by: .password)
        let current: [AuthFlow.Effect] = [.useSignedIn, .offerPasskey]
        expectEqual(flow.follow(outcome, of: signIn.id, isForNewAccount: true), current)
        flow.pop()
        let before = flow
        expectEqual(flow.follow(outcome, of: signIn.id, isForNewAccount: true), [.keepSignedIn])
        expectEqual(flow, before)
        // The end of the sign-in of a signed-out user may be known before its outcome.
        expectEqual(flow.follow(outcome, of: signIn.id), current)
        // A user without content wants to be signed in, also from another screen.
        flow.leave()
        expectEqual(flow.follow(outcome, of: signIn.id, isForNewAccount: true), current)
    }

    @Test func `The screens of an app return from a new account's registration to the list of accounts`() throws {
        var flow = AuthFlow(hasAccounts: true)
        flow.enter()
        flow.open(.accounts)
        let accounts = try #require(flow.screens.last)
        _ = flow.follow(AccountSwitcherScreen.move(after: .add), of: accounts.id)
        let signIn = try #require(flow.screens.last)
        _ = flow.follow(SignInScreen.move(after: .registration(email: "")), of: signIn.id)
        let registration = try #require(flow.screens.last)
        _ = flow.follow(RegistrationScreen.move(after: .signIn(email: "bob@example.com")), of: registration.id)
        expectEqual(flow.screens.map(\.route), [.accounts, .signIn(email: "bob@example.com")])
        expectEqual(flow.screens.last?.isForNewAccount, true)
    }
}
