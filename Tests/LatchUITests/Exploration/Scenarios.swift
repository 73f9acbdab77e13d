// SPDX-License-Identifier: Apache-2.0

import Foundation
import LatchAccounts
import LatchAuth
import LatchUI

/// The result of the exploration of one screen, without its type.
struct Exploration: Sendable, CustomTestStringConvertible {
    let name: String
    let explore: @Sendable () -> (markdown: String, violations: [String], phrases: Set<Phrase>, states: Int)

    init<S: Screen>(_ scenario: ScreenScenario<S>) {
        name = scenario.name
        explore = {
            let explorer = ScreenExplorer(scenario)
            return (explorer.markdown, explorer.violations, explorer.phrases, explorer.states.count)
        }
    }

    var testDescription: String { name }

    /// All screens, in the order of the documentation.
    static let all: [Exploration] = [
        Exploration(.signIn)
    ]
}

extension ScreenScenario where S == SignInScreen {
    static let signIn = ScreenScenario(
        name: "Sign-in",
        screen: {
            var options = SignInScreen.Options()
            options.providers = [.apple]
            return SignInScreen(options: options)
        }(),
        step: { screen in
            switch screen.step {
            case .credentials: "credentials"
            case .credentialsWithCode: "credentials with code"
            case .secondFactor: "second factor"
            }
        },
        responses: { request in
            switch request {
            case .signIn: [.signedIn, .challenged(.scenario)]
            case .verify, .provider: [.signedIn]
            }
        })
}

extension SignInChallenge {
    static let scenario = SignInChallenge(
        token: ScreenScenario<SignInScreen>.secret, expiryDate: Date(timeIntervalSince1970: 300))
}
