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

/// The pages on which users see the activity of their account, and request its deletion.
package struct AccountDataRoutes: Sendable {
    static let activityPath = "\(AccountOverview.path)/activity"
    static let deletionPath = "\(AccountOverview.path)/deletion"
    /// The number of entries on the page of the activity.
    static let shownEntries = 100

    package let limits: RateLimits
    package let audit: AuditService
    package let deletions: AccountDeletionService
    package let overview: AccountOverview

    package init(
        limits: RateLimits, audit: AuditService, deletions: AccountDeletionService, overview: AccountOverview
    ) {
        self.limits = limits
        self.audit = audit
        self.deletions = deletions
        self.overview = overview
    }

    private var sessions: AccountSessions { overview.sessions }

    package func add(to router: inout Router) {
        let context = sessions.signInPages.context
        router.group(interceptors: limits.pages(limiting: .page, in: context)) { reads in
            reads.get(Self.activityPath, showActivity)
            reads.get(Self.deletionPath, showDeletion)
        }
        router.group(interceptors: limits.pages(limiting: .link, in: context)) {
            $0.post(Self.deletionPath, submitDeletion)
        }
    }

    /// Shows the newest entries of the audit log about the account, without their details, which are for the operator.
    @Sendable private func showActivity(_ request: HTTPRequest) async throws -> HTTPResponse {
        try await sessions.visiting(Self.activityPath, request) { session throws(IdentityError) in
            var query = AuditQuery(limit: Self.shownEntries)
            query.accountID = session.account.id
            let entries = try await audit.records(query).map {
                Phrase("page.account.activity.entry", .text($0.at.textInUTC), .phrase($0.phrase))
            }
            let page = HTMLPage(
                Phrase("page.account.activity.title"), text: Phrase("page.account.activity.text"), items: entries,
                links: AccountSessions.back,
                in: sessions.signInPages.context.accepting(request))
            return page.response()
        }
    }

    @Sendable private func showDeletion(_ request: HTTPRequest) async throws -> HTTPResponse {
        try await sessions.visiting(Self.deletionPath, request, needsRecentLogin: true) {
            session throws(IdentityError) in
            // The page of the account has the date of the earlier request.
            guard try await overview.store.deletion(of: session.account.id) == nil else {
                return .seeOther(sessions.signInPages.context.url(AccountOverview.path))
            }
            return try deletionPage(in: session, request)
        }
    }

    @Sendable private func submitDeletion(_ request: HTTPRequest) async throws -> HTTPResponse {
        try await sessions.changing(
            Self.deletionPath, request,
            orShowing: { submission, error throws(IdentityError) in
                try deletionPage(in: submission.session, request, problem: error)
            }
        ) { submission in
            guard try submission.fields.single("sure") == "yes" else { throw Self.missingConsent }
            try await deletions.request(for: sessions.authenticated(submission.session), from: submission.origin)
            return try await overview.page(
                in: submission.session, request, notice: Phrase("page.account.done.deletion"))
        }
    }

    private static let missingConsent = {
        var error = IdentityError.invalid("sure", "is missing")
        error.pageKey = "missingConsent"
        return error
    }()

    private func deletionPage(
        in session: ActivePageSession, _ request: HTTPRequest, problem: IdentityError? = nil
    ) throws(IdentityError) -> HTTPResponse {
        try sessions.form(Self.deletionPath, in: session, request, problem: problem) { token, context in
            HTMLPage(
                Phrase("page.account.deletion.title"),
                text: Phrase(
                    "page.account.deletion.text", .text(session.account.label), .text(deletions.dueDate.textInUTC)),
                problem: problem?.pageProblem, invalidFields: problem == Self.missingConsent ? ["sure"] : [],
                action: (Self.deletionPath, Phrase("page.account.deletion.submit")), carrying: token,
                fields: [.requiredBox("sure", label: context.texts(Phrase("page.account.deletion.sure")))],
                links: AccountSessions.back, in: context)
        }
    }
}

extension AuditRecord {
    /// The events that users read in their own words: `event.NAME` in the catalog.
    package static let eventsOnPages: Set<String> = [
        "account.active", "account.attributes", "account.banned", "account.changed", "account.created",
        "account.deleted", "account.deletionCanceled", "account.deletionRequested", "account.disabled",
        "account.emailChangeRefused",
        "account.emailChangeRequested", "account.emailChanged", "account.emailVerified", "account.exported",
        "account.grants", "account.linked", "account.passwordChanged", "account.passwordImported",
        "account.passwordRemoved", "account.passwordReset", "account.phoneRemoved", "account.phoneVerified",
        "account.registered", "account.resetMailed", "account.role",
        "account.sessionsEnded", "account.suspended",
        "account.unlinked", "account.unlocked", "address.failed", "apiKey.created", "apiKey.removed",
        "code.refused", "code.replayed", "consent.denied", "consent.granted", "consent.withdrawn",
        "device.allSignedOut", "device.approved", "device.authenticated", "device.denied", "device.signedIn",
        "device.signedOut", "event.undelivered", "factor.begun", "factor.confirmed", "factor.failed", "factor.guessed",
        "factor.recoveryBegun", "factor.recoveryCanceled", "factor.recoveryCodeUsed", "factor.recoveryCodesReplaced",
        "factor.removed", "passkey.added", "passkey.copied",
        "passkey.failed", "passkey.refused", "passkey.removed", "reauthentication.failed", "signIn.codeRefused",
        "signIn.failed",
    ]

    /// The event in words, or the name of an event without any.
    var phrase: Phrase {
        Self.eventsOnPages.contains(event) ? Phrase("event.\(event)") : Phrase("event.other", .text(event))
    }
}

extension Date {
    /// The date and time in UTC, such as `2026-11-30 08:05 UTC`.
    var textInUTC: String {
        let text = formatted(.iso8601)
        return "\(text.prefix(10)) \(text.dropFirst(11).prefix(5)) UTC"
    }
}
