// SPDX-License-Identifier: Apache-2.0

package import LatchCore
package import LatchFoundation

/// An administrative role, which includes the ones below it.
///
/// It is derived from the account's role words, which are also in the tokens: `moderator`, `admin`, and `super_admin`,
/// which requires `admin`. Other words have no meaning here.
package enum Role: Int, Sendable, Hashable, CaseIterable, Comparable {
    case user = 1
    case moderator, admin, superAdmin

    /// The role words of an account with the role.
    package var words: [String] {
        switch self {
        case .user: []
        case .moderator: ["moderator"]
        case .admin: ["admin"]
        // A service that requires `admin` also accepts super administrators.
        case .superAdmin: ["admin", "super_admin"]
        }
    }

    /// The name in commands and settings.
    package var name: String { words.last ?? "user" }

    /// Creates the highest role among an account's words.
    package init(of words: [String]) {
        self = Self.allCases.last { role in role.words.allSatisfy(words.contains) } ?? .user
    }

    /// Creates the role of a name such as `moderator`.
    package init?(named name: String) {
        guard let role = Self.allCases.first(where: { $0.name == name }) else { return nil }
        self = role
    }

    /// Returns whether a word is one of an administrative role.
    package static func isWord(_ word: String) -> Bool { allCases.contains { $0.words.contains(word) } }

    /// Returns an account's words with this role in place of its earlier one; other words stay.
    package func replacing(in words: [String]) -> [String] { words.filter { !Self.isWord($0) } + self.words }

    package static func < (left: Role, right: Role) -> Bool { left.rawValue < right.rawValue }
}

extension Account {
    /// The account's administrative role.
    package var role: Role { Role(of: roles) }

    /// Whether the account can administer the server.
    package var isAdministrator: Bool { role >= .admin && status == .active }
}

/// An action of one account on another.
package enum AccountAction: Sendable, Hashable {
    case read
    case update(AccountDetailsChange)
    /// Set attributes by name, or remove those whose value is null.
    case setAttributes([String: JSONValue])
    /// Replace the administrative role; other role words stay.
    case setRole(Role)
    /// Replace all role words, those of the administrative role included.
    ///
    /// An administrator adds only words of a lower role, words that they have, and those of `given`. A super
    /// administrator adds any word.
    case setRoles([String], given: [String])
    /// Replace the address, which is verified or not; mailed links of the account end.
    ///
    /// The earlier address gets a notice. An address that is not verified gets a link that verifies it.
    ///
    /// A guest becomes a user, whose sessions end by the date.
    case setEmail(EmailAddress, isVerified: Bool, endingGuestSessionsBy: Date)
    /// Set the status; every status except `active` signs out all devices.
    case setStatus(Account.Status)
    /// Sign out all devices.
    case endSessions
    /// Sign out one device.
    case endSession(device: [UInt8])
    /// Email the owner a link that sets a new password.
    case mailReset
    /// Remove the second factor without a code, and sign out all devices, since a lost phone may still be signed in.
    case removeFactor
    /// Remove the link to an identity provider, and sign out all devices.
    case removeLink(provider: String)
    /// Remove all passkeys, and sign out all devices.
    case removePasskeys
    /// Remove one passkey, and sign out all devices.
    case removePasskey([UInt8])
    /// End the wait after wrong codes of the second factor.
    case unlock
    /// Delete the account, its devices and its details.
    ///
    /// After a final deletion, only its entries in the audit log remain. The operator can undo any other deletion.
    /// If users delete their own account, and its address was never proved, the deletion is final.
    case delete(isFinal: Bool)
}

/// The account and device that perform an action on an account.
package struct AccountActor: Sendable, Hashable {
    /// The account that acts.
    package let accountID: String
    /// The device of the acting session, which must still be signed in; nil without a session.
    package let device: [UInt8]?
    /// The digest of the API key with which a program acts for the account, which must still be valid; nil for the user.
    package let key: [UInt8]?

    /// Creates an actor.
    package init(_ accountID: String, on device: [UInt8]? = nil, with key: [UInt8]? = nil) {
        (self.accountID, self.device, self.key) = (accountID, device, key)
    }

    /// The actor in the audit log.
    package var text: String { key.map { "\(accountID) with key \(APIKey.id(of: $0))" } ?? accountID }
}

/// The facts that authorize an action, read in its transaction.
package struct AccountActionContext: Sendable {
    /// The account that acts; nil for the operator, and if the account no longer exists.
    package let actor: Account?
    /// The account that the action is for, of any status.
    package let target: Account?
    /// Whether an active account other than the target can administer the server, and can sign in; false without a
    /// target.
    package let hasOtherAdministrator: Bool
}

/// The authorization of an action: whether its target exists for the actor.
///
/// - Throws: `IdentityError.forbidden` or `.lastAdministrator`.
package typealias AccountRule = @Sendable (AccountActionContext) throws(IdentityError) -> Bool

extension AccountAction {
    /// Returns the rule of the action.
    ///
    /// - Parameter acting: The account that acts; nil for the operator, whose only limit is the removal of the last
    ///   administrator.
    package func rule(for acting: AccountActor?) -> AccountRule {
        { context throws(IdentityError) in
            if let acting {
                guard let actor = context.actor else { throw .forbidden }
                guard let target = context.target else {
                    guard actor.status == .active, actor.role >= .moderator else { throw .forbidden }
                    return false
                }
                try authorize(actor, on: target)
                if acting.key != nil { try authorizeProgram(on: target) }
            }
            guard let target = context.target else { return false }
            // Only the operator sees deleted accounts. An actor that may delete an account may also make its deletion
            // final.
            guard target.status != .deleted || acting == nil || self == .delete(isFinal: true) else { return false }
            // Attack K9: at least one account that can administer the server always remains.
            if mayDemote, target.isAdministrator, !context.hasOtherAdministrator { throw .lastAdministrator }
            return true
        }
    }

    /// Whether the action may remove its target from the administrators.
    private var mayDemote: Bool {
        switch self {
        case .setRole(let role): role < .admin
        case .setRoles(let words, _): Role(of: words) < .admin
        case .setStatus(let status): status != .active
        case .delete: true
        case .read, .update, .setAttributes, .setEmail, .endSessions, .endSession, .mailReset, .removeFactor,
            .removeLink,
            .removePasskeys, .removePasskey, .unlock:
            false
        }
    }

    /// Checks that `actor` may perform the action on `target`.
    ///
    /// Users may read, change and delete their own account, but not set its role or status. Actions on others require a
    /// higher role than the target's, so that two administrators cannot lock each other out. Super administrators may
    /// also act on each other, since no other role could dismiss one.
    ///
    /// - Throws: `IdentityError.forbidden`.
    package func authorize(_ actor: Account, on target: Account) throws(IdentityError) {
        guard actor.status == .active else { throw .forbidden }
        if actor.id == target.id {
            switch self {
            case .read, .update, .setAttributes, .delete: return
            // Users end their own sessions by signing out, remove their own factor with a code, and confirm another
            // address by email.
            case .setRole, .setRoles, .setEmail, .setStatus, .endSessions, .endSession, .mailReset, .removeFactor,
                .removeLink, .removePasskeys, .removePasskey, .unlock:
                throw .forbidden
            }
        }
        guard actor.role >= minimumRole(on: target), actor.role > target.role || actor.role == .superAdmin else {
            throw .forbidden
        }
        // An actor grants only lower roles than its own, except for super administrators.
        guard actor.role != .superAdmin else { return }
        if case .setRole(let role) = self, role >= actor.role { throw .forbidden }
        guard case .setRoles(let words, let given) = self else { return }
        let known = target.roles + actor.roles + given
        guard Role(of: words) < actor.role, words.allSatisfy({ Role.isWord($0) || known.contains($0) }) else {
            throw .forbidden
        }
    }

    /// Checks that a program may perform the action: it neither changes nor makes administrators.
    ///
    /// Otherwise a key with a few scopes could make an administrator with all of them, and outlive its end.
    ///
    /// - Throws: `IdentityError.forbidden`.
    private func authorizeProgram(on target: Account) throws(IdentityError) {
        guard target.role < .admin || self == .read else { throw .programForbidden }
        if case .setRole(let role) = self, role >= .admin { throw .programForbidden }
        if case .setRoles(let words, _) = self, Role(of: words) >= .admin { throw .programForbidden }
    }

    /// Returns the lowest role that may perform the action on another account.
    private func minimumRole(on target: Account) -> Role {
        switch self {
        case .read: .moderator
        // Moderators suspend and reactivate. Every other change of status is for administrators.
        case .setStatus(let status): [status, target.status].allSatisfy(\.isForModerators) ? .moderator : .admin
        case .update, .setAttributes, .setRole, .setRoles, .setEmail, .endSessions, .endSession, .mailReset,
            .removeFactor, .removeLink, .removePasskeys, .removePasskey, .unlock, .delete:
            .admin
        }
    }
}

extension Account.Status {
    /// Whether a moderator may set and unset the status.
    fileprivate var isForModerators: Bool { self == .active || self == .suspended }
}
