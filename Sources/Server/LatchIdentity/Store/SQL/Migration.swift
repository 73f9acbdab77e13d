// SPDX-License-Identifier: Apache-2.0

/// A step from one version of a schema to the next.
struct Migration: Sendable {
    /// The version that the schema then has, which is the number in the name of the file.
    let number: Int
    /// The name in the name of the file, without the database and the number.
    let name: String
    let statements: [String]
    /// Whether the step removes the table of the sample resource, which it may do only if the table has no rows.
    var endsSamples = false
}
