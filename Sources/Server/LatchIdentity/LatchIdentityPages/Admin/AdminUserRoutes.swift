// SPDX-License-Identifier: Apache-2.0

import LatchCore
package import LatchCrypto
import LatchHTTP
package import LatchIdentityAccounts
import LatchIdentityProvider
import LatchIdentityStorage
package import LatchServer
import LatchSignIn
import LatchTexts

/// The pages on which administrators find, invite and change accounts.
package struct AdminUserRoutes: Sendable {
    static let inviting = "\(AdminUserPages.path)/invite"

    package let limits: RateLimits
    package let pepper: SymmetricKey
    package let accounts: AccountService
    package let administration: AdministrationService
    package let admins: AdminSessions

    package init(
        limits: RateLimits, pepper: SymmetricKey, accounts: AccountService, administration: AdministrationService,
        admins: AdminSessions
    ) {
        self.limits = limits
        self.pepper = pepper
        self.accounts = accounts
        self.administration = administration
        self.admins = admins
    }

    private var pages: AdminUserPages {
        AdminUserPages(admins: admins, administration: administration, attributes: accounts.attributes)
    }

    package func add(to router: inout Router) {
        router.group(interceptors: limits.pages(limiting: .page, in: admins.context)) { reads in
            reads.get(AdminUserPages.path, list)
            reads.get(Self.inviting, showInvitation)
            reads.get("\(AdminUserPages.path)/{id}", show)
        }
        router.group(interceptors: limits.pages(limiting: .link, in: admins.context)) { changes in
            changes.post(Self.inviting, invite)
            changes.post("\(AdminUserPages.path)/{id}", press)
        }
    }

    // MARK: The list

    @Sendable private func list(_ request: HTTPRequest) async throws -> HTTPResponse {
        try await admins.visiting(AdminUserPages.path, request) { session throws(IdentityError) in
            let fields = request.queryItems
            var query = AccountQuery()
            query.search = String((fields["q"] ?? "").trimmingSpace())
            query.status = AccountStatus(rawValue: fields["status"] ?? "")
            query.role = Role(named: fields["role"] ?? "")
            let codec = CursorCodec(pepper: pepper)
            if let after = fields["after"] { query.after = try codec.decode(after, for: query) }
            let page = try await administration.list(query, for: session.account, withDetails: false)
            return pages.list(
                page, query, next: page.next.map { codec.encode($0, for: query) }, request)
        }
    }

    // MARK: One account

    /// Returns the ID of the account of a request's page.
    private func id(_ request: HTTPRequest) throws(IdentityError) -> String {
        guard let id = request.pathParameter("id"), id.isWord(maximum: 64, also: "-_") else { throw .noSuchAccount }
        return id
    }

    @Sendable private func show(_ request: HTTPRequest) async throws -> HTTPResponse {
        let id = try id(request)
        return try await admins.visiting(AdminUserPages.path(of: id), request) { session throws(IdentityError) in
            try await pages.page(of: id, in: session, request)
        }
    }

    /// Handles a button.
    @Sendable private func press(_ request: HTTPRequest) async throws -> HTTPResponse {
        let id = try id(request)
        return try await admins.changing(
            AdminUserPages.path(of: id), request,
            orShowing: { submission, error throws(IdentityError) in
                try await pages.page(of: id, in: submission.session, request, problem: error)
            }
        ) { submission, own in
            for action in AdminUserPages.Action.allCases {
                guard let text = try submission.fields.single(action.rawValue) else { continue }
                let pressed = PressedButton(text)
                if !pressed.isSure, action.question(pressed.value) != nil {
                    return try await pages.question(action, pressed.value, on: id, in: submission.session, request)
                }
                let notice = try await perform(action, pressed.value, on: id, own)
                return try await pages.page(of: id, in: submission.session, request, notice: notice)
            }
            return try await pages.page(of: id, in: submission.session, request)
        }
    }

    /// The error for a second factor that was removed in the meantime.
    private static let noFactor = {
        var error = IdentityError.noSecondFactor
        error.pageKey = "noSuchEntry"
        return error
    }()

    /// Performs a change, and returns its result for the page.
    private func perform(
        _ action: AdminUserPages.Action, _ value: String, on id: String, _ own: AuthenticatedSession
    ) async throws(IdentityError) -> Phrase {
        switch action {
        case .status:
            guard let status = Account.Status(rawValue: value) else { throw .invalidInput }
            guard try await administration.setStatus(of: id, to: status, by: own.actor) else { throw .noSuchAccount }
            return Phrase("page.admin.done.status")
        case .role:
            guard let role = Role(named: value) else { throw .invalidInput }
            guard try await administration.setRole(of: id, to: role, by: own.actor) else { throw .noSuchAccount }
            return Phrase("page.admin.done.role")
        case .signOut:
            guard try await administration.endSessions(of: id, by: own.actor) != nil else { throw .noSuchAccount }
            return Phrase("page.admin.done.signOut")
        case .signOutDevice:
            guard try await administration.endSession(ofDevice: value, of: id, by: own.actor) else {
                throw .noSuchDevice
            }
            return Phrase("page.account.done.signOutDevice")
        case .resetPassword:
            guard try await administration.mailReset(of: id, by: own.actor) else { throw .noSuchAccount }
            return Phrase("page.admin.done.reset")
        case .removeFactor:
            guard try await administration.removeFactor(of: id, by: own.actor) == true else { throw Self.noFactor }
            return Phrase("page.admin.done.factor")
        case .removePasskeys:
            guard try await administration.removePasskeys(of: id, by: own.actor) == true else { throw .noSuchPasskey }
            return Phrase("page.admin.done.passkeys")
        case .removeLink:
            guard try await administration.removeLink(to: value, of: id, by: own.actor) == true else {
                throw .notLinked
            }
            return Phrase("page.account.done.disconnect")
        }
    }

    // MARK: Invitations

    @Sendable private func showInvitation(_ request: HTTPRequest) async throws -> HTTPResponse {
        try await admins.visiting(Self.inviting, request, needsRecentLogin: true) { session throws(IdentityError) in
            try invitationPage(in: session, request)
        }
    }

    @Sendable private func invite(_ request: HTTPRequest) async throws -> HTTPResponse {
        try await admins.changing(
            Self.inviting, request,
            orShowing: { submission, error throws(IdentityError) in
                try invitationPage(in: submission.session, request, submission, problem: error)
            }
        ) { submission, own in
            guard let role = Role(named: try submission.text("role")) else { throw IdentityError.invalidInput }
            let account = try await accounts.invite(
                email: try submission.text("email"), name: try submission.text("name"), roles: role.words, by: own,
                from: submission.origin)
            return try await pages.page(
                of: account.id, in: submission.session, request,
                notice: Phrase("page.admin.done.invited", .text(account.label)))
        }
    }

    private func invitationPage(
        in session: ActivePageSession, _ request: HTTPRequest, _ submission: AccountSessions.Submission? = nil,
        problem: IdentityError? = nil
    ) throws(IdentityError) -> HTTPResponse {
        try admins.sessions.form(Self.inviting, in: session, request, problem: problem) { token, context in
            HTMLPage(
                Phrase("page.admin.invite.title"), text: Phrase("page.admin.invite.text"),
                problem: problem.map { $0 == .alreadyExists ? Phrase("page.admin.invite.taken") : $0.pageProblem },
                invalidFields: [.invalidEmail, .alreadyExists].contains(problem) ? ["email"] : [],
                action: (Self.inviting, Phrase("page.admin.invite.submit")), carrying: token,
                fields: [
                    .newAddress(
                        label: context.texts(Phrase("page.field.email")), value: submission?.fields["email"] ?? ""),
                    .title(
                        "name", label: context.texts(Phrase("page.account.name")),
                        hint: context.texts(Phrase("page.field.personName.hint")),
                        value: submission?.fields["name"] ?? ""),
                    .choice(
                        "role", label: context.texts(Phrase("page.admin.users.role")),
                        options: Role.allCases.filter {
                            $0 < session.account.role || session.account.isSuperAdministrator
                        }.map { ($0.name, context.texts($0.phrase)) },
                        value: submission?.fields["role"] ?? Role.user.name),
                ],
                links: [(AdminUserPages.path, Phrase("page.admin.users.title"))], in: context)
        }
    }
}
