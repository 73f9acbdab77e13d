// SPDX-License-Identifier: Apache-2.0

package import LatchHTTP
package import LatchIdentityStorage
import LatchSignIn
package import LatchTexts

/// The texts of errors on pages.
///
/// The messages of errors are in English, for developers of clients. A page says the same in its user's language.
extension IdentityError {
    /// The keys of errors with separate texts: `problem.KEY.title` and `problem.KEY.advice` in the catalog.
    ///
    /// All other server errors use the texts of `unavailable`, and all other request errors those of `invalidInput`.
    package static let keysOnPages: Set<String> = [
        "accountClosed", "accountExists", "accountSuspended", "addressRequired", "addressUnverified",
        "administrationNeedsFactor",
        "alreadyAnswered", "alreadyExists", "alreadyLinked", "applicationForbidden", "breachedPassword",
        "clientChanged",
        "clientExists", "codeEnded", "commonPassword", "cookiesMissing", "emailMissing", "emailUnverified",
        "embeddedPage", "factorIsKept", "forbidden", "foreignPage", "invalidAuthorization", "invalidCode",
        "invalidCredentials",
        "invalidEmail", "invalidInput", "invalidLink", "invalidMailedCode", "invalidPasskey",
        "invalidPasskeyRegistration", "invalidPhone", "invalidSignIn", "invalidSignOut", "invalidUserCode",
        "keyChanged",
        "lastAdministrator", "lastSignIn", "linkedElsewhere", "loginEnded", "longPassword", "missingConsent",
        "noSecondFactor", "noSuchAccount", "noSuchClient", "noSuchEntry", "noSuchPage", "notAPage",
        "overloaded", "passkeyChallengeExpired", "passkeyExists", "sameEmail", "shortPassword", "signInAgain",
        "signInEnded", "signInWayMissing", "signInWayOff", "signInWayRefused",
        "signUpClosed", "signUpDeclined", "signUpDenied", "signUpDomain", "tenantNotAllowed",
        "termsRequired", "tooManyAttempts",
        "tooManyPasskeys", "tooManySignIns", "unavailable", "unmetAuthentication", "upstreamDenied",
        "upstreamFailed", "upstreamNotRecent", "upstreamUnavailable", "weakPassword", "wrongPassword",
    ]

    /// The error for a URL without a page.
    static let noSuchPage = IdentityError(code: "noSuchPage", message: "This page does not exist.", form: .notFound)

    /// The error for a URL of a form's action, which cannot be opened as a page.
    static let notAPage = IdentityError(
        code: "notAPage", message: "This address cannot be opened as a page.", form: .badRequest)

    /// The title of the error's page, without a full stop.
    var pageTitle: Phrase { Phrase("problem.\(shownKey).title") }

    /// The advice on what to do, as full sentences.
    var pageAdvice: Phrase {
        if self == .tooManyAttempts, let seconds = retryAfterSeconds {
            return seconds < 90
                ? Phrase("problem.wait.seconds", .count(seconds))
                : Phrase("problem.wait.minutes", .count((seconds + 59) / 60))
        }
        let key = "problem.\(shownKey).advice"
        return detail.map { Phrase(key, .text($0)) } ?? Phrase(key)
    }

    /// The error as one text, for a form that is shown again.
    var pageProblem: Phrase { Phrase("problem.sentence", .phrase(pageTitle), .phrase(pageAdvice)) }

    private var shownKey: String {
        let key = pageKey ?? code
        guard form.isDisclosed else { return "unavailable" }
        if Self.keysOnPages.contains(key) { return key }
        return form.status.isClientError ? "invalidInput" : "unavailable"
    }
}

extension PageContext {
    /// Returns the name of an account in a list: its address if it has one.
    package func label(of account: Account) -> String {
        account.isGuest && account.username == nil && account.name == nil
            ? texts(Phrase("page.account.guest")) : account.label
    }

    /// Returns the page of an error.
    ///
    /// - Parameters:
    ///   - app: The URL that leads back to the app.
    ///   - links: The links of a page without an app; by default to the start page.
    package func failure(
        _ error: IdentityError, app: String? = nil,
        links: [(url: String, label: Phrase)] = [("/", Phrase("page.home.lead"))]
    ) -> HTTPResponse {
        let shown = error.form.isDisclosed ? error : .unavailable
        let page = HTMLPage(
            shown.pageTitle, text: shown.pageAdvice, links: app == nil ? links : [],
            appLink: app.map { ($0, Phrase("page.button.backToApp")) }, in: self)
        return page.response(status: shown.form.status).failing(with: shown)
    }
}

extension HTTPResponse {
    /// Returns the page with the status and the time to wait of an error.
    package func failing(with error: IdentityError?) -> HTTPResponse {
        var response = self
        response.fields[.retryAfter] = error?.retryAfterSeconds.map { String($0) }
        // A page is not a challenge of RFC 9110 §15.5.2.
        if response.status == .unauthorized { response.status = .badRequest }
        return response
    }
}
