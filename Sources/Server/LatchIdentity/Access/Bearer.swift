// SPDX-License-Identifier: Apache-2.0

import PortableFoundation
public import LatchAuth
public import LatchHTTP

/// Who a request speaks for, as its access token and the store say it now.
public struct Bearer: Sendable {
    /// The account, as the store has it.
    package let account: Account
    /// What the request may do: the token's scopes, as far as the account and the app still may have them.
    public let scopes: Scopes
    /// The `client_id` of the app that the token was issued to.
    public let appID: String
    /// The device that the token was issued to, as the store has it.
    package let device: Device

    /// The account's id, the token's `sub`.
    public var accountID: String { account.id }
}

extension Bearer {
    /// For how long a sign-in counts as one of just now, in seconds.
    static let freshness: TimeInterval = 900

    /// Refuses a session that was left open; its time is that of the password, and renewals do not move it.
    ///
    /// - Throws: `IdentityError.signInAgain`.
    func requireFresh(at now: Date) throws(IdentityError) {
        // A clock that was set back makes no old session fresh.
        guard (-60..<Self.freshness).contains(now.timeIntervalSince(device.createdAt)) else { throw .signInAgain }
    }
}

/// The key under which a ``ScopeInterceptor`` leaves who the request speaks for.
private enum BearerKey: HTTPContextKey {
    static var defaultValue: Bearer? { nil }
}

extension HTTPRequest {
    /// Who the request speaks for; nil where no ``ScopeInterceptor`` stands in front.
    public internal(set) var bearer: Bearer? {
        get { context[BearerKey.self] }
        set { context[BearerKey.self] = newValue }
    }
}
