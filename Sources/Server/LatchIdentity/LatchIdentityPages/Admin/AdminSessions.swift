// SPDX-License-Identifier: Apache-2.0

import LatchHTTP
import LatchIdentityAccounts
package import LatchIdentityProvider
package import LatchIdentityStorage
import LatchServer
import LatchSignIn
import LatchTexts

/// The sessions in which administrators use the pages of the administration.
///
/// An administrator has signed in with two factors or with a passkey, and each change needs a recent authentication
/// (decision 0051).
package struct AdminSessions: Sendable {
    package let sessions: AccountSessions
    package let store: IdentityStore
    package let permitted: PermittedSignIns

    package init(sessions: AccountSessions, store: IdentityStore, permitted: PermittedSignIns) {
        self.sessions = sessions
        self.store = store
        self.permitted = permitted
    }

    var context: PageContext { sessions.signInPages.context }

    /// Returns a page for an administrator, or the page of the sign-in.
    ///
    /// - Parameter needsRecentLogin: Whether the page has a form, whose input a sign-in in between would lose.
    func visiting(
        _ path: String, _ request: HTTPRequest, needsRecentLogin: Bool = false,
        page: (ActivePageSession) async throws(IdentityError) -> HTTPResponse
    ) async throws(IdentityError) -> HTTPResponse {
        try await sessions.visiting(path, request) { session throws(IdentityError) in
            if try await needsSetup(session) { return setupPage(request) }
            try require(session)
            if needsRecentLogin { try sessions.recentAuthentication.require(sessions.authenticated(session)) }
            return try await page(session)
        }
    }

    /// Returns the response to a form of a page.
    func changing(
        _ path: String, _ request: HTTPRequest,
        orShowing page: (AccountSessions.Submission, IdentityError) async throws(IdentityError) -> HTTPResponse,
        change: (AccountSessions.Submission, AuthenticatedSession) async throws -> HTTPResponse
    ) async throws -> HTTPResponse {
        // A dismissed administrator must not see the page again, either.
        try await sessions.changing(path, request, require: require, orShowing: page) { submission in
            let own = sessions.authenticated(submission.session)
            try sessions.recentAuthentication.require(own)
            return try await change(submission, own)
        }
    }

    /// Returns a page of sections with buttons, and a link back.
    func page(
        _ path: String, _ title: Phrase, text: Phrase?, sections: [HTMLSection],
        others: [HTMLPage.Button<String>] = [], links: [(url: String, label: Phrase)] = [],
        back: (url: String, label: Phrase) = (AdminRoutes.path, Phrase("page.admin.back")),
        in session: ActivePageSession, _ request: HTTPRequest, notice: Phrase? = nil, problem: IdentityError?
    ) throws(IdentityError) -> HTTPResponse {
        let (browser, cookie) = try sessions.signInPages.browser(of: request)
        let page = HTMLPage(
            title, text: text, notice: notice, problem: problem?.pageProblem, sections: sections, action: path,
            carrying: try sessions.seal(path, in: session, browser: browser), others: others, links: links + [back],
            in: context.accepting(request))
        return page.response(status: problem?.form.status ?? .ok).failing(with: problem).setting(cookie)
    }

    /// Returns the page that asks before a change.
    ///
    /// - Parameter button: The button of the change, which the question shows again.
    func question(
        _ path: String, _ text: Phrase, _ button: HTMLPage.Button<String>, in session: ActivePageSession,
        _ request: HTTPRequest
    ) throws(IdentityError) -> HTTPResponse {
        try page(
            path, Phrase("page.admin.question", .text(button.label)), text: text, sections: [],
            others: [button.asked], back: (path, Phrase("page.button.cancel")), in: session, request, problem: nil)
    }

    /// - Throws: `IdentityError.noSuchPage` for any other user, who sees no administration;
    ///   `.administrationNeedsFactor`.
    private func require(_ session: ActivePageSession) throws(IdentityError) {
        guard session.account.isAdministrator else { throw .noSuchPage }
        guard session.device.factorAt != nil else { throw .administrationNeedsFactor }
    }

    /// Returns whether an administrator has neither a second factor nor a passkey to sign in with.
    private func needsSetup(_ session: ActivePageSession) async throws(IdentityError) -> Bool {
        guard session.account.isAdministrator, session.device.factorAt == nil else { return false }
        return try await !store.hasFactor(session.account.id)
    }

    /// Returns the page that leads to the setup of a second factor.
    private func setupPage(_ request: HTTPRequest) -> HTTPResponse {
        request.note(.administrationNeedsFactor)
        var links = [(url: SecondFactorPageRoutes.path, label: Phrase("page.admin.factor.app"))]
        if permitted.relyingPartyID != nil {
            links.append((PasskeyPageRoutes.path, Phrase("page.admin.factor.passkey")))
        }
        return HTMLPage(
            Phrase("problem.administrationNeedsFactor.title"), text: Phrase("page.admin.factor.text"),
            links: links + AccountSessions.back, in: context.accepting(request)
        ).response(after: .administrationNeedsFactor)
    }
}

/// A pressed button of a page, which may ask before it changes something.
struct PressedButton {
    let value: String
    /// Whether the user has pressed it again, on the page of the question.
    let isSure: Bool

    /// Reads the value that the form has sent.
    init(_ text: String) {
        isSure = text.utf8.starts(with: Self.prefix.utf8)
        value = isSure ? String(Substring(text.utf8.dropFirst(Self.prefix.utf8.count))) : text
    }

    fileprivate static let prefix = "sure "
}

extension HTMLPage.Button<String> {
    /// The button on the page of the question.
    fileprivate var asked: Self { Self(name, label, value: PressedButton.prefix + value) }
}

extension Account {
    /// Whether the account may change what belongs to the whole server, such as clients and keys.
    var isSuperAdministrator: Bool { role == .superAdmin }

    /// - Throws: `IdentityError.forbidden` unless the account is a super administrator's.
    func requireSuperAdministrator() throws(IdentityError) {
        guard isSuperAdministrator else { throw .forbidden }
    }
}
