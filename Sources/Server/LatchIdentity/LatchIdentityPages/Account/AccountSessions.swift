// SPDX-License-Identifier: Apache-2.0

import LatchAuth
import LatchHTTP
package import LatchIdentityAccounts
package import LatchIdentityProvider
import LatchIdentityStorage
import LatchServer
import LatchSignIn
import LatchTexts

/// The sessions in which users see and change their account on pages.
package struct AccountSessions: Sendable {
    package let pageSessions: PageSessionService
    package let recentAuthentication: RecentAuthenticationRule
    package let signInPages: SignInPages

    package init(
        pageSessions: PageSessionService, recentAuthentication: RecentAuthenticationRule, signInPages: SignInPages
    ) {
        self.pageSessions = pageSessions
        self.recentAuthentication = recentAuthentication
        self.signInPages = signInPages
    }

    /// A form of a page of the account, and the session whose page has sent it.
    struct Submission {
        let fields: FormFields
        let form: PageForm
        let session: ActivePageSession
        /// The second factor that the page sets up; nil for another page.
        let setup: SecondFactorService.Setup?
        let request: HTTPRequest

        var origin: RequestOrigin { request.requestOrigin }

        /// Returns the value of a field; empty if it is missing.
        func text(_ name: String) throws(ServerError) -> String { try fields.single(name) ?? "" }
    }

    /// Returns a browser's session as one of the server's own client, which may change the account.
    func authenticated(_ session: ActivePageSession) -> AuthenticatedSession {
        AuthenticatedSession(
            account: session.account, device: session.device, client: signInPages.clients.firstParty,
            scopes: Scopes())
    }

    /// Returns the text of the hidden field of a page's form.
    ///
    /// - Parameter path: The path of the page, to which a sign-in in between leads back.
    func seal(
        _ path: String, in session: ActivePageSession, browser: String, setup: SecondFactorService.Setup? = nil
    ) throws(IdentityError) -> String {
        try signInPages.seal(
            .visit(path: path), .account(device: session.device.publicID, setup: setup), browser: browser)
    }

    /// Returns a page with one form, and a link back to the account.
    func form(
        _ path: String, in session: ActivePageSession, _ request: HTTPRequest,
        setup: SecondFactorService.Setup? = nil, problem: IdentityError?,
        page: (_ token: String, _ context: PageContext) -> HTMLPage
    ) throws(IdentityError) -> HTTPResponse {
        let (browser, cookie) = try signInPages.browser(of: request)
        let token = try seal(path, in: session, browser: browser, setup: setup)
        return page(token, signInPages.context.accepting(request)).response(status: problem?.form.status ?? .ok)
            .failing(with: problem).setting(cookie)
    }

    /// The link from a page to that of the account.
    static let back = [(url: AccountOverview.path, label: Phrase("page.account.back"))]

    /// Returns a page for the user of a session, or the page of the sign-in.
    ///
    /// - Parameter needsRecentLogin: Whether the user must have authenticated recently (decision 0051). It is asked
    ///   before the user types, since a sign-in in between would lose the input.
    func visiting(
        _ path: String, _ request: HTTPRequest, needsRecentLogin: Bool = false,
        page: (ActivePageSession) async throws(IdentityError) -> HTTPResponse
    ) async throws(IdentityError) -> HTTPResponse {
        do throws(IdentityError) {
            guard let session = try await pageSessions.active(in: request) else { throw .loginEnded }
            if needsRecentLogin { try recentAuthentication.require(authenticated(session)) }
            return try await page(session)
        } catch {
            return try await failure(error, path: path, request)
        }
    }

    /// Returns the response to a form of a page.
    ///
    /// A form of another browser, user or page changes nothing, and its sender signs in.
    ///
    /// - Parameters:
    ///   - require: Checks that the user may see the page at all.
    ///   - page: Returns the page again, with the reason why nothing was changed.
    func changing(
        _ path: String, _ request: HTTPRequest,
        require: (ActivePageSession) throws(IdentityError) -> Void = { _ throws(IdentityError) in },
        orShowing page: (Submission, IdentityError) async throws(IdentityError) -> HTTPResponse,
        change: (Submission) async throws -> HTTPResponse
    ) async throws -> HTTPResponse {
        let fields = try request.formFields()
        do {
            let (form, isOwn) = try signInPages.form(in: fields, of: request)
            guard isOwn, case .visit(path, _) = form.purpose, case .account(let device, let setup) = form.step,
                let session = try await pageSessions.active(in: request), session.device.publicID == device
            else { throw IdentityError.loginEnded }
            try require(session)
            let submission = Submission(fields: fields, form: form, session: session, setup: setup, request: request)
            do { return try await change(submission) } catch let error as IdentityError {
                guard error.form.isDisclosed, !error.needsSignIn else { throw error }
                request.note(error)
                return try await page(submission, error)
            }
        } catch let error as IdentityError {
            return try await failure(error, path: path, request)
        }
    }

    /// Returns the page of an error: the sign-in, if that helps.
    private func failure(_ error: IdentityError, path: String, _ request: HTTPRequest) async throws(IdentityError)
        -> HTTPResponse
    {
        if error != .loginEnded { request.note(error) }
        guard error.needsSignIn else {
            return signInPages.context.accepting(request).failure(error, links: Self.back)
        }
        guard error != .loginEnded, let account = try await pageSessions.active(in: request)?.account else {
            return try signInPages.signIn(for: .visit(path: path), in: request)
        }
        return try signInPages.signIn(
            for: .visit(path: path, again: account.id), in: request, name: account.label,
            problem: error == .invalidToken ? .signInAgain : error)
    }
}

extension IdentityError {
    /// Whether the user of a page signs in again.
    fileprivate var needsSignIn: Bool {
        [.signInAgain, .administrationNeedsFactor, .loginEnded, .invalidToken].contains(self)
    }
}
