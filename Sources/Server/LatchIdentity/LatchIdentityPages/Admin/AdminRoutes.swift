// SPDX-License-Identifier: Apache-2.0

import LatchCore
import LatchFoundation
import LatchHTTP
package import LatchIdentityAccounts
import LatchIdentityProvider
import LatchIdentityStorage
package import LatchServer
import LatchSignIn
import LatchTexts

/// The first page of the administration, and the page of the audit log.
package struct AdminRoutes: Sendable {
    static let path = "/admin"
    private static let auditPath = "\(path)/audit"
    private static let shownEntries = 50
    /// The number of entries that one page looks through for an event.
    private static let searchedEntries = 2000

    /// Returns the path of the entries of an account.
    static func auditPath(of account: String) -> String {
        "\(auditPath)?\(FormEncoding.encode([("account", account)]))"
    }

    package let limits: RateLimits
    package let administration: AdministrationService
    package let audit: AuditService
    package let notes: OperatorNotes
    package let mails: MailQueue
    package let admins: AdminSessions

    package init(
        limits: RateLimits, administration: AdministrationService, audit: AuditService, notes: OperatorNotes,
        mails: MailQueue, admins: AdminSessions
    ) {
        self.limits = limits
        self.administration = administration
        self.audit = audit
        self.notes = notes
        self.mails = mails
        self.admins = admins
    }

    package func add(to router: inout Router) {
        router.group(interceptors: limits.pages(limiting: .page, in: admins.context)) { reads in
            reads.get(Self.path, show)
            reads.get(Self.auditPath, showAudit)
        }
    }

    @Sendable private func show(_ request: HTTPRequest) async throws -> HTTPResponse {
        try await admins.visiting(Self.path, request) { session throws(IdentityError) in
            let found = try await administration.statistics(for: session.account)
            let context = admins.context.accepting(request)
            let texts = context.texts
            func entry(_ count: Int, _ key: String) -> HTMLSection.Entry {
                .init("\(count)", details: [texts(Phrase(key))])
            }
            func link(_ path: String, _ key: String) -> HTMLSection.Entry {
                .init(
                    texts(Phrase(key)),
                    links: [HTMLPage.Link(context.url(path), texts(Phrase("page.account.show")))])
            }
            let days = found.newByDay
            var warnings = notes.warnings.map { HTMLSection.Entry($0.message, details: [$0.hint]) }
            if mails.isFailing { warnings.append(link(AdminServerRoutes.mailsPath, "page.admin.mails.failing")) }
            let sections = [
                warnings.isEmpty ? nil : HTMLSection(texts(Phrase("page.admin.warnings")), entries: warnings),
                HTMLSection(
                    texts(Phrase("page.admin.users.title")),
                    entries: [
                        entry(found.total, "page.admin.count.total"), entry(found.active, "page.admin.count.active"),
                        entry(found.verified, "page.admin.count.verified"),
                        found.guests == 0 ? nil : entry(found.guests, "page.admin.count.guests"),
                    ].compactMap(\.self)),
                HTMLSection(
                    texts(Phrase("page.admin.new.title")),
                    text: texts(
                        Phrase(
                            "page.admin.new.text", .text("\(found.newThisMonth)"), .text("\(found.newThisWeek)"),
                            .text("\(found.newToday)"))),
                    chart: .init(
                        days,
                        label: texts(
                            Phrase(
                                "page.admin.new.chart", .text(days.map { "\($0)" }.joined(separator: ", "))))),
                    entries: []),
                HTMLSection(
                    texts(Phrase("page.admin.pages")),
                    entries: [
                        link(AdminUserPages.path, "page.admin.users.title"),
                        link(AdminUserRoutes.inviting, "page.admin.invite.title"),
                        link(AdminClientRoutes.path, "page.admin.clients.title"),
                        link(AdminServerRoutes.providersPath, "page.admin.providers.title"),
                        link(AdminServerRoutes.mailsPath, "page.admin.mails.title"),
                        link(AdminServerRoutes.keysPath, "page.admin.keys.title"),
                        link(AdminKeyRoutes.path, "page.admin.apiKeys.title"),
                        link(Self.auditPath, "page.admin.audit.title"),
                        link(AdminServerRoutes.settingsPath, "page.admin.settings.title"),
                        link(AccountOverview.path, "page.account.title"),
                    ]),
            ]
            return HTMLPage(
                Phrase("page.admin.title"), text: Phrase("page.account.text", .text(session.account.label)),
                sections: sections.compactMap(\.self), in: context
            ).response()
        }
    }

    /// Shows the newest entries of the audit log that the filters select.
    @Sendable private func showAudit(_ request: HTTPRequest) async throws -> HTTPResponse {
        try await admins.visiting(Self.auditPath, request) { session throws(IdentityError) in
            let fields = request.queryItems
            let event = String((fields["event"] ?? "").trimmingSpace())
            var query = AuditQuery(limit: Self.shownEntries)
            query.before = fields["before"].flatMap { Int64($0) }
            query.accountID = try await accountID(String((fields["account"] ?? "").trimmingSpace()))
            let page = try await audit.page(query, containing: event, among: Self.searchedEntries)
            let context = admins.context.accepting(request)
            let texts = context.texts
            return HTMLPage(
                Phrase("page.admin.audit.title"),
                search: [
                    .search(
                        "account", label: texts(Phrase("page.admin.audit.account")), value: fields["account"] ?? ""),
                    .search("event", label: texts(Phrase("page.admin.audit.event")), value: event),
                ],
                sections: [
                    HTMLSection(
                        texts(Phrase("page.admin.audit.entries")),
                        text: page.records.isEmpty
                            ? texts(Phrase(page.next == nil ? "page.admin.audit.none" : "page.admin.audit.noneYet"))
                            : nil,
                        entries: page.records.map { record in
                            .init(
                                texts(record.phrase),
                                details: [record.at.textInUTC, record.event, record.detail].compactMap(\.self),
                                links: [
                                    record.accountID.map {
                                        HTMLPage.Link(
                                            context.url(AdminUserPages.path(of: $0)),
                                            texts(Phrase("page.admin.audit.show")))
                                    }
                                ].compactMap(\.self))
                        })
                ],
                links: [
                    page.next.map { (nextURL($0, fields), Phrase("page.admin.next")) },
                    (Self.path, Phrase("page.admin.back")),
                ].compactMap(\.self), in: context
            ).response()
        }
    }

    /// Returns the ID of the account that an administrator has typed; nil for all, and the text for none.
    private func accountID(_ typed: String) async throws(IdentityError) -> String? {
        guard !typed.isEmpty else { return nil }
        do throws(IdentityError) { return try await administration.find(typed)?.account.id ?? typed } catch {
            guard error == .invalidEmail else { throw error }
            return typed
        }
    }

    private func nextURL(_ id: Int64, _ fields: FormFields) -> String {
        let kept = ["account", "event"].compactMap { name in fields[name].map { (name, $0) } }.filter { !$0.1.isEmpty }
        return "\(Self.auditPath)?\(FormEncoding.encode(kept + [("before", "\(id)")]))"
    }
}
