// SPDX-License-Identifier: Apache-2.0

package import LatchCore
package import LatchIdentityStorage

/// Changes of the attributes of accounts that exist.
extension AccountService {
    /// Changes attributes of the session's own account; null removes one.
    ///
    /// - Throws: `IdentityError.invalidInput` with the attribute's name as its field, `.forbidden`, or a store's error.
    package func changeAttributes(
        of session: AuthenticatedSession, to changes: [String: JSONValue]
    ) async throws(IdentityError) {
        try session.requireFirstParty()
        let isFound = try await changeAttributes(
            of: session.accountID, to: changes, as: .owner, by: session.actor, because: "")
        guard isFound else { throw .invalidToken }
    }

    /// Changes attributes of an account as an administrator; null removes one.
    ///
    /// - Parameters:
    ///   - actor: Nil for the operator.
    ///   - reason: A note for the audit log.
    /// - Returns: False if the account does not exist.
    /// - Throws: `IdentityError.invalidInput` with the attribute's name as its field, `.forbidden`, or a store's error.
    package func changeAttributes(
        of id: String, to changes: [String: JSONValue], by actor: AccountActor?, because reason: String = ""
    ) async throws(IdentityError) -> Bool {
        try await changeAttributes(of: id, to: changes, as: .administrator, by: actor, because: reason)
    }

    private func changeAttributes(
        of id: String, to changes: [String: JSONValue], as author: AttributeRules.Author, by actor: AccountActor?,
        because reason: String
    ) async throws(IdentityError) -> Bool {
        try attributes.check(changes, by: author)
        let action = AccountAction.setAttributes(changes)
        let rule = action.rule(for: actor)
        let result = try await store.perform(
            action, on: id, by: actor, because: reason.sanitized(500), at: clock.now
        ) { context throws(IdentityError) in
            // Administrators may change their own account, other users only what is theirs.
            if author == .administrator, actor != nil, context.actor?.isAdministrator != true { throw .forbidden }
            guard try rule(context) else { return false }
            if let target = context.target { try AttributeRules.requireSize(target.attributes(changedBy: changes)) }
            return true
        }
        return result != nil
    }
}
