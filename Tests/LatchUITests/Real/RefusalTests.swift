// SPDX-License-Identifier: Apache-2.0

import Expectations
import Foundation
import LatchAccounts
import LatchCore
import LatchTexts
import LatchUI
import Synchronization
import Testing

@testable import LatchIdentity

/// What the real server says of an account or of an entry, where a person reads it.
@MainActor @Suite struct RefusalTests {
    private let email = RealServer.email
    private let password = RealServer.password

    @Test func `A suspended account is refused in words, and only for the right password`() async throws {
        try await RealServer.run { server in
            try await server.client().signUp(email: email, password: password)
            let account = try #require(try await server.identity.administration.account(email: email))
            _ = try await server.identity.administration.setStatus(of: account.id, to: .suspended)
            // By the RPC, and by the route of a backend without a user service.
            for hasNoUserService in [false, true] {
                server.hasNoUserService.withLock { $0 = hasNoUserService }
                let signIn = SignInModel(try server.client())
                await signIn.use([.email: email, .password: "not the password"], press: .submit)
                expectEqual(signIn.failure?.reason, .wrongCredentials)
                await signIn.use([.password: password], press: .submit)
                #expect(signIn.failure?.reason == .suspended && signIn.failure?.serverCode == "accountSuspended")
                expectEqual(signIn.control(.failure)?.label, Phrase("failure.suspended"))
                expectEqual(signIn.announcement?.phrase, Phrase("failure.suspended"))
            }
        }
    }

    @Test func `An unverified address is refused on a screen that sends another mail by one press`() async throws {
        try await RealServer.run(change: { $0.requireVerifiedEmail = true }) { server in
            let auth = try await server.signedUp()
            _ = try await server.mailedURL()
            await auth.use([.email: email, .password: "not the password"], press: .submit)
            expectEqual(auth.screen?.model.failure?.reason, .wrongCredentials)
            expectNil(auth.screen?.model.control(.verifyEmail))
            await auth.use([.password: password], press: .submit)
            expectEqual(auth.screen?.model.failure?.reason, .emailUnverified)
            await auth.use(press: .verifyEmail)
            await auth.use(press: .resend)
            expectEqual(auth.screen?.model.control(.notice)?.label, Phrase("verification.sent", .text(email)))
            auth.open(try await server.mailedURL())
            await auth.settled()
            await auth.use(press: .done)
            await auth.use([.password: password], press: .submit)
            #expect(auth.isSignedIn)
        }
    }

    @Test
    func `A refused entry is shown at its field, in the registration, the profile and the password change`()
        async throws
    {
        try await RealServer.run { server in
            let client = try server.client()
            let registration = RegistrationModel(client)
            let long = String(repeating: "x", count: 300)
            await registration.use([.name: long, .email: email, .newPassword: password], press: .submit)
            #expect(registration.focus == .name && registration.failure == nil)
            let problem = try #require(registration.control(.name)?.problem)
            #expect(Texts(languages: ["de"])(problem).contains("'name' is longer than 200 bytes"))
            await registration.use([.name: "Ada", .newPassword: "password123"], press: .submit)
            expectEqual(registration.control(.newPassword)?.problem, Phrase("failure.weakPassword"))
            await registration.use([.newPassword: password], press: .submit)
            expectEqual(registration.outcome, .registered(email: email))

            try await client.signIn(email: email, password: password)
            let editing = EditProfileModel(client, profile: try await client.accountProfile())
            await editing.use([.displayName: "Ada", .firstName: long], press: .submit)
            #expect(editing.focus == .firstName && editing.failure == nil)
            await editing.use([.firstName: "Ada"], press: .submit)
            guard case .saved = editing.outcome else {
                Issue.record("\(String(describing: editing.failure))")
                return
            }

            let change = ChangePasswordModel(client)
            await change.use([.password: password, .newPassword: "password123"], press: .submit)
            #expect(change.focus == .newPassword && change.failure == nil)
            await change.use([.password: "not the password", .newPassword: "another sentence"], press: .submit)
            #expect(change.focus == .password && change.failure == nil)
        }
    }
}
