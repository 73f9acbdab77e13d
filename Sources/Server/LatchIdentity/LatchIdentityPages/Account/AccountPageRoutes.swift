// SPDX-License-Identifier: Apache-2.0

import LatchAuth
import LatchCore
import LatchHTTP
package import LatchIdentityAccounts
package import LatchIdentityProvider
import LatchIdentityStorage
package import LatchServer
import LatchSignIn
import LatchTexts

/// The page of an account with its buttons, and the pages that change its profile and password.
package struct AccountPageRoutes: Sendable {
    package let limits: RateLimits
    package let accounts: AccountService
    package let administration: AdministrationService
    package let consents: ConsentService
    package let passkeys: PasskeyService
    package let upstreamSignIns: UpstreamSignInService
    package let deletions: AccountDeletionService
    package let factorRecoveries: FactorRecoveryService
    package let tokens: TokenService
    package let providerSignIns: ProviderSignIns
    package let logout: LogoutRoutes
    package let overview: AccountOverview

    package init(
        limits: RateLimits, accounts: AccountService, administration: AdministrationService,
        consents: ConsentService, passkeys: PasskeyService, upstreamSignIns: UpstreamSignInService,
        deletions: AccountDeletionService, factorRecoveries: FactorRecoveryService, tokens: TokenService,
        providerSignIns: ProviderSignIns,
        logout: LogoutRoutes, overview: AccountOverview
    ) {
        self.limits = limits
        self.accounts = accounts
        self.administration = administration
        self.consents = consents
        self.passkeys = passkeys
        self.upstreamSignIns = upstreamSignIns
        self.deletions = deletions
        self.factorRecoveries = factorRecoveries
        self.tokens = tokens
        self.providerSignIns = providerSignIns
        self.logout = logout
        self.overview = overview
    }

    private var sessions: AccountSessions { overview.sessions }

    package func add(to router: inout Router) {
        let context = sessions.signInPages.context
        router.group(interceptors: limits.pages(limiting: .page, in: context)) { reads in
            reads.get(AccountOverview.path, show)
            for change in AccountChange.allCases {
                reads.get(change.path) { try await show(change, $0) }
            }
        }
        router.group(interceptors: limits.pages(limiting: .link, in: context)) { changes in
            changes.post(AccountOverview.path, press)
            for change in AccountChange.allCases {
                changes.post(change.path) { try await submit(change, $0) }
            }
        }
    }

    // MARK: The page of the account

    @Sendable private func show(_ request: HTTPRequest) async throws -> HTTPResponse {
        try await sessions.visiting(AccountOverview.path, request) { session throws(IdentityError) in
            try await overview.page(in: session, request)
        }
    }

    /// Handles a button.
    @Sendable private func press(_ request: HTTPRequest) async throws -> HTTPResponse {
        try await sessions.changing(
            AccountOverview.path, request,
            orShowing: { submission, error throws(IdentityError) in
                try await overview.page(in: submission.session, request, problem: error)
            }
        ) { submission in
            for action in AccountOverview.Action.allCases {
                guard let value = try submission.fields.single(action.rawValue) else { continue }
                return try await perform(action, value, submission)
            }
            return try await overview.page(in: submission.session, request)
        }
    }

    private func perform(
        _ action: AccountOverview.Action, _ value: String, _ submission: AccountSessions.Submission
    ) async throws(IdentityError) -> HTTPResponse {
        let (session, request) = (submission.session, submission.request)
        let own = sessions.authenticated(session)
        switch action {
        case .signOutDevice:
            guard try await tokens.signOut(device: value, of: session.account.id) else { throw .noSuchDevice }
        case .signOutOthers: try await tokens.signOutOthers(than: session.device)
        case .withdraw: try await consents.withdraw(value, for: own, from: submission.origin)
        case .removePasskey:
            try await passkeys.remove(value, for: own, from: submission.origin)
            return try await overview.page(after: session, notice: action.notice, request)
        case .connect: return try await connect(value, submission)
        case .disconnect:
            try await upstreamSignIns.unlink(value, from: own, by: submission.origin)
            return try await overview.page(after: session, notice: action.notice, request)
        case .export: return try await export(own)
        case .keepAccount: try await deletions.cancel(for: own)
        case .keepFactor: try await factorRecoveries.cancel(for: own)
        case .signOut: return try await logout.end(session, request)
        }
        return try await overview.page(in: session, request, notice: action.notice)
    }

    /// Returns a file with everything that the store holds about the account.
    private func export(_ session: AuthenticatedSession) async throws(IdentityError) -> HTTPResponse {
        try sessions.recentAuthentication.require(session)
        let content = try await overview.store.personalData(of: session.accountID)
        try await overview.store.audit(
            "account.exported", account: session.accountID, detail: nil, at: overview.clock.now)
        var response = HTTPResponse.json(content)
        response.fields["Content-Disposition"] = #"attachment; filename="account.json""#
        response.fields[.cacheControl] = "no-store"
        return response
    }

    /// Redirects to a provider, whose response links it to the account after the user's confirmation.
    private func connect(
        _ provider: String, _ submission: AccountSessions.Submission
    ) async throws(IdentityError) -> HTTPResponse {
        try sessions.recentAuthentication.require(sessions.authenticated(submission.session))
        return try await providerSignIns.begin(
            provider, submission.form, for: .link, choosesAccount: true, submission.request
        ) { error throws(IdentityError) in
            try await overview.page(in: submission.session, submission.request, problem: error)
        }
    }

    // MARK: Profile and password

    private func show(_ change: AccountChange, _ request: HTTPRequest) async throws -> HTTPResponse {
        try await sessions.visiting(change.path, request, needsRecentLogin: change.needsRecentLogin) {
            session throws(IdentityError) in
            // An account without a password gets its first one by email, and a change of the address asks for it.
            guard change == .name || session.account.passwordHash != nil && overview.permitted.permits(.password)
            else {
                return .seeOther(sessions.signInPages.context.url(MailRequestPages.Kind.password.path))
            }
            return try change.page(in: session, sessions, request)
        }
    }

    private func submit(_ change: AccountChange, _ request: HTTPRequest) async throws -> HTTPResponse {
        try await sessions.changing(
            change.path, request,
            orShowing: { submission, error throws(IdentityError) in
                try change.page(
                    in: submission.session, sessions, request, typed: submission.fields[change.field], problem: error)
            }
        ) { submission in
            let own = sessions.authenticated(submission.session)
            switch change {
            case .name: return try await rename(to: try submission.text("name"), own, submission)
            case .email: return try await moveEmail(to: try submission.text("email"), own, submission)
            case .password:
                return try await changePassword(
                    from: try submission.text("password"), to: try submission.text("new_password"), own, submission)
            }
        }
    }

    private func rename(
        to name: String, _ own: AuthenticatedSession, _ submission: AccountSessions.Submission
    ) async throws(IdentityError) -> HTTPResponse {
        _ = try await administration.change(AccountDetailsChange(name: name), of: own.accountID, by: own.actor)
        return try await overview.page(
            in: submission.session, submission.request, notice: Phrase("page.account.done.name"))
    }

    private static let sameEmail = {
        var error = IdentityError.invalid("email", "is the present one")
        error.pageKey = "sameEmail"
        return error
    }()

    private func moveEmail(
        to email: String, _ own: AuthenticatedSession, _ submission: AccountSessions.Submission
    ) async throws(IdentityError) -> HTTPResponse {
        guard overview.permitted.permits(.password) else { throw .signInWayOff }
        guard own.account.passwordHash != nil else { throw .invalidInput }
        guard try EmailAddress(email).key != own.account.email?.key else { throw Self.sameEmail }
        try await accounts.changeEmail(of: own, to: email, from: submission.origin)
        // An address that was never confirmed confirms nothing.
        let notice =
            own.account.emailVerifiedAt == nil
            ? Phrase("page.account.done.newEmail", .text(email)) : Phrase("page.account.done.email", .text(email))
        return try await overview.page(in: submission.session, submission.request, notice: notice)
    }

    private func changePassword(
        from old: String, to new: String, _ own: AuthenticatedSession, _ submission: AccountSessions.Submission
    ) async throws(IdentityError) -> HTTPResponse {
        do throws(IdentityError) {
            try await accounts.changePassword(
                of: own, from: old, to: new, signingOutOthers: true, from: submission.origin)
        } catch {
            guard error == .invalidCredentials else { throw error }
            var wrong = error
            wrong.pageKey = "wrongPassword"
            throw wrong
        }
        return try await overview.page(
            after: submission.session, notice: Phrase("page.account.done.password"), submission.request)
    }
}
