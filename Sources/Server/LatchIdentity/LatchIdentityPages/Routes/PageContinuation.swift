// SPDX-License-Identifier: Apache-2.0

package import LatchAuth
import LatchCore
package import LatchHTTP
package import LatchIdentityAccounts
package import LatchIdentityProvider
package import LatchIdentityStorage
import LatchServer

/// The end of each page on which a user signs in or up: the request that began it, another device, or a page.
package struct PageContinuation: Sendable {
    package let authorizations: AuthorizationService
    package let pageSessions: PageSessionService
    package let signInPages: SignInPages
    package let signUpCodes: MailedCodePages
    package let deviceRoutes: DeviceRoutes

    package init(
        authorizations: AuthorizationService, pageSessions: PageSessionService, signInPages: SignInPages,
        signUpCodes: MailedCodePages, deviceRoutes: DeviceRoutes
    ) {
        self.authorizations = authorizations
        self.pageSessions = pageSessions
        self.signInPages = signInPages
        self.signUpCodes = signUpCodes
        self.deviceRoutes = deviceRoutes
    }

    /// Performs the next step of a request.
    ///
    /// Errors for the client are sent to its redirect URI.
    package func takeNextStep(
        of pending: PendingAuthorization, in session: ActivePageSession?, _ request: HTTPRequest, isNew: Bool = false,
        agreed: Scopes? = nil
    ) async throws(IdentityError) -> HTTPResponse {
        let next: AuthorizationService.Next
        do throws(IdentityError) {
            next = try await authorizations.next(
                pending, in: session, from: request.requestOrigin, isNew: isNew, agreed: agreed)
        } catch {
            guard error != .invalidAuthorization("") else { throw error }
            guard error != .signInWayMissing else {
                request.note(error)
                return try signInPages.missingWay(for: .authorization(pending), in: request)
            }
            return refused(
                error,
                try await authorizations.response(
                    of: error, for: pending, hasUser: session != nil || request.fields["Sec-Fetch-Dest"] == "iframe"),
                request)
        }
        switch next {
        case .respond(let response): return signInPages.response(response, in: request)
        case .signIn:
            return try signInPages.signIn(
                for: .authorization(pending), in: request, name: pending.loginHint ?? "",
                problem: isNew ? Self.problem(of: session, for: pending.signInWays) : nil)
        case .signUp: return try signUpCodes.address(for: .authorization(pending), in: request)
        case .consent(let client, let scopes, let kept):
            guard let session else { throw .loginEnded }
            let (browser, cookie) = try signInPages.browser(of: request)
            return try signInPages.consent(
                pending, client, scopes, kept: kept, in: session, browser: browser, request
            ).setting(cookie)
        }
    }

    /// Returns why a user who has just signed in must do so again.
    ///
    /// One who has signed in as the client wants has a passkey, and has not used it.
    static func problem(of session: ActivePageSession?, for ways: Set<SignInWay>?) -> IdentityError {
        guard let ways, let session, !ways.contains(where: { $0 == session.way }) else { return .unmetAuthentication }
        return .signInWayRefused
    }

    /// Begins the browser's session, and continues with the purpose of the sign-in.
    package func startBrowserSession(
        _ proof: AdmittedProof, _ form: PageForm, _ request: HTTPRequest
    ) async throws(IdentityError) -> HTTPResponse {
        let (session, cookie) = try await pageSessions.begin(proof, in: request)
        return try await continueToPurpose(in: session, cookie, form, request)
    }

    /// Continues with the purpose of the sign-in.
    package func continueToPurpose(
        in session: ActivePageSession, _ cookie: String, _ form: PageForm, _ request: HTTPRequest
    ) async throws(IdentityError) -> HTTPResponse {
        switch form.purpose {
        case .authorization(let pending):
            return try await takeNextStep(of: pending, in: session, request, isNew: true).setting(cookie)
        case .device(let code, _):
            do throws(IdentityError) {
                return try await deviceRoutes.decisionPage(code, in: session, request, isNew: true).setting(cookie)
            } catch {
                // The user is signed in nevertheless.
                guard error == .unmetAuthentication else { throw error }
                request.note(error)
                return signInPages.context.accepting(request).failure(error).setting(cookie)
            }
        case .visit(let path, let again):
            // Another user has not asked for the change that the page makes.
            let page = again == nil || again == session.account.id ? path : AccountOverview.path
            return HTTPResponse.seeOther(signInPages.context.url(page)).setting(cookie)
        case .signOut, .application: throw .loginEnded
        }
    }

    /// Returns to the client without a code.
    package func refuse(_ form: PageForm, _ request: HTTPRequest) async throws(IdentityError) -> HTTPResponse {
        guard case .authorization(let pending) = form.purpose else { throw .loginEnded }
        return refused(
            .authorizationDenied, try await authorizations.response(of: .authorizationDenied, for: pending), request)
    }

    /// Returns the response that takes an error to the client, and records its code for the log.
    package func refused(
        _ error: IdentityError, _ response: AuthorizationReturn, _ request: HTTPRequest
    ) -> HTTPResponse {
        request.noteRefusal(error)
        return signInPages.response(response, in: request)
    }
}
