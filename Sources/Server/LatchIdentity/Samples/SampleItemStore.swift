// SPDX-License-Identifier: Apache-2.0

package import PortableFoundation

/// The storage of the sample resource.
package protocol SampleItemStore: Sendable {
    /// Returns the newest items of a kind, of one account or of all accounts.
    func items(
        of kind: SampleItem.Kind, ownedBy accountID: String?, limit: Int
    ) async throws(IdentityError) -> [SampleItem]

    /// Inserts the item unless its owner already has `limit` items of its kind; returns false in that case.
    func insert(_ item: SampleItem, limit: Int) async throws(IdentityError) -> Bool

    /// Removes an item; returns false if the account has no such item.
    func removeItem(
        _ id: String, of kind: SampleItem.Kind, ownedBy accountID: String
    ) async throws(IdentityError) -> Bool
}

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
