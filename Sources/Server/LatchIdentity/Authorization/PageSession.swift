// SPDX-License-Identifier: Apache-2.0

import LatchAuth
import LatchCore
import LatchHTTP
import PortableFoundation

/// The session of a user on the server's own pages, as the browser's cookie has it.
///
/// It is a device of the account: listed, and ended as every other one is (decision 0080).
struct PageSession: Codable, Sendable {
    /// The public id of the device.
    let device: String
    let accountID: String
    /// The version of the account's credentials at the sign-in.
    let credentialVersion: Int

    /// The time for which a browser stays signed in.
    static let lifetime: TimeInterval = 3600
    /// The `client_id` of these devices, which no client can have: no token is ever issued to one of them.
    static let clientID = "latch:pages"
}

/// A session that the store has confirmed.
struct ActivePageSession: Sendable {
    let account: Account
    let device: Device

    var authenticatedAt: Date { device.authenticatedAt ?? device.createdAt }
}

/// A service that begins and finds the sessions of browsers.
struct PageSessionService: Sendable {
    let dependencies: Dependencies

    /// Returns the session of a request; nil if there is none, or it has ended, in this browser or elsewhere.
    func active(in request: HTTPRequest) async throws(IdentityError) -> ActivePageSession? {
        guard let session = PageCookies(dependencies).session(in: request),
            let id = Device.id(fromPublicID: session.device), let device = try await dependencies.store.device(id: id),
            device.revokedAt == nil, device.clientID == PageSession.clientID, device.accountID == session.accountID,
            dependencies.now < device.expiresAt,
            let account = try await dependencies.store.account(id: session.accountID), account.status == .active,
            account.credentialVersion == session.credentialVersion
        else { return nil }
        return ActivePageSession(account: account, device: device)
    }

    /// Signs a browser in, as a device of its own each time (attack G1), and another user of it out.
    ///
    /// - Parameter insert: Inserts the device together with what it is exchanged for; nil for the device alone.
    /// - Returns: The session, and the Set-Cookie field of it.
    /// - Throws: `IdentityError.invalidCredentials` if the account has changed since the login was decided.
    func begin(
        for account: Account, factorAt: Date?, in request: HTTPRequest,
        inserting insert: TokenService.DeviceInsertion? = nil
    ) async throws(IdentityError) -> (session: ActivePageSession, cookie: String) {
        try dependencies.take([dependencies.limits.session(accountID: account.id)])
        let (origin, now) = (request.requestOrigin, dependencies.now)
        let device = Device(
            id: dependencies.random.bytes(16), accountID: account.id, clientID: PageSession.clientID, scope: "",
            secret: dependencies.random.bytes(32), createdAt: now, lastUsedAt: now,
            expiresAt: now.addingTimeInterval(PageSession.lifetime), userAgent: origin.userAgent?.sanitized(200),
            address: origin.address, factorAt: factorAt, authenticatedAt: now)
        let cookies = PageCookies(dependencies)
        let cookie = try cookies.set(
            PageSession(
                device: device.publicID, accountID: account.id, credentialVersion: account.credentialVersion))
        if let insert {
            try await insert(device, account)
        } else {
            guard try await dependencies.store.insert(device, for: account) else { throw .invalidCredentials }
        }
        // One of the same account may have just let an app of another tab in (attack B9); it ends within the hour.
        if let earlier = cookies.session(in: request), earlier.accountID != account.id,
            let id = Device.id(fromPublicID: earlier.device)
        {
            _ = try await dependencies.store.revoke(device: id, ownedBy: nil, because: .logout, at: now)
        }
        return (ActivePageSession(account: account, device: device), cookie)
    }
}
