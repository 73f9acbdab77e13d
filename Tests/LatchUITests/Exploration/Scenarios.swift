// SPDX-License-Identifier: Apache-2.0

import Foundation
import LatchTexts
import Synchronization
import Testing

@testable import LatchUI

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

    /// The screens of the list, and then the others, in the order of the documentation.
    static let all: [Exploration] =
        AuthRoute.Kind.allCases.flatMap { $0.explored?.explorations ?? [] } + [
            Exploration(.stepUp), Exploration(.fullStepUp), Exploration(.emptyStepUp), Exploration(.scopeSelection),
            Exploration(.consent), Exploration(.userList), Exploration(.user), Exploration(.userMenu),
            Exploration(.unlock), Exploration(.form),
        ]
}

extension FlowScreen {
    static var explorations: [Exploration] { scenarios.map { Exploration($0) } }
}
