// SPDX-License-Identifier: Apache-2.0

package import PortableFoundation

/// A person's account as the store keeps it; it prints as its id alone.
package struct Account: Sendable, Hashable {
    /// Whether the account may be used; only `active` may, and the others say why not.
    package enum Status: String, Sendable, CaseIterable {
        case active, disabled, suspended, banned
        /// Kept for the case of an error, and shown to nobody; its address stays taken.
        case deleted
    }

    /// A UUID of version 7 (RFC 9562 §5.7), the `sub` of its tokens; an address may change, this never does.
    package let id: String
    package var email: EmailAddress
    /// A second name to log in with; it holds no `@`, so that nobody can take another's address for one.
    package var username: Username?
    /// As the person wrote it; at most 200 bytes, without control characters.
    package var name: String?
    /// The password's hash in PHC form; nil where the account has no password.
    package var passwordHash: String?
    /// Moves with every new password and never back, so that a login can tell that it was overtaken by a reset.
    package var passwordChangedAt: Date
    /// When somebody showed that they read mails to the address; nil until then.
    package var emailVerifiedAt: Date?
    /// Words, as scopes are (RFC 6749 §3.3); what they mean is for the services that read the tokens.
    package var roles: [String] = []
    /// Words as well; finer than roles, and just as meaningless to this server.
    package var permissions: [String] = []
    package var status = Status.active
    /// Never moves; the beginning of `id` says the same.
    package let createdAt: Date
}

extension Account {
    /// An account without a password, whose address nobody has verified.
    package init(id: String, email: EmailAddress, createdAt: Date) {
        self.init(id: id, email: email, passwordChangedAt: createdAt, createdAt: createdAt)
    }
}

extension Account: CustomStringConvertible, CustomReflectable {
    package var description: String { "Account(\(id))" }
    package var customMirror: Mirror { Mirror(self, children: ["id": id]) }
}
