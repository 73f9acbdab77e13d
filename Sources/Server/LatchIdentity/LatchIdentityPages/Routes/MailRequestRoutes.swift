// SPDX-License-Identifier: Apache-2.0

import LatchHTTP
package import LatchIdentityAccounts
import LatchIdentityProvider
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
    package let pages: MailRequestPages

    package init(
        accessTokens: AccessTokenIssuer, limits: RateLimits, accounts: AccountService, signInPages: SignInPages,
        pages: MailRequestPages
    ) {
        self.accessTokens = accessTokens
        self.limits = limits
        self.accounts = accounts
        self.signInPages = signInPages
        self.pages = pages
    }

    /// Adds the pages.
    ///
    /// Requests for an email count like those of the JSON routes. The other buttons of the pages do not.
    package func add(to router: inout Router) {
        // A Well-known URL for Changing Passwords (W3C) §3: password managers send their users there.
        router.group(interceptors: limits.limiting(.other, as: .page(signInPages.context))) { others in
            others.get("/.well-known/change-password") { _ in
                .redirect(to: "\(accessTokens.issuer?.withoutFinalSlash ?? "")\(AccountChange.password.path)")
            }
        }
        for kind in MailRequestPages.Kind.allCases {
            router.group(interceptors: limits.limiting(.other, as: .page(signInPages.context))) { others in
                others.get(kind.path) { try pages.address(kind, for: .visit(path: AccountOverview.path), in: $0) }
            }
            router.group(interceptors: limits.pages(limiting: .link, in: signInPages.context)) { links in
                links.post(kind.path) { try await request(kind, $0) }
            }
        }
    }

    /// Emails a link, and returns the same page after the same work, whether the address has an account or not.
    ///
    /// The page leads back to the request that the user came from. A form of another site is refused, since it could
    /// send emails to its visitors.
    private func request(_ kind: MailRequestPages.Kind, _ request: HTTPRequest) async throws -> HTTPResponse {
        let fields = try request.formFields()
        let typed = try fields.single("email") ?? ""
        let (isBack, isAgain) = (try fields.single("signin") != nil, try fields.single("again") != nil)
        do {
            var (purpose, isSent) = (PageForm.Purpose.visit(path: AccountOverview.path), false)
            if try fields.single("token") == nil {
                try signInPages.requireOwnPage(request)
            } else {
                let form = try signInPages.form(in: fields, of: request).form
                // A refusal is taken at any age, and these pages have none.
                guard try fields.single("refuse") == nil else { throw IdentityError.loginEnded }
                purpose = form.purpose
                if case .mailSent = form.step { isSent = true }
            }
            guard !isBack, !isSent || isAgain else { return try signInPages.signIn(for: purpose, in: request) }
            guard !isAgain, kind != .password || signInPages.permitted.permits(.password) else {
                return try pages.address(kind, for: purpose, in: request)
            }
            let email: EmailAddress
            do throws(IdentityError) { email = try EmailAddress(typed) } catch {
                return try pages.address(kind, for: purpose, in: request, typed: typed, problem: error)
            }
            try limits.take(limits.attempts(of: .mail, from: request.requestOrigin.address))
            try await accounts.mail(kind.purpose, to: email, from: request.requestOrigin)
            return try pages.sent(kind, to: email, for: purpose, in: request)
        } catch let error as IdentityError {
            request.note(error)
            return await signInPages.failure(error, ofForm: fields["token"], in: request)
        }
    }
}
