// SPDX-License-Identifier: Apache-2.0

import LatchCore
import LatchIdentityAccounts
import LatchIdentityStorage

/// The check of an account for a client that takes only some ways to sign in.
extension PermittedSignIns {
    /// Requires that an account can sign in again, in a way that the client takes.
    ///
    /// - Throws: `IdentityError.signInWayMissing`, or a store's error.
    func requireWay(
        of account: Account, takenBy client: OAuthClient, in store: IdentityStore
    ) async throws(IdentityError) {
        for way in usable where client.accepts(way) {
            if try await has(way, account, in: store) { return }
        }
        throw .signInWayMissing
    }

    /// Returns whether an account can sign in this way, which the server permits.
    private func has(
        _ way: SignInWay, _ account: Account, in store: IdentityStore
    ) async throws(IdentityError) -> Bool {
        switch way {
        case .password: return account.passwordHash != nil
        // An address gets an email: a code, or what proves the address first.
        case .code: return account.email != nil
        case .passkey:
            let domain = relyingPartyID
            return try await store.passkeys(of: account.id).contains { $0.isUsable(at: domain) }
        case .provider:
            let links = try await store.links(of: account.id)
            return links.contains { link in ways.providers.contains { $0 == link.identity.provider } }
        }
    }
}
