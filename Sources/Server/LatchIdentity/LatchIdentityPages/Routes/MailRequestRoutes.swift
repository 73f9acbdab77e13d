// SPDX-License-Identifier: Apache-2.0

import LatchHTTP
package import LatchIdentityAccounts
import LatchIdentityStorage
package import LatchServer
import LatchSignIn
import LatchTexts

/// The pages on which users request an email: `/forgot` for a new password, and `/resend` for the verification of an
/// address.
///
/// They do the same as the JSON routes, within the same limits. Like them, they do not reveal which addresses have an
/// account (attack E2).
package struct MailRequestRoutes: Sendable {
    package let accessTokens: AccessTokenIssuer
    package let limits: RateLimits
    package let accounts: AccountService
    package let signInPages: SignInPages

    package init(
        accessTokens: AccessTokenIssuer, limits: RateLimits, accounts: AccountService, signInPages: SignInPages
    ) {
        self.accessTokens = accessTokens
        self.limits = limits
        self.accounts = accounts
        self.signInPages = signInPages
    }

    /// The kind of email that a page requests.
    private enum Kind: CaseIterable {
        case password, verification

        var path: String { self == .password ? "/forgot" : "/resend" }
        var purpose: OneTimeToken.Purpose { self == .password ? .resetPassword : .verifyEmail }
        var title: Phrase { Phrase(self == .password ? "page.forgot.title" : "page.resend.title") }
        var text: Phrase { Phrase(self == .password ? "page.forgot.text" : "page.resend.text") }

        func answer(_ email: EmailAddress) -> Phrase {
            Phrase(self == .password ? "page.forgot.done.text" : "page.resend.done.text", .text(email.text))
        }
    }

    /// Adds the pages.
    ///
    /// Requests for an email count like those of the JSON routes, but opening the form does not count.
    package func add(to router: inout Router) {
        // A Well-known URL for Changing Passwords (W3C) §3: password managers send their users there.
        router.group(interceptors: limits.limiting(.other, as: .page(signInPages.context))) { others in
            others.get("/.well-known/change-password") { _ in
                .redirect(to: "\(accessTokens.issuer?.withoutFinalSlash ?? "")\(Kind.password.path)")
            }
        }
        for kind in Kind.allCases {
            router.group(interceptors: limits.limiting(.other, as: .page(signInPages.context))) { others in
                others.get(kind.path) { Self.form(kind, in: signInPages.context.accepting($0)).response() }
            }
            router.group(interceptors: limits.pages(limiting: .mail, in: signInPages.context)) { mails in
                mails.post(kind.path) { try await request(kind, $0) }
            }
        }
    }

    /// Emails a link, and returns the same page after the same work, whether the address has an account or not.
    ///
    /// A form of another site is refused, since it could send emails to its visitors.
    private func request(_ kind: Kind, _ request: HTTPRequest) async throws -> HTTPResponse {
        try signInPages.requireOwnPage(request)
        let context = signInPages.context.accepting(request)
        let typed = try request.formFields().single("email") ?? ""
        let email: EmailAddress
        do throws(IdentityError) { email = try EmailAddress(typed) } catch {
            let shown = typed.utf8.count > 320 ? "" : typed
            return Self.form(kind, typed: shown, problem: error.pageProblem, in: context).response(status: .badRequest)
        }
        try await accounts.mail(kind.purpose, to: email, from: request.requestOrigin)
        return HTMLPage(
            Phrase("page.forgot.done.title"), text: kind.answer(email),
            links: [(kind.path, Phrase("page.forgot.again"))], in: context
        ).response()
    }

    private static func form(
        _ kind: Kind, typed: String = "", problem: Phrase? = nil, in context: PageContext
    ) -> HTMLPage {
        HTMLPage(
            kind.title, text: kind.text, problem: problem, invalidFields: ["email"],
            action: (kind.path, Phrase("page.forgot.submit")), fields: [.address(typed, in: context)],
            in: context)
    }
}
