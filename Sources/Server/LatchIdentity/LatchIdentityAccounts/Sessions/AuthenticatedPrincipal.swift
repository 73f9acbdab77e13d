// SPDX-License-Identifier: Apache-2.0

public import LatchAuth
package import LatchCore
import LatchFoundation
public import LatchHTTP
package import LatchIdentityStorage

/// The client of a valid access token and the account that it acts for, as currently stored.
public struct AuthenticatedPrincipal: Sendable {
    /// The token's scopes that the account and the client may still have.
    public let scopes: Scopes
    /// The `client_id` of the client that the token was issued to.
    public let clientID: String
    /// The account's id, the token's `sub`; nil for a client that acts for itself (RFC 6749 §4.4).
    public let accountID: String?
    /// The recipient that the token is for.
    package let recipient: TokenRecipient
    /// The claims about the user that the client has asked for by name.
    package let claims: [String]
}

/// The account, device and client of a session's access token, as currently stored.
package struct AuthenticatedSession: Sendable {
    package let account: Account
    package let device: Device
    package let client: OAuthClient
    package let scopes: Scopes

    package init(account: Account, device: Device, client: OAuthClient, scopes: Scopes) {
        self.account = account
        self.device = device
        self.client = client
        self.scopes = scopes
    }

    package var clientID: String { client.id }
    package var accountID: String { account.id }
    /// The user as an actor on accounts.
    package var actor: AccountActor { AccountActor(account.id, on: device.id) }

    /// Rejects the session of any client except the server's own.
    ///
    /// A user who granted a client some scopes has not given it control of the account.
    ///
    /// - Throws: `IdentityError.forbidden`.
    package func requireFirstParty() throws(IdentityError) {
        guard isFirstParty else { throw .forbidden }
    }

    /// Whether the session belongs to the server's own client.
    package var isFirstParty: Bool { clientID == OAuthClient.firstPartyID }
}

/// The rule that a user must have authenticated recently before the account's credentials change (RFC 9470).
package struct RecentAuthenticationRule: Sendable {
    /// The time for which an authentication counts as recent.
    package let maximumAge: Duration
    package let clock: WallClock

    package init(maximumAge: Duration, clock: WallClock) {
        self.maximumAge = maximumAge
        self.clock = clock
    }

    /// Rejects a session whose device may be unattended: a refresh does not authenticate the user again.
    ///
    /// A guest has nothing to authenticate with, and nothing that another user could have set (decision 0136).
    ///
    /// - Throws: `IdentityError.signInAgain`.
    package func require(_ session: AuthenticatedSession) throws(IdentityError) {
        guard !session.account.isGuest else { return }
        let age = clock.now.timeIntervalSince(session.device.authenticatedAt ?? session.device.createdAt)
        // After the clock was set back, an old session must not look recent.
        guard (-60..<maximumAge.inSeconds).contains(age) else { throw .signInAgain(maximumAge: maximumAge) }
    }
}

private enum PrincipalKey: HTTPContextKey {
    static var defaultValue: AuthenticatedPrincipal? { nil }
}

extension HTTPRequest {
    /// The principal of the request's access token; nil unless the request has passed a ``ScopeInterceptor``.
    public package(set) var principal: AuthenticatedPrincipal? {
        get { context[PrincipalKey.self] }
        set { context[PrincipalKey.self] = newValue }
    }
}

extension IdentityError {
    /// The operation requires a recent authentication of the session.
    package static let signInAgain = IdentityError.signInAgain(maximumAge: IdentityConfiguration().recentAuthentication)
}
