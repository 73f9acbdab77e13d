// SPDX-License-Identifier: Apache-2.0

import LatchAuth
package import LatchCore
package import LatchCrypto
package import LatchFoundation
package import LatchHTTP
package import LatchIdentityAccounts
package import LatchIdentityStorage

/// The session of a user on the server's own pages, as the browser's cookie contains it.
///
/// It is a device of the account, which is listed and ended like every other one (decision 0080).
package struct PageSession: Codable, Sendable {
    /// The public id of the device.
    package let device: String
    package let accountID: String
    /// The version of the account's credentials at the sign-in.
    package let credentialVersion: Int

    /// The time for which a browser stays signed in.
    package static let lifetime: TimeInterval = 3600
    /// The `client_id` of these devices.
    ///
    /// A client cannot have it, so these devices never receive a token.
    package static let clientID = Device.pagesClientID
}

/// A session that the store has confirmed.
package struct ActivePageSession: Sendable {
    package let account: Account
    package let device: Device

    /// The way in which the user signed in; nil if it is not known.
    package var way: SignInWay? { device.details.way }

    package var authenticatedAt: Date { device.authenticatedAt ?? device.createdAt }
}

/// A service that begins and finds the sessions of browsers.
package struct PageSessionService: Sendable {
    package let store: IdentityStore
    package let clock: WallClock
    package let pepper: SymmetricKey
    package let accessTokens: AccessTokenIssuer
    package let sessions: SessionService

    /// The cookies of one request, since the issuer may become known while the server runs.
    private var cookies: PageCookies { PageCookies(issuer: accessTokens.issuer, pepper: pepper, clock: clock) }

    /// Returns the session of a request; nil if there is none, or it was ended in this browser or elsewhere.
    package func active(in request: HTTPRequest) async throws(IdentityError) -> ActivePageSession? {
        guard let session = cookies.session(in: request),
            let id = Device.id(fromPublicID: session.device), let device = try await store.device(id: id),
            device.revokedAt == nil, device.clientID == PageSession.clientID, device.accountID == session.accountID,
            clock.now < device.expiresAt,
            let account = try await store.account(id: session.accountID), account.status == .active,
            account.credentialVersion == session.credentialVersion
        else { return nil }
        return ActivePageSession(account: account, device: device)
    }

    /// Signs in a browser, as a new device each time (attack G1), and signs out its previous user.
    ///
    /// - Parameter insert: Inserts the device together with the record that it is exchanged for; nil for only the
    ///   device.
    /// - Returns: The session, and its Set-Cookie field.
    /// - Throws: `IdentityError.invalidCredentials` if the account has changed since the login was verified.
    package func begin(
        _ proof: AdmittedProof, in request: HTTPRequest, inserting insert: SessionService.DeviceInsertion? = nil
    ) async throws(IdentityError) -> (session: ActivePageSession, cookie: String) {
        let cookies = cookies
        let earlier = cookies.session(in: request)
        var details = GrantDetails()
        (details.method, details.way) = (proof.method, proof.way)
        let begun = try await sessions.start(
            proof, for: PageSession.clientID, scope: "", details: details,
            in: try await continued(earlier, by: proof.account),
            lifetime: PageSession.lifetime, from: request.requestOrigin, inserting: insert
        ) { device, account throws(IdentityError) in
            let cookie = try cookies.set(
                PageSession(
                    device: device.publicID, accountID: account.id, credentialVersion: account.credentialVersion))
            return (session: ActivePageSession(account: account, device: device), cookie: cookie)
        }
        // A session of the same account may have just authorized an app in another tab (attack B9). It ends within the
        // hour.
        if let earlier, earlier.accountID != proof.account.id,
            let id = Device.id(fromPublicID: earlier.device)
        {
            try await revoke(id)
        }
        return begun
    }

    /// Returns the session after a change of the account's credentials that keeps it, and its Set-Cookie field.
    ///
    /// The cookie has the version of the credentials, which the change has increased.
    ///
    /// - Throws: `IdentityError.loginEnded` if the change has ended the session.
    package func renewed(
        _ session: ActivePageSession
    ) async throws(IdentityError) -> (session: ActivePageSession, cookie: String) {
        guard let account = try await store.account(id: session.account.id), account.status == .active,
            let device = try await store.device(id: session.device.id), device.revokedAt == nil
        else { throw .loginEnded }
        let cookie = try cookies.set(
            PageSession(
                device: device.publicID, accountID: account.id, credentialVersion: account.credentialVersion))
        return (ActivePageSession(account: account, device: device), cookie)
    }

    /// Returns the first device of the session that the same user continues in a browser.
    ///
    /// What the user signed in before then still ends with the browser's session.
    private func continued(_ earlier: PageSession?, by account: Account) async throws(IdentityError) -> [UInt8]? {
        guard let earlier, earlier.accountID == account.id, let id = Device.id(fromPublicID: earlier.device),
            let device = try await store.device(id: id), device.accountID == account.id,
            device.clientID == PageSession.clientID, device.revokedAt == nil
        else { return nil }
        return device.browserSession
    }

    /// Returns the `sid` of a client's ID tokens in a session.
    package func sessionID(of session: ActivePageSession, for clientID: String) -> String {
        ClientSessionID(pepper: pepper).text(
            browser: session.device.browserSession, device: session.device.id, for: clientID)
    }

    /// Returns the IDs of the clients that a user has signed in to through a session.
    package func clients(in session: ActivePageSession) async throws(IdentityError) -> Set<String> {
        let devices = try await store.devices(of: session.account.id, at: clock.now)
        return Set(devices.filter { $0.browserDevice == session.device.browserSession }.compactMap(\.clientID))
    }

    /// Signs out a browser and its clients' sessions, except those with `offline_access`, and returns the Set-Cookie
    /// field that removes its cookie.
    package func end(_ session: ActivePageSession) async throws(IdentityError) -> String {
        try await revoke(session.device.id)
        return cookies.endedSession
    }

    private func revoke(_ device: [UInt8]) async throws(IdentityError) {
        _ = try await store.revoke(device: device, ownedBy: nil, because: .logout, at: clock.now)
    }
}
