// SPDX-License-Identifier: Apache-2.0

import LatchCore
import LatchHTTP
package import LatchIdentityAccounts
import LatchIdentityProvider
import LatchIdentityStorage
package import LatchServer
import LatchSignIn
import LatchTexts

/// The page on which users verify, change and remove their phone number.
package struct PhonePageRoutes: Sendable {
    static let path = "\(AccountOverview.path)/phone"
    /// The field with the challenge of the code that the page asks for.
    private static let challenge = "challenge"

    package let limits: RateLimits
    package let phones: PhoneService
    package let overview: AccountOverview

    package init(limits: RateLimits, phones: PhoneService, overview: AccountOverview) {
        self.limits = limits
        self.phones = phones
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
            guard phones.isAvailable || session.account.phone != nil else {
                return .seeOther(sessions.signInPages.context.url(AccountOverview.path))
            }
            return try numberPage(in: session, request)
        }
    }

    @Sendable private func submit(_ request: HTTPRequest) async throws -> HTTPResponse {
        try await sessions.changing(
            Self.path, request,
            orShowing: { submission, error throws(IdentityError) in
                // A code that has ended needs another message, to a number that the user types again.
                guard [.invalidMailedCode, .tooManyAttempts].contains(error),
                    let text = submission.fields[Self.challenge]
                else {
                    return try numberPage(
                        in: submission.session, request, typed: submission.fields["phone"] ?? "",
                        problem: error)
                }
                return try codePage(text, in: submission.session, request, problem: error)
            }
        ) { submission in
            let (session, own) = (submission.session, sessions.authenticated(submission.session))
            if try submission.fields.single("remove") != nil {
                try await phones.remove(for: own)
                return try await overview.page(in: session, request, notice: Phrase("page.account.done.phoneRemoved"))
            }
            guard let text = try submission.fields.single(Self.challenge),
                try submission.fields.single("other") == nil
            else {
                guard let typed = try submission.fields.single("phone") else {
                    return try numberPage(in: session, request)
                }
                let challenge = try await phones.begin(typed, for: own, from: submission.origin)
                return try codePage(challenge, in: session, request)
            }
            _ = try await phones.verify(try submission.fields.single("code") ?? "", of: text, for: own)
            return try await overview.page(in: session, request, notice: Phrase("page.account.done.phone"))
        }
    }

    // MARK: Pages

    private func numberPage(
        in session: ActivePageSession, _ request: HTTPRequest, typed: String = "", problem: IdentityError? = nil
    ) throws(IdentityError) -> HTTPResponse {
        try sessions.form(Self.path, in: session, request, problem: problem) { token, context in
            HTMLPage(
                Phrase("page.account.phone"),
                text: Phrase(phones.isAvailable ? "page.account.phone.text" : "page.account.phone.off"),
                problem: problem?.pageProblem, invalidFields: problem == .invalidPhone ? ["phone"] : [],
                action: (Self.path, phones.isAvailable ? Phrase("page.account.phone.send") : nil), carrying: token,
                fields: phones.isAvailable
                    ? [.phone(typed, label: context.texts(Phrase("page.account.phone")))] : [],
                others: session.account.phone == nil ? [] : [.init("remove", Phrase("page.account.phone.remove"))],
                links: AccountSessions.back, in: context)
        }
    }

    private func codePage(
        _ challenge: String, in session: ActivePageSession, _ request: HTTPRequest, problem: IdentityError? = nil
    ) throws(IdentityError) -> HTTPResponse {
        let phone = try phones.phone(of: challenge)
        return try sessions.form(Self.path, in: session, request, problem: problem) { token, context in
            HTMLPage(
                Phrase("page.account.phone"), text: Phrase("page.account.phone.sent", .text(phone)),
                problem: problem?.pageProblem, invalidFields: problem == .invalidMailedCode ? ["code"] : [],
                action: (Self.path, Phrase("page.button.continue")), carrying: token,
                fields: [
                    .hidden(Self.challenge, challenge), .mailedCode(label: context.texts(Phrase("page.field.code"))),
                ],
                others: [.init("other", Phrase("page.account.phone.other"), isQuiet: true)],
                links: AccountSessions.back, in: context)
        }
    }
}
