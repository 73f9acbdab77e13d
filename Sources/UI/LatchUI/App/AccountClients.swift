// SPDX-License-Identifier: Apache-2.0

import LatchAccounts
import LatchAuth
import Synchronization

/// The accounts of an app at one server, each with its own client and token record.
final class AccountClients: Sendable {
    typealias MakeClient = @Sendable (any TokenStore<Tokens>) -> AuthClient
    /// An account of the list, with its client.
    typealias Adopted = (entry: AccountEntry, client: AuthClient)

    /// The clients by the account's identifier; a class, since the list's closure captures it during initialization.
    private final class Table: Sendable {
        let clients = Mutex<[String: AuthClient]>([:])
    }

    /// A client without tokens, for a model without a current account.
    let idleClient: AuthClient
    let list: AccountList
    /// The client for removed accounts; its record keeps their tokens until the server has revoked them.
    private let removalClient: AuthClient
    private let issuer: String
    private let makeClient: MakeClient
    private let table: Table

    init(
        issuer: String, secrets: any SecretStore, _ list: (@escaping AccountList.MakeSession) -> AccountList,
        makeClient: @escaping MakeClient
    ) {
        let table = Table()
        (self.issuer, self.makeClient, self.table) = (issuer, makeClient, table)
        idleClient = makeClient(InMemoryTokenStore<Tokens>())
        // The name includes the server, so that another server of the app does not get these tokens.
        removalClient = makeClient(SecretTokenStore<Tokens>(secrets, name: "removedAccounts.\(issuer)"))
        self.list = list { entry, store in
            let client = makeClient(store)
            table.clients.withLock { $0[entry.id] = client }
            return client.session
        }
    }

    /// Returns a client without an account.
    func newClient() -> AuthClient { makeClient(InMemoryTokenStore<Tokens>()) }

    /// Returns the client of an account.
    func client(for id: String) async throws -> AuthClient {
        let session = try await list.session(for: id)
        let client = table.clients.withLock { $0[id] }
        guard let client, client.session === session else { throw AuthError.unknownAccount }
        return client
    }

    /// Stores the tokens of a signed-in client, for a new account or for the user's existing one.
    ///
    /// A cancellation of the sign-in does not stop it: the server has already signed the user in.
    ///
    /// - Returns: The account with its client.
    /// - Throws: A `store…` code; the tokens are then revoked.
    func adopt(_ pending: AuthClient) async throws -> Adopted {
        try await Task { try await self.storeTokens(of: pending) }.value
    }

    private func storeTokens(of pending: AuthClient) async throws -> Adopted {
        do {
            let account: Account? = if let claimed = pending.account { claimed } else { try await pending.profile() }
            // The profile request may have refreshed the tokens, and a refresh token works only once.
            guard let tokens = pending.session.currentState.credential else { throw AuthError.missingToken }
            let email = account?.email ?? issuer
            let entry = try await list.signIn(tokens, as: email, issuer: issuer, username: email, userID: account?.id)
            let client = try await client(for: entry.id)
            // The tokens now belong to the account: this client forgets them without revoking them.
            try await pending.session.signOut()
            return (entry, client)
        } catch {
            try await pending.signOut()
            throw error
        }
    }

    /// Removes a signed-out account, unless the server still has to revoke its tokens: then the record keeps them.
    func removeSignedOut(_ id: String, of client: AuthClient) async throws {
        guard !client.session.currentState.isSignedIn, await client.session.revokeRemaining(),
            // A user may have signed in in the meantime.
            try await list.removeSignedOut(id)
        else { return }
        table.clients.withLock { $0[id] = nil }
    }

    /// Ends the session of a removed account at the server, now or when the server can be reached.
    func revoke(_ tokens: Tokens) async {
        do {
            try await removalClient.session.signIn(tokens)
            try await removalClient.signOut()
        } catch {
            // The account is removed anyway. A sign-out that cannot be stored has already asked the server.
        }
    }

    /// Asks the server again to end the sessions of removed accounts.
    func revokeRemaining() async {
        do {
            try await removalClient.session.restore()
            // The app ended between the removal and the sign-out.
            if removalClient.session.currentState.isSignedIn { try await removalClient.signOut() }
        } catch {
            // A store that cannot be read now is read again when the user returns to the app.
        }
        _ = await removalClient.session.revokeRemaining()
    }
}

/// The sign-in to an account in one scene, with a client that keeps its tokens in memory until the account is stored.
final class AccountSignIn: Sendable {
    private struct State {
        var client: AuthClient?
        /// The account with its client, until the sign-in's screen ends.
        var adopted: AccountClients.Adopted?
    }

    private let accounts: AccountClients
    private let state = Mutex(State())

    init(_ accounts: AccountClients) { self.accounts = accounts }

    /// The client of the next sign-in.
    var client: AuthClient {
        state.withLock { state in
            let client = state.client ?? accounts.newClient()
            state.client = client
            return client
        }
    }

    /// Stores the tokens of a client that has signed in; see ``AccountClients/adopt(_:)``.
    func adopt(_ client: AuthClient) async throws {
        let adopted = try await accounts.adopt(client)
        state.withLock { $0.adopted = adopted }
    }

    /// Returns the account of the last sign-in, once.
    func takeSignedIn() -> AccountClients.Adopted? {
        state.withLock { state in
            defer { state = State() }
            return state.adopted
        }
    }
}
