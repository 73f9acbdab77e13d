// SPDX-License-Identifier: Apache-2.0

/// A length of time that a flag gives in whole seconds.
package enum Seconds {
    /// More than anybody means, and little enough to be added to a date.
    private static let most = 3_155_760_000

    /// The length; nil where the flag was not given.
    ///
    /// - Throws: `CommandError.usage`.
    package static func read(_ invocation: Invocation, _ option: Option) throws(CommandError) -> Duration? {
        guard let text = invocation[option] else { return nil }
        guard let seconds = Int(text), (0...most).contains(seconds) else {
            throw .usage(
                "'--\(option.name)' needs a number of seconds.", hint: "Write '\(option.spelling)', such as 60.")
        }
        return .seconds(seconds)
    }
}
