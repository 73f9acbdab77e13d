// SPDX-License-Identifier: Apache-2.0

import Expectations
import Foundation
import LatchAccounts
import LatchAuth
import LatchTexts
import Synchronization
import Testing

@testable import LatchIdentity
@testable import LatchUI

/// What an app shows of accounts that end, and of servers that cannot do everything.
@MainActor @Suite struct AccountEndTests {
    private let email = RealServer.email
    private let password = RealServer.password

    @Test func `The account model of an app ends a removed account's session once there is a network`() async throws {
        try await RealServer.run { server in
            let auth = try await server.signedIn()
            try await server.client().signUp(email: "bob@example.com", password: password)
            auth.menu?.press(.accounts)
            await auth.use(press: .addAccount)
            await auth.use([.email: "bob@example.com", .password: password], press: .submit)
            auth.push(.accounts)
            await auth.settled()
            guard let list = auth.screen?.model as? AccountSwitcherModel else { return record(auth) }
            let ada = try #require(list.screen.accounts?.first { $0.username == email })
            server.isOffline.withLock { $0 = true }
            await auth.use(press: .removeAccount(ada.id))
            await auth.use(press: .confirmRemoval)
            expectEqual(list.screen.accounts?.count, 1)
            server.isOffline.withLock { $0 = false }

            // The app is ended, and starts again.
            let restarted = try server.app()
            await restarted.restore()
            await restarted.settled()
            expectEqual(server.requests(to: "/logout"), 1)
            let laptop = try server.client()
            try await laptop.signIn(email: email, password: password)
            try await expectEqual(laptop.devices().count, 1)
            restarted.activate()
            await restarted.settled()
            expectEqual(server.requests(to: "/logout"), 1)
        }
    }

    @Test func `The account model of an app shows only features of a server without a user service`() async throws {
        try await RealServer.run { server in
            server.hasNoUserService.withLock { $0 = true }
            let auth = try await server.signedIn()
            #expect(auth.isSignedIn && auth.profile?.email == email && auth.profileFailure == nil)
            #expect(auth.menu?.control(.devices) == nil && auth.menu?.control(.profile) != nil)
            auth.menu?.press(.profile)
            await auth.settled()
            guard let profile = auth.screen?.model as? ProfileModel else { return record(auth) }
            for id: ControlID in [.edit, .changePassword, .secondFactor, .devices, .delete] {
                expectNil(profile.control(id), "\(id)")
            }
            #expect(profile.control(.email) != nil && profile.control(.signOut) != nil)
            for route: AuthRoute in [.devices, .changePassword, .secondFactor, .editProfile] { auth.push(route) }
            expectEqual(auth.path, [.profile])
        }
    }

    @Test func `The account model of an app shows the known profile while the server cannot be reached`() async throws {
        try await RealServer.run { server in
            let auth = try await server.signedIn()
            server.isOffline.withLock { $0 = true }
            auth.menu?.press(.profile)
            await auth.settled()
            expectEqual(auth.screen?.model.failure?.reason, .offline)
            expectEqual(auth.screen?.model.control(.email)?.detail, .verbatim(email))
        }
    }

    @Test
    func `The account model of an app forgets the address of a deleted account also before its session ends`()
        async throws
    {
        try await RealServer.run { server in
            let auth = try await server.signedIn()
            for scene in auth.scenes { scene.perform([.sayGoodbye]) }
            _ = try await auth.client.signOut()
            auth.synchronize()
            await auth.settled()
            guard let signIn = auth.screen?.model as? SignInModel else { return record(auth) }
            expectEqual(signIn.control(.email)?.text.value, "")
        }
    }

    @Test
    func `The account model of an app reports that the account is deleted, and forgets its address`() async throws {
        try await RealServer.run { server in
            let auth = try await server.signedIn()
            auth.menu?.press(.profile)
            await auth.use(press: .delete)
            await auth.use(press: .confirmDeletion)
            guard let signIn = auth.screen?.model as? SignInModel else { return record(auth) }
            expectEqual(auth.gate.notice, Phrase("profile.deleted"))
            expectEqual(signIn.control(.email)?.text.value, "")
            try await server.client().signUp(email: email, password: password)
            await auth.use([.email: email, .password: password], press: .submit)
            #expect(auth.isSignedIn && auth.gate.notice == nil)
        }
    }

    @Test func `The account model of an app lets a guest leave the sign-in, if the app handles it`() async throws {
        try await RealServer.run { server in
            let deaf = AuthModel(try server.client()) { $0.options.isDismissible = true }
            await deaf.restore()
            await deaf.settled()
            expectNil(deaf.screen?.model.control(.cancel))
            let auth = AuthModel(try server.client()) { $0.options.isDismissible = true }
            var cancellations = 0
            auth.onCancel = { cancellations += 1 }
            await auth.restore()
            await auth.use(press: .cancel)
            expectEqual(cancellations, 1)
        }
    }

    private func record(_ auth: AuthModel) {
        Issue.record("another screen: \(auth.path) \(auth.screen?.model.controls.map(\.id) ?? [])")
    }
}
