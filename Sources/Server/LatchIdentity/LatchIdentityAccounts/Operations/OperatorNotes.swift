// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// What the program that runs a server tells its administrators: the settings, and the warnings of its start.
package final class OperatorNotes: Sendable {
    /// A setting as the program would print it.
    package struct Setting: Sendable {
        package let key: String
        /// The value, without secrets.
        package let value: String
        /// The place where the value is from.
        package let source: String
        /// Whether it is the default.
        package let isStandard: Bool

        package init(key: String, value: String, source: String, isStandard: Bool) {
            (self.key, self.value, self.source, self.isStandard) = (key, value, source, isStandard)
        }
    }

    /// A warning, with a hint on what to do.
    package struct Warning: Sendable {
        package let message: String
        package let hint: String

        package init(message: String, hint: String) { (self.message, self.hint) = (message, hint) }
    }

    private let notes = Mutex<(settings: [Setting], warnings: [Warning])>(([], []))

    package init() {}

    /// Replaces all notes.
    package func replace(settings: [Setting], warnings: [Warning]) {
        notes.withLock { $0 = (settings, warnings) }
    }

    package var settings: [Setting] { notes.withLock(\.settings) }
    package var warnings: [Warning] { notes.withLock(\.warnings) }
}
