// SPDX-License-Identifier: Apache-2.0

import Foundation
import LatchTexts
import LatchUI
import Testing

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
        Exploration(.signIn), Exploration(.dismissibleSignIn), Exploration(.registration), Exploration(.verification),
        Exploration(.passwordReset), Exploration(.changePassword), Exploration(.secondFactor), Exploration(.stepUp),
        Exploration(.profile), Exploration(.editProfile), Exploration(.devices), Exploration(.accountSwitcher),
        Exploration(.scopeSelection), Exploration(.consent), Exploration(.userList),
        Exploration(.userMenu), Exploration(.passkey), Exploration(.unlock),
    ]
}

