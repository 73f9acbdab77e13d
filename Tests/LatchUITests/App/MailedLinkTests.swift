// SPDX-License-Identifier: Apache-2.0

import Expectations
import Foundation
import LatchAccounts
import LatchAuth
import LatchTesting
import LatchTexts
import LatchUI
import Testing

@testable import LatchIdentity

/// The links of mails that open an app, over the real server.
@MainActor @Suite struct MailedLinkTests {
    private let email = RealServer.email
    private let password = RealServer.password
    private let bob = "bob@example.com"

    @Test func `A mailed link is accepted from the server, and from a scheme that the app names`() async throws {
        try await RealServer.run { server in
            let auth = try await server.signedUp()
            for text in [
                "https://id.test/game/reset?token=abc", "http://localhost:8080/game/reset?token=abc",
                "file:///etc/reset?token=abc", "notes://reset?token=abc",
            ] {
                #expect(!auth.open(try #require(URL(string: text))), "\(text)")
            }
            guard auth.screen?.model is SignInModel else { return record(auth) }
            auth.linkBases.append(try #require(URL(string: "notes://")))
            #expect(auth.open(try #require(URL(string: "notes://reset?token=abc"))))
            guard auth.screen?.model is PasswordResetModel else { return record(auth) }
        }
    }

    @Test func `A mailed link of another account names that one`() async throws {
        try await RealServer.run { server in
            let auth = try await server.signedIn()
            try await server.client().signUp(email: bob, password: password)
            #expect(auth.open(try await server.mailedURL(to: bob)))
            await auth.settled()
            expectEqual(auth.screen?.model.control(.notice)?.label, Phrase("verification.done", .text(bob)))
            await auth.use(press: .done)
            #expect(auth.screen == nil && auth.profile?.email == email && auth.profile?.isEmailVerified == false)
        }
    }

    @Test func `A mailed link of one end of a change of address says that the other one is missing`() async throws {
        try await RealServer.run { server in
            let auth = try await server.signedIn()
            auth.open(try await server.mailedURL())
            await auth.use(press: .done)
            let new = "ada.new@example.com"
            let profile = try #require(auth.profile)
            #expect(profile.isEmailVerified)
            var changed = profile
            changed.email = new
            try await auth.client.update(changed)
            #expect(auth.open(try await server.mailedURL(to: new)))
            await auth.settled()
            expectEqual(auth.screen?.model.control(.notice)?.label, Phrase("verification.pending", .text(new)))
            await auth.use(press: .done)
            expectEqual(auth.profile?.email, email)
        }
    }

    @Test
    func `A mailed link that is used shows the next step, with the address that the app waited with`() async throws {
        try await RealServer.run { server in
            let auth = try server.app()
            await auth.restore()
            await auth.settled()
            await auth.use([.email: email], press: .register)
            await auth.use([.newPassword: password], press: .submit)
            let stored = auth.exchangePath(Data())
            let url = try await server.mailedURL()

            // The app was ended, and the browser has opened the link.
            try await server.client().verifyEmail(token: try await server.mailedLink().token)
            let linked = try server.app()
            #expect(linked.open(url))
            await linked.restore()
            _ = linked.exchangePath(stored)
            await linked.settled()
            guard let model = linked.screen?.model as? EmailVerificationModel else { return record(linked) }
            #expect(model.screen.step == .usedLink && model.machine.failure?.reason == .invalidLink)
            await linked.use([.email: email], press: .resend)
            #expect(model.screen.step == .waiting && server.requests(to: "/resend-verification") == 1)
            #expect(linked.open(url))
            await linked.settled()
            expectEqual(model.control(.email)?.text.value, email)
            await linked.use(press: .confirmed)
            guard let signIn = linked.screen?.model as? SignInModel else { return record(linked) }
            expectEqual(signIn.control(.email)?.text.value, email)
        }
    }

    @Test func `A mailed link signs in with the password that proves its reader, also at a cold start`() async throws {
        try await RealServer.run(change: { $0.requireOwnerProof = true }) { server in
            try await server.client().signUp(email: email, password: password)
            let auth = try server.app()
            #expect(auth.open(try await server.mailedURL()))
            await auth.restore()
            await auth.use([.password: "not the password"], press: .submit)
            #expect(!auth.isSignedIn)
            await auth.use([.password: password], press: .submit)
            #expect(auth.isSignedIn && auth.screen == nil && auth.profile?.isEmailVerified == true)
        }
    }

    @Test func `A mailed link signs the user in again whose own password it resets`() async throws {
        try await RealServer.run { server in
            let auth = try await server.signedIn()
            let id = auth.account?.id
            try await server.client().requestPasswordReset(email: email)
            #expect(auth.open(try await server.mailedURL()))
            await auth.use([.newPassword: "another sentence"], press: .submit)
            #expect(auth.isSignedIn && auth.screen == nil && auth.account?.id == id)
            try await expectEqual(auth.client.devices().count, 1)
        }
    }

    @Test
    func `A mailed link that resets another account's password does not change the user's content`() async throws {
        try await RealServer.run { server in
            let auth = try await server.signedIn()
            try await server.client().signUp(email: bob, password: password)
            try await server.client().requestPasswordReset(email: bob)
            #expect(auth.open(try await server.mailedURL(to: bob)))
            await auth.use([.newPassword: "another sentence"], press: .submit)
            expectEqual(auth.screen?.model.control(.notice)?.label, Phrase("reset.done.address", .text(bob)))
            expectEqual(auth.screen?.model.control(.done)?.label, Phrase("button.continue"))
            await auth.use(press: .done)
            #expect(auth.isSignedIn && auth.screen == nil && auth.profile?.email == email)
            _ = try await auth.client.devices()
        }
    }

    /// Somebody sends the link of an account of their own, to read what is entered into it.
    @Test
    func `A mailed link that this device has not requested names its account, and signs no user in`() async throws {
        try await RealServer.run { server in
            try await server.client().signUp(email: bob, password: password)
            try await server.client().requestPasswordReset(email: bob)
            let auth = try server.app()
            await auth.restore()
            await auth.settled()
            #expect(auth.open(try await server.mailedURL(to: bob)))
            await auth.use([.newPassword: "another sentence"], press: .submit)
            #expect(!auth.isSignedIn)
            expectEqual(auth.screen?.model.control(.notice)?.label, Phrase("reset.done.address", .text(bob)))
        }
    }

    @Test func `A mailed link that is delivered twice keeps the password that is typed`() async throws {
        try await RealServer.run { server in
            let auth = try await server.signedUp()
            try await server.client().requestPasswordReset(email: email)
            let url = try await server.mailedURL()
            auth.open(url)
            auth.screen?.model.edit(.newPassword, "another sen")
            auth.open(url)
            expectEqual(auth.screen?.model.control(.newPassword)?.text.value, "another sen")
        }
    }

    private func record(_ auth: AuthModel) {
        Issue.record("another screen: \(auth.path) \(auth.screen?.model.controls.map(\.id) ?? [])")
    }
}
