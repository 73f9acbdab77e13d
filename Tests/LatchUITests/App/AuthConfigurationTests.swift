// SPDX-License-Identifier: Apache-2.0

import Expectations
import Foundation
import LatchAccounts
import LatchAuth
import LatchHTTP
import LatchTesting
import LatchUI
import Synchronization
import TestSupport
import Testing

@testable import LatchIdentity

/// The one configuration of an app, at the real server.
@MainActor @Suite struct AuthConfigurationTests {
    private let email = RealServer.email
    private let password = RealServer.password

    @Test
    func `The configuration of an app's model reaches each request, the lock, the links and the sign-in`() async throws
    {
        try await RealServer.run { server in
            let log = Mutex<[String]>([])
            let lock = AppLockModel(
                UnlockModel(UnlockScreen(app: "Notes")) { _ in .authenticated }, clock: server.clock.wallClock())
            let auth = try await server.signedUp {
                $0.interceptors = [LoggingInterceptor { entry in log.withLock { $0.append("\(entry)") } }]
                $0.options.acceptsUsername = true
                $0.lock = lock
                $0.linkBases = [URL(string: "notes://")].compactMap(\.self)
            }
            #expect(auth.lock === lock && auth.linkBases.map(\.absoluteString) == ["notes://"])
            expectEqual(auth.screen?.model.control(.email)?.kind, .field(.username))
            #expect(!auth.open(try #require(URL(string: "http://localhost:8080/reset?token=abc"))))
            await auth.use([.email: email, .password: password], press: .submit)
            #expect(auth.isSignedIn)
            let entries = log.withLock(\.self)
            #expect(entries.count >= server.requests(to: "/Login") + server.requests(to: "/GetProfile"))
            #expect(!entries.contains { $0.contains(password) })
            lock.receive(.background)
            server.clock.advance(by: 61)
            lock.receive(.active)
            #expect(auth.isLocked)
            lock.unlock.send(.press(.signOut))
            await auth.settled()
            #expect(!auth.isSignedIn)

            // The banner follows the requests, as without interceptors of the app's own.
            server.isOffline.withLock { $0 = true }
            await auth.use([.email: email, .password: password], press: .submit)
            #expect(auth.connection.isOffline)
        }
    }

    @Test func `The configuration of an app's model refreshes by its policy`() async throws {
        try await RealServer.run { server in
            let auth = try await server.signedIn { $0.policy = RefreshPolicy(refreshesInBackground: false) }
            server.clock.advance(by: 3_600)
            _ = try await auth.client.profile()
            expectEqual(server.requests(to: "refresh-token"), 1)
        }
    }

    @Test func `The configuration of an app's model takes the tokens of an earlier version of the app`() async throws {
        try await RealServer.run { server in
            // The app before its update kept the tokens itself.
            let old = try server.client()
            try await old.signUp(email: email, password: password)
            try await old.signIn(email: email, password: password)
            var stored = old.session.currentState.credential

            for start in 1...2 {
                let configuration = try server.configuration()
                if let tokens = stored, let accounts = configuration.makeAccountList() {
                    if try await accounts.content().entries.isEmpty {
                        try await accounts.signIn(
                            tokens, as: email, issuer: "http://localhost:8080", username: email)
                    }
                    // The app was ended before it could remove its own.
                    if start == 2 { stored = nil }
                }
                let auth = AuthModel(configuration)
                await auth.restore()
                await auth.settled()
                #expect(auth.isSignedIn && auth.profile?.email == email && auth.account?.username == email)
                server.clock.advance(by: 3_600)
                try await expectEqual(auth.client.profile().email, email, "the tokens are refreshed")
            }
            expectNil(stored)
            // A sign-in of the same user is no second account.
            let auth = try server.app()
            await auth.restore()
            auth.menu?.press(.signOut)
            await auth.use([.email: email, .password: password], press: .submit)
            auth.push(.accounts)
            await auth.settled()
            guard let list = auth.screen?.model as? AccountSwitcherModel else { return record(auth) }
            expectEqual(list.screen.accounts?.count, 1)
        }
    }

    @Test func `The configuration of an app's model has no accounts with the app's own client`() async throws {
        try await RealServer.run { server in
            let configuration = AuthModel.Configuration(try server.client())
            expectNil(configuration.makeAccountList())
        }
    }

    @Test func `The sign-in of an app's model has no password where the server has none, and asks only once`()
        async throws
    {
        try await RealServer.run(change: { $0.signInWays = [.code] }) { server in
            #expect(AuthModel.Configuration(try server.client()).options.loadsWays)
            let auth = try server.app { $0.options.loadsWays = true }
            await auth.restore()
            await auth.settled()
            for _ in 0..<2 {
                guard let signIn = auth.screen?.model as? SignInModel else { return record(auth) }
                await signIn.use()
                #expect(signIn.control(.password) == nil && signIn.control(.email) != nil)
            }
            expectEqual(server.paths.withLock { $0.count { $0.hasSuffix("/api/auth/ways") } }, 1)
        }
    }

    private func record(_ auth: AuthModel) {
        Issue.record("another screen: \(auth.path) \(auth.screen?.model.controls.map(\.id) ?? [])")
    }
}
