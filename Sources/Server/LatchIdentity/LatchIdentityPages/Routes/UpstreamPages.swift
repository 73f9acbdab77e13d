// SPDX-License-Identifier: Apache-2.0

import LatchCore
import LatchHTTP
import LatchIdentityAccounts
import LatchIdentityProvider
import LatchIdentityStorage
import LatchSignIn
import LatchTexts

/// The pages of sign-ins through other providers.
///
/// Each names the URL to which the browser returns: that of the app, or of this server. So users do not continue for an
/// unknown app.
struct UpstreamPages: Sendable {
    let context: PageContext
    let upstreams: UpstreamClients

    /// The path of the forms.
    private static let path = "/api/auth/continue"

    /// Returns the page of the step that an attempt waits for, with the problem of the last input.
    func form(_ id: String, _ attempt: SignInAttempt, problem: IdentityError? = nil) -> HTTPResponse {
        let text = problem?.pageProblem
        let invalid = problem == .invalidCode ? ["code"] : []
        let form: HTMLPage
        switch attempt.step {
        case .response, .session: return page(.signInEnded)
        case .address(_, let email, _): form = address(id, email, attempt, text, invalid)
        case .secondFactor: form = secondFactor(id, attempt, text, invalid)
        case .confirmation(_, let user): form = confirmation(id, user, attempt)
        }
        let status = problem.map { $0 == .invalidCode ? .badRequest : $0.form.status }
        var response = form.response(status: status ?? .ok, leadsAway: true)
        response.fields[.retryAfter] = problem?.retryAfterSeconds.map { String($0) }
        return response
    }

    private func address(
        _ id: String, _ email: String, _ attempt: SignInAttempt, _ problem: Phrase?, _ invalid: [String]
    ) -> HTMLPage {
        HTMLPage(
            Phrase("page.upstream.address.title"),
            text: Phrase("page.upstream.address.text", .text(email), .text(attempt.redirect)), problem: problem,
            invalidFields: invalid, action: (Self.path, Phrase("page.button.continue")), carrying: id,
            fields: [.mailedCode(in: context)], refusal: Phrase("page.button.cancel"), in: context)
    }

    private func secondFactor(
        _ id: String, _ attempt: SignInAttempt, _ problem: Phrase?, _ invalid: [String]
    ) -> HTMLPage {
        HTMLPage(
            Phrase("page.factor.title"), text: Phrase("page.factor.app", .text(attempt.redirect)), problem: problem,
            invalidFields: invalid, action: (Self.path, Phrase("page.signIn.submit")), carrying: id,
            fields: [.factorCode(in: context)], refusal: Phrase("page.button.cancel"), in: context)
    }

    private func confirmation(_ id: String, _ user: UpstreamIdentityRecord, _ attempt: SignInAttempt) -> HTMLPage {
        let provider = upstreams[attempt.provider]?.provider.displayName ?? attempt.provider
        let account =
            user.email.map { Phrase("page.upstream.account", .text(provider), .text($0)) }
            ?? Phrase("page.upstream.account.unnamed", .text(provider))
        guard attempt.isLink else {
            return HTMLPage(
                Phrase("page.upstream.continue.title"),
                text: Phrase("page.upstream.continue.text", .text(attempt.redirect), .phrase(account)),
                action: (Self.path, Phrase("page.button.continue")), carrying: id,
                refusal: Phrase("page.button.cancel"), in: context)
        }
        return HTMLPage(
            Phrase("page.upstream.link.title", .text(provider)),
            text: Phrase("page.upstream.link.text", .text(attempt.redirect), .phrase(account)),
            action: (Self.path, Phrase("page.upstream.link.submit")), carrying: id,
            refusal: Phrase("page.button.cancel"), in: context)
    }

    // MARK: Errors

    /// Ends an attempt.
    ///
    /// A user who refused returns to the app immediately, and every other user sees the reason.
    func end(_ error: IdentityError, of attempt: SignInAttempt, setting cookie: String) -> HTTPResponse {
        // The script that reads the tokens also reads the error.
        guard attempt.isBrowsers != true else { return HTTPResponse.failure(error).setting(cookie) }
        let url = attempt.appURL([("error", error.form.oauth)])
        guard error != .upstreamDenied else { return .redirect(to: url, setting: [cookie]) }
        return page(error, appURL: url).setting(cookie)
    }

    /// Returns the page of an error, with a link to the app if it is known.
    func page(_ error: IdentityError, appURL: String? = nil) -> HTTPResponse {
        let shown = error.form.isDisclosed ? error : .unavailable
        var response = HTMLPage(
            shown.pageTitle, text: shown.pageAdvice,
            appLink: appURL.map { ($0, Phrase("page.button.backToApp")) }, in: context
        ).response(status: shown.form.status)
        response.fields[.retryAfter] = shown.retryAfterSeconds.map { String($0) }
        return response
    }
}
