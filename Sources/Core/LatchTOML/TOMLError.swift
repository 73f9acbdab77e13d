// SPDX-License-Identifier: Apache-2.0

/// Why a text is not the TOML that was asked for, and where.
package struct TOMLError: Error, Sendable, Hashable {
    /// A place in the text; both numbers begin at 1.
    package struct Place: Sendable, Hashable {
        package let line: Int
        package let column: Int
    }

    package let place: Place
    /// What is wrong; it never quotes a value, which may be a secret.
    package let message: String
    /// How it would be right, with an example.
    package let hint: String
}
