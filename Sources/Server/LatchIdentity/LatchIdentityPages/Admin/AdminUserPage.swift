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

/// The page of one account, with the buttons of its administration.
extension AdminUserPages {
    /// Returns the page.
    ///
    /// - Parameters:
    ///   - notice: The result of the last change.
    ///   - problem: The reason why the last change was not made.
    func page(
        of id: String, in session: ActivePageSession, _ request: HTTPRequest, notice: Phrase? = nil,
        problem: IdentityError? = nil
    ) async throws(IdentityError) -> HTTPResponse {
        let full = try await administration.account(id, for: session.account)
        let context = admins.context.accepting(request)
        let isOther = full.account.id != session.account.id
        let sections = [
            profile(full, context), attributes(full.account, context),
            isOther ? standing(full, of: session.account, context) : nil,
            try await ways(full.account, isOther: isOther, context),
            try await devices(full.account, isOther: isOther, context),
        ]
        return try admins.page(
            Self.path(of: id), Phrase("page.admin.title.of", .text(context.label(of: full.account))),
            text: isOther ? nil : Phrase("page.admin.user.own"), sections: sections.compactMap(\.self),
            links: [
                isOther ? nil : (AccountOverview.path, Phrase("page.account.title")),
                (AdminRoutes.auditPath(of: id), Phrase("page.admin.user.audit")),
            ].compactMap(\.self),
            back: (Self.path, Phrase("page.admin.users.title")), in: session, request, notice: notice,
            problem: problem)
    }

    /// Returns the page that asks before a change.
    func question(
        _ action: Action, _ value: String, on id: String, in session: ActivePageSession, _ request: HTTPRequest
    ) async throws(IdentityError) -> HTTPResponse {
        let full = try await administration.account(id, for: session.account)
        guard let key = action.question(value) else { throw .invalidInput }
        let context = admins.context.accepting(request)
        return try admins.question(
            Self.path(of: id), Phrase(key, .text(context.label(of: full.account))),
            button(action, value, in: context), in: session, request)
    }

    private func button(_ action: Action, _ value: String = "yes", in context: PageContext)
        -> HTMLPage.Button<String>
    {
        .init(action.rawValue, context.texts(action.phrase(value)), value: value)
    }

    private func profile(_ full: FullAccount, _ context: PageContext) -> HTMLSection {
        let texts = context.texts
        let account = full.account
        return HTMLSection(
            texts(Phrase("page.account.profile")),
            entries: [
                .init(account.id, details: [texts(Phrase("page.admin.user.id"))]),
                account.name.map { .init($0, details: [texts(Phrase("page.account.name"))]) },
                .init(
                    account.email?.text ?? texts(Phrase("page.account.email.none")),
                    details: account.email == nil
                        ? []
                        : [
                            texts(
                                account.emailVerifiedAt == nil
                                    ? Phrase("page.account.email.unverified") : Phrase("page.account.email.verified"))
                        ]),
                .init(
                    texts(Phrase("page.admin.users.created", .date(account.createdAt))),
                    details: [full.lastLoginAt.map { texts(Phrase("page.admin.users.lastSignIn", .date($0))) }]
                        .compactMap(\.self)),
            ].compactMap(\.self))
    }

    /// Returns all attributes, also those that the settings no longer name; nil for none.
    private func attributes(_ account: Account, _ context: PageContext) -> HTMLSection? {
        let texts = context.texts
        guard !account.attributes.isEmpty else { return nil }
        return HTMLSection(
            texts(Phrase("page.admin.user.attributes")),
            entries: account.attributes.sorted { $0.key < $1.key }.map { name, value in
                let key: String? =
                    switch attributes[name]?.reader {
                    case .user: nil
                    case .administrator: "page.admin.user.attributes.private"
                    case nil: "page.admin.user.attributes.unknown"
                    }
                return .init(value.shown(in: texts), details: [name], mark: key.map { texts(Phrase($0)) })
            })
    }

    /// Returns the status and the role, with the changes that the administrator may make.
    private func standing(_ full: FullAccount, of actor: Account, _ context: PageContext) -> HTMLSection {
        let texts = context.texts
        let account = full.account
        let statuses = [Account.Status.active, .suspended, .banned].filter { $0 != account.status }
        let roles = Role.allCases.filter { $0 != account.role && ($0 < actor.role || actor.role == .superAdmin) }
        return HTMLSection(
            texts(Phrase("page.admin.user.standing")),
            entries: [.init(texts(full.status.phrase), details: [texts(Phrase("page.admin.users.status"))])]
                + statuses.map {
                    .init(texts($0.meaning), button: button(.status, $0.rawValue, in: context))
                }
                + [.init(texts(account.role.phrase), details: [texts(Phrase("page.admin.users.role"))])]
                + roles.map { .init(texts($0.meaning), button: button(.role, $0.name, in: context)) })
    }

    private func ways(_ account: Account, isOther: Bool, _ context: PageContext) async throws(IdentityError)
        -> HTMLSection
    {
        let texts = context.texts
        let hasFactor = try await admins.store.secondFactor(of: account.id, isConfirmed: true) != nil
        let passkeys = try await admins.store.passkeys(of: account.id)
        let links = try await admins.store.links(of: account.id)
        let password = account.passwordHash == nil ? "page.account.password.none" : "page.account.password.since"
        // The email is the first proof of the owner, which ends what was set before (decision 0050).
        let loss = account.ownerProvedAt == nil && isOther ? texts(Phrase("page.admin.user.loss")) : nil
        return HTMLSection(
            texts(Phrase("page.account.ways")),
            entries: [
                .init(
                    texts(Phrase("page.field.password")),
                    details: [texts(Phrase(password, .date(account.passwordChangedAt))), loss].compactMap(\.self),
                    // No email is sent to an account that cannot sign in.
                    button: isOther && account.status == .active && admins.permitted.permits(.password)
                        ? button(.resetPassword, in: context) : nil),
                .init(
                    texts(Phrase("page.account.factor")),
                    details: [texts(Phrase(hasFactor ? "page.account.factor.on" : "page.account.factor.off"))],
                    button: hasFactor && isOther ? button(.removeFactor, in: context) : nil),
                .init(
                    texts(Phrase("page.account.passkeys")),
                    details: [texts(Phrase("page.admin.user.passkeys", .count(passkeys.count)))],
                    button: !passkeys.isEmpty && isOther ? button(.removePasskeys, in: context) : nil),
            ]
                + links.map {
                    .init(
                        $0.identity.provider, details: [$0.identity.email?.text].compactMap(\.self),
                        button: isOther ? button(.removeLink, $0.identity.provider, in: context) : nil)
                })
    }

    private func devices(_ account: Account, isOther: Bool, _ context: PageContext) async throws(IdentityError)
        -> HTMLSection
    {
        let texts = context.texts
        let devices = try await administration.devices(of: account.id)
        return HTMLSection(
            texts(Phrase("page.account.devices")),
            text: devices.isEmpty ? texts(Phrase("page.admin.user.devices.none")) : nil,
            entries: devices.map { device in
                let words = [device.clientID, UserAgentDescription(of: device).text]
                    .compactMap(\.self).filter { $0 != Device.pagesClientID }
                return .init(
                    words.isEmpty ? texts(Phrase("page.account.device.unknown")) : words.joined(separator: ", "),
                    details: [device.address, texts(Phrase("page.account.used", .date(device.lastUsedAt)))]
                        .compactMap(\.self),
                    button: isOther ? button(.signOutDevice, device.publicID, in: context) : nil)
            }, button: devices.isEmpty || !isOther ? nil : button(.signOut, in: context))
    }
}

extension AdminUserPages.Action {
    /// Returns the key of the text that a page shows before the change; nil if another press undoes it.
    func question(_ value: String) -> String? {
        switch self {
        case .status: value == Account.Status.banned.rawValue ? "page.admin.question.status" : nil
        case .role: "page.admin.question.role"
        case .signOut: "page.admin.question.signOut"
        case .removeFactor: "page.admin.question.removeFactor"
        case .removePasskeys: "page.admin.question.removePasskeys"
        case .removeLink: "page.admin.question.removeLink"
        case .signOutDevice, .resetPassword: nil
        }
    }

    /// The label of the button.
    fileprivate func phrase(_ value: String) -> Phrase {
        switch self {
        case .status: Account.Status(rawValue: value)?.change ?? Phrase("page.admin.user.suspend")
        case .role: Phrase("page.admin.user.makeRole", .phrase(Role(named: value)?.phrase ?? Role.user.phrase))
        case .signOut: Phrase("page.admin.user.signOut")
        case .signOutDevice: Phrase("page.account.device.end")
        case .resetPassword: Phrase("page.admin.user.reset")
        case .removeFactor, .removePasskeys: Phrase("page.account.remove")
        case .removeLink: Phrase("page.account.disconnect")
        }
    }
}

extension Account.Status {
    /// The change to the status, for a button.
    fileprivate var change: Phrase {
        switch self {
        case .active: Phrase("page.admin.user.activate")
        case .suspended, .disabled, .deleted: Phrase("page.admin.user.suspend")
        case .banned: Phrase("page.admin.user.ban")
        }
    }

    /// What the change to the status means.
    fileprivate var meaning: Phrase {
        switch self {
        case .active: Phrase("page.admin.user.activate.why")
        case .suspended, .disabled, .deleted: Phrase("page.admin.user.suspend.why")
        case .banned: Phrase("page.admin.user.ban.why")
        }
    }
}

extension Role {
    /// What an account with the role may do.
    fileprivate var meaning: Phrase {
        switch self {
        case .user: Phrase("page.admin.role.user.why")
        case .moderator: Phrase("page.admin.role.moderator.why")
        case .admin: Phrase("page.admin.role.admin.why")
        case .superAdmin: Phrase("page.admin.role.superAdmin.why")
        }
    }
}
