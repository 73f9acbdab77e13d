// SPDX-License-Identifier: Apache-2.0

import AuthPackage
import Expectations
import Foundation
import LatchAccounts
import LatchOAuth
import LatchUI
import Synchronization
import TestTags
import Testing

@testable import AuthPackageUI

@MainActor @Suite struct RouterTests {
    private let router = AuthUIRouter()
    private let client = ScriptedClient()
    private let config: AuthUIConfig

    init() throws {
        config = AuthUIConfig(baseURL: try #require(URL(string: "https://id.example.com")), appScheme: "authdemo")
    }

    private func url(_ text: String) throws -> URL { try #require(URL(string: text)) }

    @Test(.tags(.screenLogic)) func `The router of the program opens links on the screens`() throws {
        let model = router.configure(config: config, client: client)
        #expect(router.handle(url: try url("authdemo://reset-password?token=abc")))
        expectEqual(model.route, .passwordReset)
        #expect(!router.handle(url: try url("authdemo://home")))
    }

    @Test(.tags(.screenLogic))
    func `The router of the program keeps the link that started the app until there are screens`() throws {
        #expect(!router.handle(url: try url("authdemo://home")))
        #expect(router.handle(url: try url("authdemo://reset-password?token=abc")))
        let model = router.configure(config: config, client: client)
        expectEqual(model.route, .passwordReset)
        model.passwordReset.press(.cancel)
        expectEqual(router.configure(config: config, client: client).route, .login)
    }

    @Test(.tags(.screenLogic)) func `The router of the program drops a first link of another app`() throws {
        router.handle(url: try url("other://reset-password?token=abc"))
        expectEqual(router.configure(config: config, client: client).route, .login)
    }

    @Test(.tags(.screenLogic))
    func `The router of the program keeps the model of the same client and backend`() throws {
        let model = router.configure(config: config, client: client)
        model.show(.registration)
        #expect(router.configure(config: config, client: client) === model)
        expectEqual(router.viewModel?.route, .registration)
        #expect(router.configure(config: config, client: ScriptedClient()) !== model)
        var other = config
        other.baseURL = try url("https://other.example.com")
        #expect(router.configure(config: other, client: client) !== model)
    }

    @Test(.tags(.screenLogic)) func `The router of the program makes one client for all windows`() throws {
        var made = 0
        let make = { () -> any AuthClientProtocol in
            made += 1
            return ScriptedClient()
        }
        let first = router.client(for: config, make)
        let (one, two) = (AuthFlowOwner(), AuthFlowOwner())
        let model = one.model(of: first, config: config)
        #expect(one.model(of: router.client(for: config, make), config: config) === model)
        #expect(two.model(of: router.client(for: config, make), config: config) !== model)
        expectEqual(made, 1)
    }
}

@MainActor @Suite struct ProviderButtonTests {
    private func config(_ change: (inout AuthUIConfig) -> Void = { _ in }) throws -> AuthUIConfig {
        var config = AuthUIConfig(
            baseURL: try #require(URL(string: "https://id.example.com")), appScheme: "authdemo",
            microsoftEnabled: true, googleEnabled: true)
        change(&config)
        return config
    }

    @Test(.tags(.screenLogic)) func `The buttons of providers are those that the client offers, too`() throws {
        let all = try config()
        let own = AuthViewModel(config: all, client: AuthPackage.AuthClient(config: all.clientConfiguration))
        #expect(own.signIn.control(.provider(.microsoft)) != nil)
        #expect(own.signIn.control(.provider(.google)) != nil)
        expectNil(own.signIn.control(.provider(.facebook)))
        let client = AuthPackage.AuthClient(config: try config { $0.microsoftEnabled = false }.clientConfiguration)
        let other = AuthViewModel(config: all, client: client)
        expectNil(other.signIn.control(.provider(.microsoft)))
        #expect(other.signIn.control(.provider(.google)) != nil)
    }

    @Test(.tags(.screenLogic))
    func `The buttons of providers show pages above the window of the screens`() async throws {
        let client = ScriptedClient()
        let model = AuthViewModel(config: try config(), client: client)
        model.window = { AuthPackage.PresentationAnchor() }
        model.signIn.press(.provider(.microsoft))
        await model.signIn.settled()
        expectEqual(model.route, .postLogin)
        expectEqual(client.calls.withLock(\.self), ["microsoft"])
    }
}
