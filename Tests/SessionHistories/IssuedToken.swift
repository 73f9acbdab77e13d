// SPDX-License-Identifier: Apache-2.0

/// A refresh token as an observer of its family tells it from others.
package struct IssuedToken: Sendable, Hashable {
    /// The generation, 0 for the token of the sign-in.
    package let generation: Int
    /// The number of its text among the different texts of this generation, from 0 on; nil if no answer has shown it.
    package let text: Int?

    package init(generation: Int, text: Int? = 0) {
        self.generation = generation
        self.text = text
    }

    /// Returns whether both may be the same token.
    func matches(_ other: IssuedToken) -> Bool {
        generation == other.generation && (text == nil || other.text == nil || text == other.text)
    }
}

extension IssuedToken: CustomStringConvertible {
    /// `t2`, and `t2'` for another text of the same generation, of which a family must not have two.
    package var description: String { "t\(generation)" + String(repeating: "'", count: text ?? 0) }
}
