// SPDX-License-Identifier: Apache-2.0

import AuthPackage
import AuthPackageUI
import Expectations
import Foundation
import LatchTexts
import LatchUI
import Synchronization
import TestTags
import Testing

@MainActor @Suite struct AuthViewModelTests {
    private let client = ScriptedClient()
    private let model: AuthViewModel

    init() throws {
        let url = try #require(URL(string: "https://id.example.com"))
        model = AuthViewModel(
            config: AuthUIConfig(baseURL: url, appScheme: "authdemo", microsoftEnabled: true), client: client)
    }

    @Test(.tags(.screenLogic)) func `The flow of the screens signs in, shows the name, and signs out`() async {
        expectEqual(model.route, .login)
        #expect(await model.login(email: "ada@example.com", password: "secret"))
        expectEqual(model.route, .postLogin)
        expectEqual(model.displayName, "Ada")
        await model.logout()
        expectEqual(model.route, .login)
        expectEqual(client.calls.withLock(\.self), ["login ada@example.com", "logout"])
    }

    @Test(.tags(.errorMapping, .screenLogic))
    func `The flow of the screens distinguishes a wrong password from a missing connection`() async {
        client.error.withLock { $0 = .unauthorized }
        await expectEqual(model.login(email: "ada@example.com", password: "wrong"), false)
        expectEqual(model.notice?.phrase, ScreenFailure(.wrongCredentials).phrase)
        client.error.withLock { $0 = .network(URLError(.cannotConnectToHost)) }
        await expectEqual(model.login(email: "ada@example.com", password: "right"), false)
        expectEqual(model.notice?.phrase, ScreenFailure(.offline).phrase)
        client.error.withLock { $0 = .cancelled }
        await expectEqual(model.login(email: "ada@example.com", password: "right"), false)
        expectNil(model.notice)
        expectEqual(model.route, .login)
    }

    @Test(.tags(.screenLogic)) func `The flow of the screens signs in by the screen, with the same errors`() async {
        client.error.withLock { $0 = .server(status: 400, message: "Incorrect password.") }
        model.signIn.edit(.email, "ada@example.com")
        model.signIn.edit(.password, "wrong")
        model.signIn.press(.submit)
        await model.signIn.settled()
        expectEqual(model.signIn.machine.failure?.reason, .wrongCredentials)
        client.error.withLock { $0 = nil }
        model.signIn.edit(.password, "right")
        model.signIn.press(.submit)
        await model.signIn.settled()
        expectEqual(model.route, .postLogin)
    }

    @Test(.tags(.screenLogic))
    func `The flow of the screens registers without signing in, and goes on to the sign-in`() async {
        model.signIn.press(.register)
        expectEqual(model.route, .registration)
        model.registration.edit(.email, "new@example.com")
        model.registration.edit(.newPassword, "hunter2-secret")
        model.registration.press(.submit)
        await model.registration.settled()
        expectEqual(model.route, .login)
        expectEqual(model.signIn.control(.email)?.text.value, "new@example.com")
        expectEqual(model.notice?.phrase, Phrase("registration.created", .text("new@example.com")))
        expectEqual(model.notice?.style, .information)
        expectEqual(client.calls.withLock(\.self), ["register new@example.com"])
    }

    @Test(
        .tags(.screenLogic),
        arguments: [
            ("authdemo://reset-password?token=abc", true), ("AuthDemo://reset-password?x=1&token=abc", true),
            ("authdemo://reset-password", false), ("authdemo://reset-password?token=", false),
            ("other://reset-password?token=abc", false), ("authdemo://auth/callback?token=abc", false),
            ("https://reset-password?token=abc", false),
        ])
    func `The flow of the screens opens the new password by a link of a mail`(text: String, isOpened: Bool) async throws
    {
        let url = try #require(URL(string: text))
        expectEqual(model.handle(url: url), isOpened)
        expectEqual(model.route, isOpened ? .passwordReset : .login)
        guard isOpened else { return }
        model.passwordReset.edit(.newPassword, "hunter2-secret")
        model.passwordReset.press(.submit)
        await model.passwordReset.settled()
        expectEqual(client.calls.withLock(\.self), ["reset abc"])
    }

    @Test(.tags(.screenLogic))
    func `The flow of the screens waits for the reset email again after a restart`() async throws {
        #expect(model.pendingReset.isEmpty)
        model.signIn.press(.forgotPassword)
        model.passwordReset.edit(.email, "ada@example.com")
        model.passwordReset.press(.submit)
        await model.passwordReset.settled()
        let stored = model.exchangePendingReset(Data())
        #expect(!stored.isEmpty && stored == model.pendingReset)

        let config = AuthUIConfig(baseURL: try #require(URL(string: "https://example.com")), appScheme: "authdemo")
        let restarted = AuthViewModel(config: config, client: client)
        expectEqual(restarted.exchangePendingReset(stored), stored)
        expectEqual(restarted.route, .passwordReset)
        expectEqual(restarted.passwordReset.screen.step, .waiting(email: "ada@example.com"))
        restarted.passwordReset.press(.cancel)
        #expect(restarted.pendingReset.isEmpty)

        // A link that has opened the app goes first, and its token is never stored.
        let linked = AuthViewModel(config: config, client: client)
        #expect(linked.handle(url: try #require(URL(string: "authdemo://reset-password?token=abc"))))
        #expect(linked.exchangePendingReset(stored).isEmpty)
        let other = AuthViewModel(config: config, client: client)
        #expect(other.exchangePendingReset(Data("{}".utf8)).isEmpty && other.route != .passwordReset)
    }

    @Test(.tags(.screenLogic)) func `The flow of the screens says that no page can be shown without a window`() async {
        await expectEqual(model.loginWithMicrosoft(), false)
        expectEqual(model.notice?.phrase, ScreenFailure(.browserUnavailable).phrase)
        expectEqual(client.calls.withLock(\.self), [])
    }
}

@MainActor @Suite struct ProfileScreenTests {
    @Test(.tags(.screenLogic)) func `A profile on a screen keeps the draft over a problem and a failure`() async {
        let model = ProfileViewModel(
            store: InMemoryProfileStore(UserProfile(username: "ada", email: "ada@example.com")))
        expectEqual(model.state, .idle)
        await model.load()
        model.edit()
        guard case .editing(var draft) = model.state else {
            Issue.record("no draft")
            return
        }
        draft.username = "a"
        model.change(draft)
        await model.save()
        expectEqual(model.state, .error(Phrase("field.required", .phrase(Phrase("field.username"))), draft: draft))
        model.edit()
        expectEqual(model.state, .editing(draft: draft))
        draft.username = "lovelace"
        model.change(draft)
        await model.save()
        expectEqual(model.state, .loaded(draft))
        model.edit()
        model.cancel()
        expectEqual(model.state, .loaded(draft))
    }
}
