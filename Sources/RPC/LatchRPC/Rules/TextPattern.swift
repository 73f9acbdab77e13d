// SPDX-License-Identifier: Apache-2.0

import LatchCore
import LatchRegex
import Synchronization

/// A regular expression of a rule, in the syntax of RE2, whose cost is bounded whatever the text is.
///
/// The generator has read it before, so that a pattern which is none does not come here; it would match nothing.
public struct TextPattern: Sendable {
    private let pattern: Pattern?

    /// Patterns that were read, by their texts, so that a rule costs its reading once.
    private static let known = Mutex<[String: Pattern]>([:])

    /// A pattern by its text.
    public init(_ text: String) {
        pattern = Self.known.withLock { known in
            if let pattern = known[text] { return pattern }
            do throws(PatternError) {
                let pattern = try Pattern(text)
                // Those of generated code are few; somebody else's are not kept without end.
                if known.count < 1_000 { known[text] = pattern }
                return pattern
            } catch {
                return nil
            }
        }
    }

    /// Whether the pattern is found anywhere in a text.
    public func matches(_ text: String) -> Bool { pattern?.matches(text) ?? false }
}
