// SPDX-License-Identifier: Apache-2.0

import LatchCore
import LatchHTTP
import LatchSignIn

/// The pages of sign-ins through other providers.
///
/// Each names the app that the browser returns to, so that nobody continues for an app that they do not know.
struct UpstreamPages: Sendable {
    let upstreams: UpstreamClients

    /// The path of the forms.
    private static let path = "/api/auth/continue"

    /// Returns the page of the step that an attempt waits for, with the problem of the last input.
    func form(_ id: String, _ attempt: SignInAttempt, problem: IdentityError? = nil) -> HTTPResponse {
        let text = problem.map { [$0.message, $0.hint].compactMap(\.self).joined(separator: " ") }
        let form: HTMLPage
        switch attempt.step {
        case .response: return page(.signInEnded)
        case .address(_, let email, _): form = address(id, email, attempt, problem: text)
        case .secondFactor: form = secondFactor(id, attempt, problem: text)
        case .confirmation(_, let user): form = confirmation(id, user, attempt)
        }
        let status = problem.map { $0 == .invalidCode ? .badRequest : $0.form.status }
        var response = form.response(status: status ?? .ok, formTarget: AppRedirect.source(attempt.redirect))
        response.fields[.retryAfter] = problem?.retryAfterSeconds.map { String($0) }
        return response
    }

    private func address(
        _ id: String, _ email: String, _ attempt: SignInAttempt, problem: String?
    ) -> HTMLPage {
        HTMLPage(
            "Confirm your e-mail address",
            text: """
                A mail is on its way to \(email). Type the code that it holds; if it holds none, it says what to do. You \
                then return to the app at \(attempt.redirect).
                """,
            problem: problem, action: (Self.path, "Continue"), carrying: id, fields: HTMLPage.mailedCode,
            refusal: "Cancel")
    }

    private func secondFactor(_ id: String, _ attempt: SignInAttempt, problem: String?) -> HTMLPage {
        HTMLPage(
            "Enter your code",
            text: """
                Your account is protected by an authenticator app. A recovery code works as well. You then return to the app \
                at \(attempt.redirect).
                """,
            problem: problem, action: (Self.path, "Sign in"), carrying: id, fields: HTMLPage.oneTimeCode,
            refusal: "Cancel")
    }

    private func confirmation(_ id: String, _ user: UpstreamIdentityRecord, _ attempt: SignInAttempt) -> HTMLPage {
        let provider = upstreams[attempt.provider]?.provider.displayName ?? attempt.provider
        let account = user.email.map { "\(provider) account \($0)" } ?? "\(provider) account"
        guard attempt.isLink else {
            return HTMLPage(
                "Continue to the app?",
                text: """
                    The app at \(attempt.redirect) signs you in with your \(account). Continue only if you have just begun \
                    to sign in to that app.
                    """,
                action: (Self.path, "Continue"), carrying: id, refusal: "Cancel")
        }
        return HTMLPage(
            "Link your \(provider) account?",
            text: """
                The app at \(attempt.redirect) links your \(account) to the account that is signed in there. Whoever has \
                that account is signed in by it from then on. Continue only if you have just asked for it in that app.
                """,
            action: (Self.path, "Link"), carrying: id, refusal: "Cancel")
    }

    // MARK: Errors

    /// Ends an attempt: a user who has refused is in the app at once, and everyone else reads why.
    func end(_ error: IdentityError, of attempt: SignInAttempt, setting cookie: String) -> HTTPResponse {
        let url = attempt.appURL([("error", error.form.oauth)])
        guard error != .upstreamDenied else { return .redirect(to: url, setting: [cookie]) }
        return page(error, appURL: url).setting(cookie)
    }

    /// Returns the page of an error, with the way back to the app, if it is known.
    func page(_ error: IdentityError, appURL: String? = nil) -> HTTPResponse {
        let shown = error.form.isDisclosed ? error : .unavailable
        var response = HTMLPage(
            shown.message, text: shown.hint ?? "", appLink: appURL.map { ($0, "Back to the app") }
        ).response(status: shown.form.status)
        response.fields[.retryAfter] = shown.retryAfterSeconds.map { String($0) }
        return response
    }
}
