// SPDX-License-Identifier: Apache-2.0

package import PortableFoundation

/// A widget, project or file of the sample resource.
package struct SampleItem: Sendable, Hashable {
    /// The kind of an item; its raw value is the path and the resource of its scopes.
    package enum Kind: String, Sendable, CaseIterable {
        case widgets, projects, files
    }

    package let id: String
    package let accountID: String
    package let kind: Kind
    /// The name, chosen by the owner.
    package let name: String
    package let createdAt: Date
}
