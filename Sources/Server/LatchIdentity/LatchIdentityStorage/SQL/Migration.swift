// SPDX-License-Identifier: Apache-2.0

/// A step from one version of a schema to the next.
package struct Migration: Sendable {
    /// The version that the schema then has, which is the number in the name of the file.
    package let number: Int
    /// The name in the name of the file, without the database and the number.
    package let name: String
    package let statements: [String]
    /// Whether the step removes the table of the sample resource, which it may do only if the table has no rows.
    var endsSamples = false

    package init(number: Int, name: String, statements: [String], endsSamples: Bool = false) {
        self.number = number
        self.name = name
        self.statements = statements
        self.endsSamples = endsSamples
    }
}
