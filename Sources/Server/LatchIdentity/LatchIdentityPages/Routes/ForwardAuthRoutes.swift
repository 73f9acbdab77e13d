// SPDX-License-Identifier: Apache-2.0

import LatchCore
import LatchHTTP
package import LatchIdentityAccounts
package import LatchIdentityProvider
import LatchIdentityStorage
package import LatchServer
import LatchSignIn

/// The endpoint that proxies ask about each request to a protected application.
///
/// It responds with 200 and the user's fields; with 401, or a redirect to the sign-in for a page; with 403 to a user who
/// is not permitted. A proxy passes on all of these but 200. The application needs no paths for it: the endpoint itself
/// responds to requests for its callback.
package struct ForwardAuthRoutes: Sendable {
    package let limits: RateLimits
    package let clients: OAuthClients
    package let signInPages: SignInPages
    package let forwardAuth: ForwardAuthService

    package init(
        limits: RateLimits, clients: OAuthClients, signInPages: SignInPages, forwardAuth: ForwardAuthService
    ) {
        self.limits = limits
        self.clients = clients
        self.signInPages = signInPages
        self.forwardAuth = forwardAuth
    }

    /// The path at each protected origin that signs the browser out.
    private static let signOutPath = "/.latch/sign-out"

    package func add(to router: inout Router) {
        guard clients.protectApplications else { return }
        router.get("/forward-auth", decide)
    }

    /// Responds to a proxy; an error is a page for a browser that shows one.
    @Sendable private func decide(_ request: HTTPRequest) async throws -> HTTPResponse {
        var page: ForwardedRequest?
        do throws(IdentityError) {
            let forwarded = try ForwardedRequest(request)
            if forwarded.isNavigation { page = forwarded }
            return try await respond(to: request, forwarded)
        } catch {
            request.noteRefusal(error)
            var response =
                page.map { signInPages.context.accepting(request).failure(error, app: $0.origin + "/") }
                ?? .failure(error)
            // A page is not a challenge, but proxies know only this status.
            if error.form.status == .unauthorized {
                response.status = .unauthorized
                response.fields[.wwwAuthenticate] = error.form.challenge
            }
            response.fields[.cacheControl] = "no-store"
            return response
        }
    }

    private func respond(
        to request: HTTPRequest, _ forwarded: ForwardedRequest
    ) async throws(IdentityError) -> HTTPResponse {
        guard let client = clients.client(protecting: forwarded.origin) else {
            try limit(request)
            throw .unknownApplication
        }
        // nginx reads only the status at first, and asks a second time for what the browser gets.
        let mayRedirect = request.queryItems["redirect"] != "no"
        switch forwarded.path {
        case OAuthClient.forwardAuthCallback where forwarded.method == .get:
            try limit(request)
            guard mayRedirect else { throw .invalidToken }
            let (url, cookie) = try await forwardAuth.finish(request, to: forwarded, at: client)
            return .redirect(to: url, setting: [cookie])
        case Self.signOutPath where forwarded.isNavigation:
            try limit(request)
            guard mayRedirect else { throw .invalidToken }
            return try await signOut(request, forwarded, client)
        default: break
        }
        // What a page loads is not limited: the store's rows of the last second answer it.
        if let user = try await forwardAuth.user(of: request, to: forwarded, at: client) {
            return try Self.permit(user)
        }
        try limit(request)
        if forwarded.isNavigation, mayRedirect, request.fields.endedToken == nil {
            let (url, cookie) = try forwardAuth.begin(request, to: forwarded, at: client)
            return .redirect(to: url, setting: [cookie])
        }
        return try Self.permit(try await forwardAuth.bearer(of: request, to: forwarded, at: client))
    }

    private static func permit(_ user: ProtectedUser) throws(IdentityError) -> HTTPResponse {
        guard user.isPermitted else { throw .applicationForbidden }
        var fields = user.fields
        fields[.cacheControl] = "no-store"
        return HTTPResponse(status: .ok, fields: fields)
    }

    /// Signs out a browser whose user has opened the URL, or followed a link of the application.
    ///
    /// The server's page continues. It asks a user whom a link of another site has led here.
    private func signOut(
        _ request: HTTPRequest, _ forwarded: ForwardedRequest, _ client: OAuthClient
    ) async throws(IdentityError) -> HTTPResponse {
        let ended = forwarded.isSameOrigin ? try await forwardAuth.end(request, to: forwarded, at: client) : nil
        return try signInPages.redirect(
            to: "/oauth/logout", .signOut(redirect: nil, state: nil, hint: ended?.hint)
        ).setting(ended?.cookie)
    }

    /// Counts a request that is not one of a signed-in browser.
    private func limit(_ request: HTTPRequest) throws(IdentityError) {
        try limits.take(limits.attempts(of: .other, from: request.remoteAddress ?? RequestOrigin.inProcess))
    }
}
