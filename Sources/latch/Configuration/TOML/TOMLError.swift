// SPDX-License-Identifier: Apache-2.0

/// Why a text is not the TOML that was asked for, and where.
struct TOMLError: Error, Sendable, Hashable {
    /// A place in the text; both numbers begin at 1.
    struct Place: Sendable, Hashable {
        let line: Int
        let column: Int
    }

    let place: Place
    /// What is wrong; it never quotes a value, which may be a secret.
    let message: String
    /// How it would be right, with an example.
    let hint: String
}
