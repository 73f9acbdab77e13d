// SPDX-License-Identifier: Apache-2.0

import LatchCore
import LatchHTTP
package import LatchIdentityAccounts
import LatchIdentityProvider
import LatchIdentityStorage
package import LatchServer
import LatchSignIn
import LatchTexts

/// The page on which users set up and remove their authenticator app, and get new recovery codes.
package struct SecondFactorPageRoutes: Sendable {
    static let path = "\(AccountOverview.path)/factor"

    package let limits: RateLimits
    package let secondFactors: SecondFactorService
    package let overview: AccountOverview

    package init(limits: RateLimits, secondFactors: SecondFactorService, overview: AccountOverview) {
        self.limits = limits
        self.secondFactors = secondFactors
        self.overview = overview
    }

    private var sessions: AccountSessions { overview.sessions }

    package func add(to router: inout Router) {
        let context = sessions.signInPages.context
        router.group(interceptors: limits.pages(limiting: .page, in: context)) { $0.get(Self.path, show) }
        router.group(interceptors: limits.pages(limiting: .link, in: context)) { $0.post(Self.path, submit) }
    }

    @Sendable private func show(_ request: HTTPRequest) async throws -> HTTPResponse {
        try await sessions.visiting(Self.path, request, needsRecentLogin: true) { session throws(IdentityError) in
            try await statePage(in: session, request)
        }
    }

    @Sendable private func submit(_ request: HTTPRequest) async throws -> HTTPResponse {
        try await sessions.changing(
            Self.path, request,
            orShowing: { submission, error throws(IdentityError) in
                // A setup that has ended, or was replaced in another window, begins again.
                guard let setup = submission.setup, error != .noSecondFactor else {
                    return try await statePage(in: submission.session, request, problem: error)
                }
                return try setupPage(setup, in: submission.session, request, problem: error)
            }
        ) { submission in
            let code = try submission.fields.single("code")
            let isRemoval = try submission.fields.single("remove") != nil
            return try await change(code, isRemoval: isRemoval, submission)
        }
    }

    /// - Parameter code: The code that the user has typed; nil from the page without a field for it.
    private func change(
        _ code: String?, isRemoval: Bool, _ submission: AccountSessions.Submission
    ) async throws(IdentityError) -> HTTPResponse {
        let (session, request) = (submission.session, submission.request)
        let own = sessions.authenticated(session)
        if let setup = submission.setup {
            try await secondFactors.confirm(code ?? "", of: setup.secret, own, from: submission.origin)
            return try await codesPage(setup.recoveryCodes, after: session, request)
        }
        guard let code else {
            // The page of an earlier state.
            guard try await !secondFactors.isConfirmed(of: session.account.id) else {
                return try await statePage(in: session, request)
            }
            return try setupPage(try await secondFactors.enroll(own), in: session, request)
        }
        guard isRemoval else {
            let codes = try await secondFactors.replaceRecoveryCodes(code: code, own, from: submission.origin)
            return try await codesPage(codes, after: session, request)
        }
        try await secondFactors.remove(code: code, own, from: submission.origin)
        return try await overview.page(after: session, notice: Phrase("page.account.done.factor"), request)
    }

    // MARK: Pages

    /// Returns the page of the current state: a button that begins a setup, or the changes of a confirmed factor.
    private func statePage(
        in session: ActivePageSession, _ request: HTTPRequest, problem: IdentityError? = nil
    ) async throws(IdentityError) -> HTTPResponse {
        let isConfirmed = try await secondFactors.isConfirmed(of: session.account.id)
        return try sessions.form(Self.path, in: session, request, problem: problem) { token, context in
            isConfirmed
                ? HTMLPage(
                    Phrase("page.account.factor"), text: Phrase("page.account.factor.change"),
                    problem: problem?.pageProblem, invalidFields: Self.invalidFields(problem),
                    action: (Self.path, Phrase("page.account.factor.codes")), carrying: token,
                    fields: [.factorCode(in: context)],
                    others: [.init("remove", Phrase("page.account.factor.remove"))], links: AccountSessions.back,
                    in: context)
                : HTMLPage(
                    Phrase("page.account.factor.title"), text: Phrase("page.account.factor.why"),
                    problem: problem?.pageProblem, action: (Self.path, Phrase("page.account.factor.setUp")),
                    carrying: token, links: AccountSessions.back, in: context)
        }
    }

    /// Returns the page with the QR code of a setup, or with the key alone where no code can be drawn.
    private func setupPage(
        _ setup: SecondFactorService.Setup, in session: ActivePageSession, _ request: HTTPRequest,
        problem: IdentityError? = nil
    ) throws(IdentityError) -> HTTPResponse {
        let code = QRCode(setup.uri)
        return try sessions.form(Self.path, in: session, request, setup: setup, problem: problem) { token, context in
            HTMLPage(
                Phrase("page.account.factor.title"),
                text: code == nil ? Phrase("page.account.factor.type") : Phrase("page.account.factor.scan"),
                qrCode: code.map { ($0, Phrase("page.account.factor.picture")) },
                codes: ([setup.secret.inGroups], Phrase("page.account.factor.key")), problem: problem?.pageProblem,
                invalidFields: Self.invalidFields(problem), action: (Self.path, Phrase("page.button.continue")),
                carrying: token, fields: [.factorCode(in: context)], links: AccountSessions.back,
                appLink: (setup.uri, Phrase("page.account.factor.open")), in: context)
        }
    }

    private static func invalidFields(_ problem: IdentityError?) -> [String] {
        problem == .invalidCode ? ["code"] : []
    }

    /// Returns the page with the recovery codes, which are shown only here.
    private func codesPage(
        _ codes: [String], after session: ActivePageSession, _ request: HTTPRequest
    ) async throws(IdentityError) -> HTTPResponse {
        let (_, cookie) = try await sessions.pageSessions.renewed(session)
        let page = HTMLPage(
            Phrase("page.account.codes.title"), text: Phrase("page.account.codes.text"),
            codes: (codes, Phrase("page.account.codes.list")),
            links: [
                (AccountOverview.path, Phrase("page.account.codes.done")),
                session.account.isAdministrator ? (AdminRoutes.path, Phrase("page.account.admin")) : nil,
            ].compactMap(\.self),
            in: sessions.signInPages.context.accepting(request))
        return page.response().setting(cookie)
    }
}

extension String {
    /// The text in groups of four characters, for typing.
    fileprivate var inGroups: String {
        stride(from: 0, to: utf8.count, by: 4).map { String(dropFirst($0).prefix(4)) }.joined(separator: " ")
    }
}
