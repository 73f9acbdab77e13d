// SPDX-License-Identifier: Apache-2.0

import Expectations
import Foundation
import LatchAccounts
import LatchAuth
import LatchIdentity
import LatchIdentityTesting
import LatchTesting
import LatchUI
import SampleResource
import Testing

@testable import LaziOAuth

@MainActor
@Suite struct SecondFactorTests {
    private static let (email, password) = ("ada@example.com", "a long enough password")

    private let server: IdentityServer
    private let app: AuthenticatorApp
    private let service: OAuthService

    /// Another client of the server sets the factor up.
    init() async throws {
        server = try await IdentityServer.inMemory { $0.scopes = SampleResource.scopes }
        let phone = server.client()
        try await phone.signUp(email: Self.email, password: Self.password)
        try await phone.signIn(email: Self.email, password: Self.password)
        let setup = try await phone.beginSecondFactor()
        app = try #require(AuthenticatorApp(secret: setup.secret))
        try await phone.confirmSecondFactor(code: app.code(at: server.clock.now))
        // Each code is accepted once.
        server.clock.advance(by: .seconds(30))
        service = OAuthService(
            baseURL: server.url, store: InMemoryTokenStore(), transport: server, clock: server.clock.wallClock())
    }

    private var filled: AuthViewModel {
        let model = AuthViewModel(service: service)
        model.username = Self.email
        model.password = Self.password
        return model
    }

    @Test func `The login of a user with a second factor asks another user for no code`() async throws {
        try await server.client().signUp(email: "bob@example.com", password: Self.password)
        let model = filled
        await model.submit()
        #expect(model.isCodeRequired)
        model.username = "bob@example.com"
        #expect(!model.isCodeRequired && model.isFormValid)
        await model.submit()
        #expect(service.isAuthenticated)
    }

    @Test func `The login of a user with a second factor asks for the code, and signs in with it`() async throws {
        let model = filled
        #expect(!model.isCodeRequired && model.fields == [.username, .password])
        await model.submit()
        #expect(model.isCodeRequired)
        expectEqual(model.fields, [.username, .password, .code])
        expectEqual(model.kind(of: .code), .oneTimeCode)
        expectEqual(model.returnKey(in: .password), .focus(.code))
        expectEqual(model.password, Self.password)
        expectEqual(model.errorMessage, "This also needs a code from your authenticator app. Enter it, then try again.")
        #expect(!model.isFormValid)
        model.code = " \(app.code(at: server.clock.now)) "
        await model.submit()
        #expect(service.isAuthenticated)
        #expect(!model.isCodeRequired)
        #expect(!model.showError)
        #expect(model.password.isEmpty && model.code.isEmpty)
    }

    @Test func `The login of a user with a second factor reports a wrong code, and takes another one`() async throws {
        let model = filled
        await model.submit()
        model.code = app.code(at: server.clock.now.addingTimeInterval(-3600))
        await model.submit()
        expectEqual(model.errorMessage?.hasPrefix("This code is wrong"), true)
        #expect(model.code.isEmpty)
        model.code = app.code(at: server.clock.now)
        await model.submit()
        #expect(service.isAuthenticated)
    }

    @Test
    func `The login of a user with a second factor forgets the password if it fails for another reason`() async throws {
        let model = filled
        await model.submit()
        model.code = app.code(at: server.clock.now)
        server.faults.inject(.offline, into: 1)
        await model.submit()
        #expect(model.password.isEmpty && model.code.isEmpty)
        #expect(model.isCodeRequired)
        model.toggleMode()
        #expect(!model.isCodeRequired)
    }

    @Test func `The login of a user with a second factor throws a value for a program's own screen`() async throws {
        await #expect(throws: AccountError.secondFactorRequired) {
            try await service.login(username: Self.email, password: Self.password)
        }
        await #expect(throws: AccountError.wrongCode) {
            try await service.login(username: Self.email, password: Self.password, code: "000000")
        }
        let response = try await service.login(
            username: Self.email, password: Self.password, code: app.code(at: server.clock.now))
        expectEqual(response.token_type, "Bearer")
    }
}
