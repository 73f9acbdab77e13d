// SPDX-License-Identifier: Apache-2.0

import LatchFoundation
import LatchHTTP
package import LatchIdentityAccounts
package import LatchIdentityProvider
package import LatchIdentityStorage
import LatchJOSE
package import LatchServer
import LatchSignIn
import LatchTexts

/// The pages of what the server itself has: the waiting emails, the signing keys, and the identity providers.
package struct AdminServerRoutes: Sendable {
    static let mailsPath = "\(AdminRoutes.path)/mails"
    static let keysPath = "\(AdminRoutes.path)/keys"
    static let providersPath = "\(AdminRoutes.path)/providers"
    static let settingsPath = "\(AdminRoutes.path)/settings"
    /// The number of emails on the page.
    private static let shownMails = 50

    package let limits: RateLimits
    package let store: IdentityStore
    package let mails: MailQueue
    package let keys: SigningKeyService
    package let upstreams: UpstreamClients
    package let notes: OperatorNotes
    package let admins: AdminSessions

    package init(
        limits: RateLimits, store: IdentityStore, mails: MailQueue, keys: SigningKeyService,
        upstreams: UpstreamClients, notes: OperatorNotes, admins: AdminSessions
    ) {
        self.limits = limits
        self.store = store
        self.mails = mails
        self.keys = keys
        self.upstreams = upstreams
        self.notes = notes
        self.admins = admins
    }

    package func add(to router: inout Router) {
        router.group(interceptors: limits.pages(limiting: .page, in: admins.context)) { reads in
            reads.get(Self.mailsPath) { request in
                try await admins.visiting(Self.mailsPath, request) { session throws(IdentityError) in
                    try await mailsPage(in: session, request)
                }
            }
            reads.get(Self.keysPath) { request in
                try await admins.visiting(Self.keysPath, request) { session throws(IdentityError) in
                    try await keysPage(in: session, request)
                }
            }
            reads.get(Self.providersPath) { request in
                try await admins.visiting(Self.providersPath, request) { _ throws(IdentityError) in
                    providersPage(request)
                }
            }
            reads.get(Self.settingsPath) { request in
                try await admins.visiting(Self.settingsPath, request) { _ throws(IdentityError) in
                    settingsPage(request)
                }
            }
        }
        router.group(interceptors: limits.pages(limiting: .link, in: admins.context)) { changes in
            changes.post(Self.mailsPath, retryMails)
            changes.post(Self.keysPath, rotate)
        }
    }

    // MARK: Emails

    private func mailsPage(
        in session: ActivePageSession, _ request: HTTPRequest, notice: Phrase? = nil, problem: IdentityError? = nil
    ) async throws(IdentityError) -> HTTPResponse {
        let waiting = try await store.waitingMails(limit: Self.shownMails)
        let count = try await store.mailCount()
        let texts = admins.context.accepting(request).texts
        let section = HTMLSection(
            texts(Phrase("page.admin.mails.count", .count(count))),
            text: mails.isFailing ? texts(Phrase("page.admin.mails.failing")) : nil,
            entries: waiting.map { mail in
                .init(
                    mail.recipient,
                    details: [
                        mail.purpose,
                        texts(Phrase("page.admin.mails.created", .text(mail.createdAt.textInUTC))),
                        mail.attempts == 0
                            ? nil
                            : texts(
                                Phrase(
                                    "page.admin.mails.next", .text("\(mail.attempts)"),
                                    .text(mail.nextAttemptAt.textInUTC))),
                    ].compactMap(\.self))
            },
            button: waiting.isEmpty ? nil : .init("retry", texts(Phrase("page.admin.mails.retry"))))
        return try admins.page(
            Self.mailsPath, Phrase("page.admin.mails.title"), text: Phrase("page.admin.mails.text"),
            sections: [section], in: session, request, notice: notice, problem: problem)
    }

    @Sendable private func retryMails(_ request: HTTPRequest) async throws -> HTTPResponse {
        try await admins.changing(
            Self.mailsPath, request,
            orShowing: { submission, error throws(IdentityError) in
                try await mailsPage(in: submission.session, request, problem: error)
            }
        ) { submission, own in
            try await mails.retry(by: own.accountID)
            return try await mailsPage(
                in: submission.session, request, notice: Phrase("page.admin.mails.retried"))
        }
    }

    // MARK: Keys

    private func keysPage(
        in session: ActivePageSession, _ request: HTTPRequest, notice: Phrase? = nil, problem: IdentityError? = nil
    ) async throws(IdentityError) -> HTTPResponse {
        let texts = admins.context.accepting(request).texts
        let found = try await keys.list()
        let sections = SignatureAlgorithm.ofSigningKeys.compactMap { algorithm -> HTMLSection? in
            let own = found.filter { $0.algorithm == algorithm }
            guard !own.isEmpty else { return nil }
            return HTMLSection(
                algorithm.rawValue,
                entries: own.map { key in
                    .init(
                        key.id,
                        details: [
                            texts(Phrase("page.admin.users.created", .date(key.createdAt))),
                            key.state == .published
                                ? texts(Phrase("page.admin.keys.signsAt", .text(key.signsAt.textInUTC))) : nil,
                            key.endsAt.map { texts(Phrase("page.admin.client.ends", .text($0.textInUTC))) },
                        ].compactMap(\.self),
                        mark: key.state == .signing ? texts(Phrase("page.admin.keys.signing")) : nil)
                },
                button: session.account.isSuperAdministrator
                    ? .init("rotate", texts(Phrase("page.admin.keys.rotate")), value: own.first?.id ?? "") : nil)
        }
        return try admins.page(
            Self.keysPath, Phrase("page.admin.keys.title"), text: Phrase("page.admin.keys.text"), sections: sections,
            in: session, request, notice: notice, problem: problem)
    }

    @Sendable private func rotate(_ request: HTTPRequest) async throws -> HTTPResponse {
        try await admins.changing(
            Self.keysPath, request,
            orShowing: { submission, error throws(IdentityError) in
                try await keysPage(in: submission.session, request, problem: error)
            }
        ) { submission, own in
            try own.account.requireSuperAdministrator()
            _ = try await keys.rotate(afterSeen: try submission.text("rotate"), by: own.accountID)
            return try await keysPage(in: submission.session, request, notice: Phrase("page.admin.keys.rotated"))
        }
    }

    // MARK: Providers

    private func providersPage(_ request: HTTPRequest) -> HTTPResponse {
        let context = admins.context.accepting(request)
        let texts = context.texts
        let issuer = admins.sessions.signInPages.accessTokens.issuer ?? ""
        return HTMLPage(
            Phrase("page.admin.providers.title"), text: Phrase("page.admin.providers.text"),
            sections: upstreams.all.map { client in
                HTMLSection(
                    client.provider.displayName,
                    entries: [
                        .init(
                            UpstreamSignInService.callback(issuer, client.provider),
                            details: [texts(Phrase("page.admin.providers.callback"))])
                    ])
            },
            links: [(AdminRoutes.path, Phrase("page.admin.back"))], in: context
        ).response()
    }

    // MARK: Settings

    private func settingsPage(_ request: HTTPRequest) -> HTTPResponse {
        let context = admins.context.accepting(request)
        let texts = context.texts
        let settings = notes.settings
        func section(_ title: String, _ settings: [OperatorNotes.Setting]) -> HTMLSection? {
            guard !settings.isEmpty else { return nil }
            return HTMLSection(
                texts(Phrase(title)),
                entries: settings.map { setting in
                    .init(
                        setting.key,
                        details: [setting.value, setting.isStandard ? "" : setting.source].filter { !$0.isEmpty })
                })
        }
        return HTMLPage(
            Phrase("page.admin.settings.title"),
            text: Phrase(settings.isEmpty ? "page.admin.settings.none" : "page.admin.settings.text"),
            sections: [
                section("page.admin.settings.set", settings.filter { !$0.isStandard }),
                section("page.admin.settings.standard", settings.filter(\.isStandard)),
            ].compactMap(\.self),
            links: [(AdminRoutes.path, Phrase("page.admin.back"))], in: context
        ).response()
    }
}
