// SPDX-License-Identifier: Apache-2.0

package import PortableFoundation

/// One widget, project or file of the sample resource: a name, and whose it is.
package struct SampleItem: Sendable, Hashable {
    /// What there is of it; the text is the path and the resource of its scopes.
    package enum Kind: String, Sendable, CaseIterable {
        case widgets, projects, files
    }

    package let id: String
    package let accountID: String
    package let kind: Kind
    /// As its owner called it.
    package let name: String
    package let createdAt: Date
}
