// SPDX-License-Identifier: Apache-2.0

import LatchCore
import LatchRegex
import Synchronization

/// A regular expression of a rule in RE2's syntax, with bounded cost for any text.
///
/// The generator has validated the pattern; an invalid pattern matches no text.
public struct TextPattern: Sendable {
    private let pattern: Pattern?

    /// The cache of parsed patterns.
    private static let known = Mutex<[String: Pattern]>([:])

    /// Creates a pattern.
    public init(_ text: String) {
        pattern = Self.known.withLock { known in
            if let pattern = known[text] { return pattern }
            do throws(PatternError) {
                let pattern = try Pattern(text)
                // Generated code has few patterns; the limit protects against other callers.
                if known.count < 1_000 { known[text] = pattern }
                return pattern
            } catch {
                return nil
            }
        }
    }

    /// Whether the pattern matches anywhere in a text.
    public func matches(_ text: String) -> Bool { pattern?.matches(text) ?? false }
}
