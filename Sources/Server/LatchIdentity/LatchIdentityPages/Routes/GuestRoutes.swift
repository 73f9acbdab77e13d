// SPDX-License-Identifier: Apache-2.0

import LatchCore
import LatchHTTP
package import LatchIdentityAccounts
import LatchIdentityStorage
package import LatchServer

/// The routes of guests: their beginning, and the registration that makes a guest a user.
///
/// A provider or a passkey does so too, on the routes of every account.
package struct GuestRoutes: Sendable {
    package let limits: RateLimits
    package let refreshCookie: RefreshCookie
    package let guests: GuestService
    package let accounts: AccountService
    package let tokens: TokenService

    package init(
        limits: RateLimits, refreshCookie: RefreshCookie, guests: GuestService, accounts: AccountService,
        tokens: TokenService
    ) {
        self.limits = limits
        self.refreshCookie = refreshCookie
        self.guests = guests
        self.accounts = accounts
        self.tokens = tokens
    }

    /// Adds the routes.
    package func add(to router: inout Router) {
        router.group(interceptors: limits.limiting(.guest)) { guests in
            guests.post("/api/auth/guest", .signInAsGuest, signIn)
        }
        router.group(interceptors: limits.limiting(.signUp)) { signUps in
            signUps.post("/api/auth/guest/register", .registerGuest, register)
        }
    }

    /// Creates the account of a guest, and returns the tokens of its session as a login does.
    ///
    /// A repetition with the same Idempotency-Key gets the tokens of the same guest, until the first refresh.
    @Sendable private func signIn(_ request: HTTPRequest) async throws -> HTTPResponse {
        // Another site's page must not replace the session of a browser.
        try refreshCookie.requireSameSite(request)
        let issued = try await guests.signIn(
            idempotencyKey: request.fields[.idempotencyKey], from: request.requestOrigin)
        return refreshCookie.response(to: issued)
    }

    /// Gives the session's account an address and a password: 200 with the account, whose ID and sessions stay.
    ///
    /// The response is 409 if the address or the user name is taken, as at a sign-up.
    @Sendable private func register(_ request: HTTPRequest) async throws -> HTTPResponse {
        let session = try await tokens.authenticate(request)
        let body = try request.jsonObject()
        let account = try await accounts.register(
            session, email: try body.text("email"), password: try body.text("password"),
            name: try body.optionalText("name"), username: try body.optionalText("username"),
            registration: try Registration(body), from: request.requestOrigin)
        return .json(account.json(by: accounts.attributes))
    }
}
