// SPDX-License-Identifier: Apache-2.0

import LatchAuth
import LatchCore
import LatchFoundation
import LatchHTTP
import LatchIdentityAccounts
import LatchIdentityProvider
import LatchIdentityStorage
import LatchSignIn
import LatchTexts

/// The pages on which administrators find and change accounts.
struct AdminUserPages: Sendable {
    static let path = "\(AdminRoutes.path)/users"

    let admins: AdminSessions
    let administration: AdministrationService
    let attributes: AttributeRules

    /// Returns the path of the page of an account.
    static func path(of id: String) -> String { "\(path)/\(id)" }

    /// A button of the page of an account: the name of its field.
    enum Action: String, CaseIterable, Sendable {
        case status, role
        case signOut = "sign-out"
        case signOutDevice = "sign-out-device"
        case resetPassword = "reset-password"
        case removeFactor = "remove-factor"
        case removePasskeys = "remove-passkeys"
        case removeLink = "remove-link"
    }

    // MARK: The list

    /// Returns a page of the list.
    ///
    /// - Parameters:
    ///   - query: The filters, as the form has sent them.
    ///   - next: The cursor of the next page; nil on the last one.
    func list(
        _ page: AccountPage, _ query: AccountQuery, next: String?, _ request: HTTPRequest
    ) -> HTTPResponse {
        let context = admins.context.accepting(request)
        let texts = context.texts
        let section = HTMLSection(
            page.isTotalMinimum
                ? texts(Phrase("page.admin.users.atLeast", .text("\(page.total)")))
                : texts(Phrase("page.admin.users.count", .count(page.total))),
            text: page.accounts.isEmpty ? texts(Phrase("page.admin.users.none")) : nil,
            entries: page.accounts.map { entry($0, context) })
        return HTMLPage(
            Phrase("page.admin.users.title"), text: nil,
            search: [
                .search("q", label: texts(Phrase("page.admin.users.search")), value: query.search),
                .choice(
                    "status", label: texts(Phrase("page.admin.users.status")),
                    options: [("", texts(Phrase("page.admin.any")))]
                        + AccountStatus.allCases.map { ($0.rawValue, texts($0.phrase)) },
                    value: query.status?.rawValue ?? ""),
                .choice(
                    "role", label: texts(Phrase("page.admin.users.role")),
                    options: [("", texts(Phrase("page.admin.any")))]
                        + Role.allCases.map { ($0.name, texts($0.phrase)) },
                    value: query.role?.name ?? ""),
            ],
            sections: [section],
            links: [
                next.map { (nextURL($0, query), Phrase("page.admin.next")) },
                (AdminUserRoutes.inviting, Phrase("page.admin.invite.title")),
                (AdminRoutes.path, Phrase("page.admin.back")),
            ].compactMap(\.self), in: context
        ).response()
    }

    private func nextURL(_ cursor: String, _ query: AccountQuery) -> String {
        let fields = [
            ("q", query.search), ("status", query.status?.rawValue ?? ""), ("role", query.role?.name ?? ""),
            ("after", cursor),
        ]
        return "\(Self.path)?\(FormEncoding.encode(fields.filter { !$0.1.isEmpty }))"
    }

    private func entry(_ full: FullAccount, _ context: PageContext) -> HTMLSection.Entry {
        let texts = context.texts
        let account = full.account
        let role = account.role == .user ? nil : texts(account.role.phrase)
        return .init(
            context.label(of: account),
            details: [
                account.name, role, texts(Phrase("page.admin.users.created", .date(account.createdAt))),
                full.lastLoginAt.map { texts(Phrase("page.admin.users.lastSignIn", .date($0))) },
            ].compactMap(\.self),
            mark: full.status == .active ? nil : texts(full.status.phrase),
            links: [HTMLPage.Link(context.url(Self.path(of: account.id)), texts(Phrase("page.account.show")))])
    }
}

extension AccountStatus {
    var phrase: Phrase {
        switch self {
        case .active: Phrase("page.admin.status.active")
        case .inactive: Phrase("page.admin.status.inactive")
        case .suspended: Phrase("page.admin.status.suspended")
        case .banned: Phrase("page.admin.status.banned")
        case .pendingVerification: Phrase("page.admin.status.pending")
        }
    }
}

extension Role {
    var phrase: Phrase {
        switch self {
        case .user: Phrase("page.admin.role.user")
        case .moderator: Phrase("page.admin.role.moderator")
        case .admin: Phrase("page.admin.role.admin")
        case .superAdmin: Phrase("page.admin.role.superAdmin")
        }
    }
}
