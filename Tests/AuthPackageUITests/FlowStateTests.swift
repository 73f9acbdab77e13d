// SPDX-License-Identifier: Apache-2.0

import AuthPackage
import Expectations
import Foundation
import LatchAccounts
import LatchAuth
import LatchHTTP
import LatchIdentityTesting
import LatchTesting
import LatchTexts
import LatchUI
import Synchronization
import TestTags
import Testing

@testable import AuthPackageUI

/// The facade's; the core's has the same name.
private typealias AuthClient = AuthPackage.AuthClient

/// A store of tokens that can be locked, for all operations or for those that change it.
private final class LockableStore: AuthPackage.TokenStore {
    enum Lock { case open, readOnly, closed }

    private let stored = Mutex<(tokens: Tokens?, lock: Lock)>((nil, .open))

    func set(_ lock: Lock) { stored.withLock { $0.lock = lock } }

    private func use<Value>(upTo lock: Lock, _ body: (inout Tokens?) -> Value) throws -> Value {
        try stored.withLock { stored in
            if stored.lock == .closed || stored.lock == .readOnly && lock == .open { throw AuthError.storeLocked }
            return body(&stored.tokens)
        }
    }

    func save(_ tokens: Tokens) throws { try use(upTo: .open) { $0 = tokens } }
    func load() throws -> Tokens? { try use(upTo: .readOnly) { $0 } }
    func clear() throws { try use(upTo: .open) { $0 = nil } }
}

/// The screens against a real server, in process.
@MainActor @Suite struct FlowStateTests {
    private let server: IdentityServer
    private let store = LockableStore()
    private let config: AuthUIConfig
    private let clock = ManualClock()
    private let email = "ada@example.com"
    private let password = "a long enough password"

    init() async throws {
        server = try await IdentityServer.inMemory()
        config = AuthUIConfig(
            baseURL: server.url, appScheme: "authdemo", postLoginDeeplink: URL(string: "authdemo://home"))
        try await server.client().signUp(email: email, password: password)
    }

    private func client() -> AuthClient {
        AuthClient(config: config.clientConfiguration, tokenStore: store, transport: server)
    }

    private func flow(_ client: AuthClient) -> AuthViewModel {
        AuthViewModel(config: config, client: client, clock: clock.wallClock())
    }

    /// The flow of a user who has signed in.
    private func signedIn() async throws -> (AuthViewModel, AuthClient) {
        let client = client()
        let model = flow(client)
        await until { model.route == .login }
        try #require(await model.login(email: email, password: password))
        await until { model.route == .postLogin }
        return (model, client)
    }

    private func link(_ token: String) throws -> URL {
        try #require(URL(string: "authdemo://reset-password?token=\(token)"))
    }

    @Test(.tags(.screenLogic)) func `The flow of a session restores a stored account at the launch`() async throws {
        _ = try await client().login(email: email, password: password)
        let model = flow(client())
        await until { model.route != .restoring }
        expectEqual(model.route, .postLogin)
        expectEqual(model.claims?.sub?.isEmpty, false)
        expectEqual(model.displayName.isEmpty, false)
        // Nobody has signed in now.
        expectNil(model.takePostLoginURL())
    }

    @Test(.tags(.screenLogic)) func `The flow of a session shows the sign-in if no account is stored`() async throws {
        let model = flow(client())
        await until { model.route != .restoring }
        expectEqual(model.route, .login)
        expectNil(model.notice)
    }

    @Test(.tags(.screenLogic))
    func `The flow of a session does not take an unreadable store for a sign-out, and reads it again`() async throws {
        _ = try await client().login(email: email, password: password)
        store.set(.closed)
        let model = flow(client())
        await until { model.route != .restoring }
        expectEqual(model.route, .unavailable)
        store.set(.open)
        await model.restore()
        expectEqual(model.route, .postLogin)
    }

    @Test(.tags(.screenLogic)) func `The flow of a session opens the app's URL after a sign-in, once`() async throws {
        let (model, _) = try await signedIn()
        expectEqual(model.postLoginURL, URL(string: "authdemo://home"))
        expectEqual(model.takePostLoginURL(), URL(string: "authdemo://home"))
        expectNil(model.takePostLoginURL())
    }

    @Test(.tags(.screenLogic)) func `The flow of a session also signs in by the screen`() async throws {
        let model = flow(client())
        await until { model.route == .login }
        model.signIn.edit(.email, email)
        model.signIn.edit(.password, password)
        model.signIn.press(.submit)
        await until { model.route == .postLogin }
        #expect(model.takePostLoginURL() != nil)
        expectEqual(model.displayName.isEmpty, false)
    }

    @Test(.tags(.screenLogic))
    func `The flow of a session asks for the code of a user who set up a second factor elsewhere`()
        async throws
    {
        let elsewhere = server.client()
        try await elsewhere.signIn(email: email, password: password)
        let setup = try await elsewhere.beginSecondFactor()
        let app = try #require(AuthenticatorApp(secret: setup.secret))
        try await elsewhere.confirmSecondFactor(code: app.code(at: server.clock.now))
        server.clock.advance(by: 30)
        let model = flow(client())
        await until { model.route == .login }
        model.signIn.edit(.email, email)
        model.signIn.edit(.password, password)
        model.signIn.press(.submit)
        await until { !model.signIn.isBusy }
        expectNil(model.signIn.machine.failure)
        try #require(model.signIn.control(.code) != nil, "\(model.signIn.controls.map(\.id))")
        expectEqual(model.route, .login)
        expectEqual(model.signIn.control(.email)?.text.value, email)
        model.signIn.edit(.password, password)
        model.signIn.edit(.code, "000000")
        model.signIn.press(.submit)
        await until { !model.signIn.isBusy }
        try #require(model.signIn.control(.code)?.problem != nil, "\(String(describing: model.signIn.machine.failure))")
        model.signIn.edit(.password, password)
        model.signIn.edit(.code, app.code(at: server.clock.now))
        model.signIn.press(.submit)
        await until { model.route == .postLogin }
        expectEqual(model.displayName.isEmpty, false)
    }

    @Test(.tags(.screenLogic))
    func `The flow of a session says that an account is suspended, only after the right password`() async throws {
        try await server.suspend(email)
        let model = flow(client())
        await until { model.route == .login }
        model.signIn.edit(.email, email)
        for (typed, reason) in [("not the password", ScreenFailure.Reason.wrongCredentials), (password, .suspended)] {
            model.signIn.edit(.password, typed)
            model.signIn.press(.submit)
            await until { !model.signIn.isBusy }
            expectEqual(model.signIn.failure?.reason, reason)
        }
        expectEqual(model.route, .login)
    }

    @Test(.tags(.screenLogic)) func `The flow of a session shows what the server refuses at its field`() async throws {
        let model = flow(client())
        await until { model.route == .login }
        model.show(.registration)
        model.registration.edit(.name, String(repeating: "x", count: 300))
        model.registration.edit(.email, "bob@example.com")
        model.registration.edit(.newPassword, password)
        model.registration.press(.submit)
        await until { !model.registration.isBusy }
        #expect(model.registration.control(.name)?.problem != nil && model.registration.failure == nil)
    }

    @Test(.tags(.screenLogic))
    func `The flow of a session returns to the sign-in when the server ends the session, and says so`() async throws {
        let (model, client) = try await signedIn()
        let tokens = try #require(client.tokens)
        let other = server.client()
        try await other.requestPasswordReset(email: email)
        try await other.resetPassword(
            token: try await server.link(to: email).token, newPassword: "another long password")
        await #expect(throws: (any Error).self) { try await client.session.refreshed(replacing: tokens) }
        await until { model.route != .postLogin }
        expectEqual(model.route, .login)
        expectEqual(model.notice?.phrase, ScreenFailure(.signedOut).phrase)
        expectEqual(model.notice?.style, .warning)
        expectNil(model.claims)
        expectEqual(model.signIn.control(.email)?.text.value, "")
    }

    @Test(.tags(.screenLogic))
    func `The flow of a session keeps a user signed in if the device cannot sign out`() async throws {
        let (model, client) = try await signedIn()
        store.set(.readOnly)
        await model.logout()
        expectEqual(model.route, .postLogin)
        expectEqual(model.notice?.isFailure, true)
        store.set(.open)
        await model.logout()
        expectEqual(model.route, .login)
        expectNil(model.notice)
        expectNil(client.tokens)
    }

    @Test(.tags(.screenLogic))
    func `The flow of a session opens a link that starts the app, and goes on with the stored account`() async throws {
        _ = try await client().login(email: email, password: password)
        let model = flow(client())
        #expect(model.handle(url: try link("abc")))
        expectEqual(model.route, .passwordReset)
        await until { model.claims != nil }
        expectEqual(model.route, .passwordReset)
        model.passwordReset.press(.cancel)
        expectEqual(model.route, .postLogin)
    }

    @Test(.tags(.screenLogic))
    func `The flow of a session opens the same link once, with the text typed since`() async throws {
        let (model, _) = try await signedIn()
        model.handle(url: try link("abc"))
        model.passwordReset.edit(.newPassword, "half a pass")
        #expect(model.handle(url: try link("abc")))
        expectEqual(model.passwordReset.control(.newPassword)?.text.value, "half a pass")
        model.handle(url: try link("def"))
        expectEqual(model.passwordReset.control(.newPassword)?.text.value, "")
        model.show(.login)
        expectEqual(model.route, .postLogin)
    }

    @Test(.tags(.screenLogic))
    func `The flow of a session resets a password twice, and hands the address on`() async throws {
        let model = flow(client())
        await until { model.route == .login }
        for password in ["another long password", "a third long password"] {
            // The server limits the mails to an address.
            server.clock.advance(by: .seconds(3600))
            model.signIn.edit(.email, email)
            model.signIn.press(.forgotPassword)
            expectEqual(model.route, .passwordReset)
            expectEqual(model.passwordReset.control(.email)?.text.value, email)
            model.passwordReset.press(.submit)
            await model.passwordReset.settled()
            model.handle(url: try link(try await server.link(to: email).token))
            model.passwordReset.edit(.newPassword, password)
            model.passwordReset.press(.submit)
            await model.passwordReset.settled()
            model.passwordReset.press(.done)
            expectEqual(model.route, .login)
            expectEqual(model.signIn.control(.email)?.text.value, email)
        }
        #expect(await model.login(email: email, password: "a third long password"))
    }

    @Test(.tags(.screenLogic))
    func `The flow of a session hands the typed address to the registration and back`() async throws {
        let model = flow(client())
        await until { model.route == .login }
        model.signIn.edit(.email, "new@example.com")
        model.signIn.press(.register)
        expectEqual(model.registration.control(.email)?.text.value, "new@example.com")
        model.registration.edit(.email, "newer@example.com")
        model.registration.press(.cancel)
        expectEqual(model.route, .login)
        expectEqual(model.signIn.control(.email)?.text.value, "newer@example.com")
    }
}

@MainActor @Suite struct StatefulClientFlowTests {
    /// A client whose store takes as long as a test wants.
    private final class SlowClient: AuthClientProtocol {
        let current = Mutex(SessionState<Tokens>.unknown)
        let (changes, report) = AsyncStream.makeStream(of: SessionState<Tokens>.self)

        func set(_ state: SessionState<Tokens>) {
            current.withLock { $0 = state }
            report.yield(state)
        }

        func login(email: String, password: String) async throws -> JWTClaims? { nil }
        func refreshIfNeeded() async throws -> String? { nil }
        func logout() async throws {}
        func register(email: String, password: String, name: String?, roles: [String]?) async throws -> User {
            User(id: "1", email: email)
        }
        func requestPasswordReset(email: String) async throws -> String? { nil }
        func resetPassword(token: String, newPassword: String) async throws -> String? { nil }
        @MainActor func loginWithMicrosoft(from anchor: PresentationAnchor) async throws -> JWTClaims? { nil }
        var currentUser: User? { nil }
        var tokens: Tokens? { nil }
        var state: SessionState<Tokens> { current.withLock(\.self) }
        var states: AsyncStream<SessionState<Tokens>> { changes }
    }

    @Test(.tags(.screenLogic))
    func `The flow of a client with states shows neither screen before the store has been read`() async throws {
        let client = SlowClient()
        let url = try #require(URL(string: "https://id.example.com"))
        let model = AuthViewModel(config: AuthUIConfig(baseURL: url, appScheme: "authdemo"), client: client)
        expectEqual(model.route, .restoring)
        await model.restore()
        expectEqual(model.route, .restoring)
        client.set(.signedIn(Tokens(accessToken: "a")))
        await until { model.route == .postLogin }
        client.set(.signedOut(.user))
        await until { model.route == .login }
        expectNil(model.notice)
    }
}

@MainActor @Suite struct FlowNoticeTests {
    private let clock = ManualClock()

    private func flow(_ client: ScriptedClient) throws -> AuthViewModel {
        AuthViewModel(
            config: AuthUIConfig(baseURL: try #require(URL(string: "https://id.example.com")), appScheme: "authdemo"),
            client: client, clock: clock.wallClock())
    }

    @Test(.tags(.screenLogic))
    func `A notice of the flow goes away after two and a half seconds if it reports a success`() async throws {
        let model = try flow(ScriptedClient())
        await model.confirmPasswordReset(token: "abc", newPassword: "hunter2-secret")
        expectEqual(model.notice?.style, .success)
        await expectEqual(clock.sleepers(atLeast: 1), [.milliseconds(2500)])
        clock.advance(by: .milliseconds(2500))
        await until { model.notice == nil }
    }

    @Test(.tags(.screenLogic))
    func `A notice of the flow stays if it reports a failure, also after a success before it`() async throws {
        let client = ScriptedClient()
        let model = try flow(client)
        await model.confirmPasswordReset(token: "abc", newPassword: "hunter2-secret")
        _ = await clock.sleepers(atLeast: 1)
        client.error.withLock { $0 = .unauthorized }
        await model.login(email: "ada@example.com", password: "wrong")
        clock.advance(by: .seconds(3600))
        await Task.yield()
        expectEqual(model.notice?.phrase, ScreenFailure(.wrongCredentials).phrase)
        #expect(clock.sleepers.isEmpty)
        model.dismissNotice()
        expectNil(model.notice)
    }

    @Test(.tags(.screenLogic)) func `A notice of the flow stays if it asks for something`() async throws {
        let model = try flow(ScriptedClient())
        await model.register(email: "ada@example.com", password: "hunter2-secret")
        expectEqual(model.notice?.phrase, Phrase("registration.created", .text("ada@example.com")))
        #expect(clock.sleepers.isEmpty)
    }

    @Test(.tags(.errorMapping, .screenLogic), arguments: [Duration.seconds(7), nil])
    func `A notice of the flow locks the sign-in for the time that the backend requested`(pause: Duration?) async throws
    {
        let client = ScriptedClient(pause: pause)
        client.error.withLock { $0 = .server(status: 429, message: nil) }
        let model = try flow(client)
        model.signIn.edit(.email, "ada@example.com")
        model.signIn.edit(.password, "secret")
        model.signIn.press(.submit)
        await model.signIn.settled()
        let failure = try #require(model.signIn.machine.failure)
        expectEqual(failure.reason, .locked)
        expectEqual(failure.retryDate, clock.now.addingTimeInterval(pause == nil ? 60 : 7))
        expectEqual(failure.phrase, Phrase("failure.locked.seconds", .count(pause == nil ? 60 : 7)))
    }

    @Test(.tags(.errorMapping)) func `A notice of the flow has the time of the response`() async throws {
        let url = try #require(URL(string: "https://id.example.com"))
        let client = AuthClient(
            config: AuthConfiguration(baseURL: url),
            transport: ClosureHandler { _ in
                HTTPResponse(status: .tooManyRequests, fields: [.retryAfter: "7"])
            })
        expectNil(client.retryAfter)
        await #expect(throws: APIError.self) { try await client.login(email: "a@example.com", password: "b") }
        expectEqual(client.retryAfter, .seconds(7))
    }
}
