// SPDX-License-Identifier: Apache-2.0

/// The links of accounts to identity providers and their passkeys, as the server's operator administers them.
extension AccountService {
    /// Removes the link of an account to a provider, signs out its devices and mails its owner; it may be the last way to
    /// sign in, after which the owner sets a password by mail.
    ///
    /// - Parameter reason: A note for the audit log.
    /// - Returns: Whether there was a link; nil if there is no such account.
    package func removeLink(
        to provider: String, of id: String, by actor: AccountActor? = nil, because reason: String = ""
    ) async throws(IdentityError) -> Bool? {
        let result = try await perform(.removeLink(provider: provider), on: id, by: actor, because: reason)
        dependencies.mails.wake()
        return result?.hadLink
    }

    /// Removes all passkeys of an account, signs out its devices and mails its owner; they may be the last way to sign in, after
    /// which the owner sets a password by mail.
    ///
    /// - Parameter reason: A note for the audit log.
    /// - Returns: Whether there was a passkey; nil if there is no such account.
    package func removePasskeys(
        of id: String, by actor: AccountActor? = nil, because reason: String = ""
    ) async throws(IdentityError) -> Bool? {
        let result = try await perform(.removePasskeys, on: id, by: actor, because: reason)
        dependencies.mails.wake()
        return result?.hadPasskeys
    }

    /// Returns the passkeys of an account, the oldest first.
    package func passkeys(of id: String) async throws(IdentityError) -> [Passkey] {
        try await dependencies.store.passkeys(of: id)
    }

    /// Returns the links of an account, by provider.
    package func links(of id: String) async throws(IdentityError) -> [UpstreamLink] {
        try await dependencies.store.links(of: id)
    }
}
