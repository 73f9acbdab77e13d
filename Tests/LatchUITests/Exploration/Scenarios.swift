// SPDX-License-Identifier: Apache-2.0

import Foundation
import LatchTexts
import LatchUI
import Synchronization
import Testing

/// The exploration of one screen, without its type; made once for all tests.
final class Exploration: Sendable, CustomTestStringConvertible {
    struct Result: Sendable {
        let markdown: String
        let violations: [String]
        let phrases: Set<Phrase>
        let states: Int
    }

    let name: String
    private let make: @Sendable () -> Result
    private let made = Mutex<Result?>(nil)

    init<S: Screen>(_ scenario: ScreenScenario<S>) {
        name = scenario.name
        make = {
            let explorer = ScreenExplorer(scenario)
            return Result(
                markdown: explorer.markdown, violations: explorer.violations, phrases: explorer.phrases,
                states: explorer.states.count)
        }
    }

    func explore() -> Result {
        made.withLock { made in
            let result = made ?? make()
            made = result
            return result
        }
    }

    var testDescription: String { name }

    /// All screens, in the order of the documentation.
    static let all: [Exploration] = [
        Exploration(.signIn), Exploration(.dismissibleSignIn), Exploration(.passkeySignIn),
        Exploration(.unverifiedSignIn),
        Exploration(.registration),
        Exploration(.fullRegistration),
        Exploration(.verification),
        Exploration(.passwordReset), Exploration(.changePassword), Exploration(.secondFactor), Exploration(.stepUp),
        Exploration(.fullStepUp), Exploration(.emptyStepUp),
        Exploration(.profile), Exploration(.editProfile), Exploration(.devices), Exploration(.accountSwitcher),
        Exploration(.scopeSelection), Exploration(.consent), Exploration(.userList), Exploration(.user),
        Exploration(.userMenu), Exploration(.passkey), Exploration(.passkeys), Exploration(.unlock), Exploration(.form),
    ]
}
