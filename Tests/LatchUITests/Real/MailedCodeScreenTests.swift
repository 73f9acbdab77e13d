// SPDX-License-Identifier: Apache-2.0

import Expectations
import Foundation
import LatchAccounts
import LatchAuth
import LatchTesting
import LatchTexts
import LatchUI
import Synchronization
import Testing

@testable import LatchIdentity

/// A person who signs in with a code by email, over the models and the real server.
@MainActor @Suite struct MailedCodeScreenTests {
    private let email = RealServer.email
    private let password = RealServer.password

    private func model(_ client: AuthClient) -> SignInModel {
        var options = SignInScreen.Options()
        options.offersCode = true
        return SignInModel(client, screen: SignInScreen(options: options))
    }

    /// Creates an account by a mailed code, and returns its client.
    private func signUp(_ server: RealServer) async throws -> AuthClient {
        let client = try server.client()
        let challenge = try await client.beginCodeSignUp(email: email)
        try await client.completeCodeSignUp(challenge, code: await server.mailedCode(), password: password)
        return client
    }

    @Test func `A mailed code signs in on the screen, after a wrong one and another email`() async throws {
        try await RealServer.run(change: { $0.signInCodes = true }) { server in
            _ = try await signUp(server)
            let client = try server.client()
            let model = model(client)
            model.send(.appear)
            model.edit(.email, email)
            model.press(.mailedCode)
            expectEqual(model.control(.email)?.text.value, email)
            model.press(.submit)
            await model.settled()
            model.edit(.code, "123 45")
            model.press(.submit)
            #expect(model.control(.code)?.problem != nil)
            let code = await server.mailedCode()
            model.edit(.code, code.hasPrefix("1") ? "234567" : "123456")
            model.press(.submit)
            await model.settled()
            expectEqual(model.control(.code)?.problem, Phrase.wrongMailedCode)
            model.press(.resend)
            await model.settled()
            model.edit(.code, code)
            model.press(.submit)
            await model.settled()
            #expect(model.machine.outcome == .signedIn && model.screen.way == .code)
            #expect(client.session.currentState.isSignedIn)
        }
    }

    @Test func `A response that was lost after a mailed code costs the user no other code`() async throws {
        try await RealServer.run(change: { $0.signInCodes = true }) { server in
            _ = try await signUp(server)
            let client = try server.client()
            let model = model(client)
            await model.use(press: .mailedCode)
            await model.use([.email: email], press: .submit)
            let code = await server.mailedCode()
            server.lose("/code/login")
            await model.use([.code: code], press: .submit)
            #expect(model.failure?.reason == .offline && !client.session.currentState.isSignedIn)
            await model.use([.code: code], press: .submit)
            #expect(model.machine.outcome == .signedIn && client.session.currentState.isSignedIn)
        }
    }

    @Test func `A mailed code of an account with a second factor is followed by its code`() async throws {
        try await RealServer.run(change: { $0.signInCodes = true }) { server in
            let owner = try await signUp(server)
            let setup = try await owner.beginSecondFactor()
            try await owner.confirmSecondFactor(code: server.code(of: setup.secret))
            server.clock.advance(by: 60)
            let client = try server.client()
            let model = model(client)
            await model.use(press: .mailedCode)
            await model.use([.email: email], press: .submit)
            await model.use([.code: await server.mailedCode()], press: .submit)
            guard case .mailedCodeWithFactor = model.screen.step else {
                Issue.record("\(model.screen.step)")
                return
            }
            await model.use([.code: "000000"], press: .submit)
            #expect(model.control(.code)?.problem != nil)
            await model.use([.code: server.code(of: setup.secret)], press: .submit)
            #expect(model.machine.outcome == .signedIn && client.session.currentState.isSignedIn)
        }
    }

    @Test func `A server without passwords shows no field for one, and signs in with a code`() async throws {
        try await RealServer.run(change: { $0.signInWays = [.code] }) { server in
            let owner = try server.client()
            let challenge = try await owner.beginCodeSignUp(email: email)
            try await owner.completeCodeSignUp(challenge, code: await server.mailedCode())
            let client = try server.client()
            var options = SignInScreen.Options()
            options.loadsWays = true
            options.providers = [.apple]
            let model = SignInModel(client, screen: SignInScreen(options: options), signInThrough: { _ in })
            #expect(model.control(.password) == nil && model.control(.email) == nil)
            await model.use()
            #expect(model.control(.password) == nil && model.control(.forgotPassword) == nil)
            #expect(model.control(.provider(.apple)) == nil && model.focus == .email)
            await model.use([.email: email], press: .submit)
            await model.use([.code: await server.mailedCode()], press: .submit)
            #expect(model.machine.outcome == .signedIn && client.session.currentState.isSignedIn)
            expectEqual(server.paths.withLock { $0.count { $0.hasSuffix("/api/auth/ways") } }, 1)
        }
    }

    @Test func `A sign-in without an answer of the server shows what the app has configured`() async throws {
        try await RealServer.run { server in
            server.isOffline.withLock { $0 = true }
            var options = SignInScreen.Options()
            options.loadsWays = true
            let model = SignInModel(try server.client(), screen: SignInScreen(options: options))
            await model.use()
            #expect(model.control(.password) != nil && model.failure == nil)
        }
    }

    @Test func `A code that has ended leads back to the address, and another address to another code`() async throws {
        try await RealServer.run(change: { $0.signInCodes = true }) { server in
            _ = try await signUp(server)
            let model = model(try server.client())
            await model.use(press: .mailedCode)
            await model.use([.email: email], press: .submit)
            let code = await server.mailedCode()
            server.clock.advance(by: 601)
            await model.use([.code: code], press: .submit)
            #expect(model.screen.step == .codeAddress && model.failure?.reason == .expired)
            expectEqual(model.control(.email)?.text.value, email)
            model.press(.submit)
            await model.settled()
            model.press(.otherAddress)
            expectEqual(model.screen.step, .codeAddress)
            model.press(.back)
            expectEqual(model.screen.step, .credentials)
        }
    }
}
