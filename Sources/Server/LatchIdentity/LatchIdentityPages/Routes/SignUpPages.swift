// SPDX-License-Identifier: Apache-2.0

package import LatchFoundation
package import LatchHTTP
package import LatchIdentityAccounts
package import LatchIdentityProvider
package import LatchIdentityStorage
import LatchServer
import LatchSignIn
import LatchTexts

/// The pages of a sign-up: the address, the code that was mailed there, and the details of the account.
///
/// Like ``SignInPages``, they have their state in their encrypted forms, with the request that began the sign-up.
package struct SignUpPages: Sendable {
    package let signInPages: SignInPages
    package let configuration: IdentityConfiguration

    package init(signInPages: SignInPages, configuration: IdentityConfiguration) {
        self.signInPages = signInPages
        self.configuration = configuration
    }

    /// Returns the page that asks for an address, or says who can sign up.
    package func address(
        for purpose: PageForm.Purpose, in request: HTTPRequest, typed: String = "", problem: IdentityError? = nil
    ) throws(IdentityError) -> HTTPResponse {
        guard SignUpRule(configuration).isOffered else { return closed(request) }
        let (browser, cookie) = try signInPages.browser(of: request)
        let context = signInPages.context(of: request, for: purpose)
        let page = HTMLPage(
            Phrase("page.signUp.title"), text: Self.reason(purpose), problem: problem?.pageProblem,
            invalidFields: ["email"], action: ("/signup", Phrase("page.signUp.submit")),
            carrying: try signInPages.seal(purpose, .signUp, browser: browser),
            fields: [.address(typed.utf8.count > 254 ? "" : typed, in: context)],
            others: signInPages.providerButtons + [.init("signin", Phrase("page.signUp.signIn"), isQuiet: true)],
            refusal: Self.refusal(of: purpose), in: context)
        return signInPages.response(page, for: purpose, problem: problem, leadsAway: signInPages.offersProviders)
            .setting(cookie)
    }

    /// Returns the page that asks for the code of an email.
    package func code(
        _ mailID: String, sentTo email: EmailAddress, for purpose: PageForm.Purpose, in request: HTTPRequest,
        problem: IdentityError? = nil
    ) throws(IdentityError) -> HTTPResponse {
        let (browser, cookie) = try signInPages.browser(of: request)
        let context = signInPages.context(of: request, for: purpose)
        let page = HTMLPage(
            Phrase("page.signUp.code.title"), text: Phrase("page.signUp.code.text", .text(email.text)),
            problem: problem?.pageProblem, invalidFields: ["code"],
            action: ("/signup", Phrase("page.button.continue")),
            carrying: try signInPages.seal(
                purpose, .signUpCode(mailID: mailID, email: email.text), browser: browser),
            fields: [.mailedCode(in: context)], others: [.init("again", Phrase("page.signUp.code.again"))],
            refusal: Self.refusal(of: purpose), in: context)
        return signInPages.response(page, for: purpose, problem: problem).setting(cookie)
    }

    /// Returns the page that asks for the details of the account of a proved address.
    package func details(
        of email: EmailAddress, provedAt: Date, for purpose: PageForm.Purpose, in request: HTTPRequest,
        name: String = "",
        problem: IdentityError? = nil
    ) throws(IdentityError) -> HTTPResponse {
        let (browser, cookie) = try signInPages.browser(of: request)
        let context = signInPages.context(of: request, for: purpose)
        let texts = context.texts
        var fields: [HTMLField] = [
            .personName(
                label: texts(Phrase("page.field.personName")), hint: texts(Phrase("page.field.personName.hint")),
                value: name.utf8.count > 200 ? "" : name)
        ]
        fields += HTMLField.newPassword(of: email, in: context)
        if let version = configuration.termsVersion {
            fields.append(.requiredBox("terms", label: texts(Phrase("page.signUp.terms", .text(version)))))
        }
        let page = HTMLPage(
            Phrase("page.signUp.details.title"), text: Phrase("page.signUp.details.text", .text(email.text)),
            problem: problem?.pageProblem, invalidFields: problem == .weakPassword ? ["password"] : [],
            action: ("/signup", Phrase("page.signUp.details.submit")),
            carrying: try signInPages.seal(
                purpose, .signUpDetails(email: email.text, provedAt: provedAt, terms: configuration.termsVersion),
                browser: browser),
            fields: fields, refusal: Self.refusal(of: purpose), in: context)
        return signInPages.response(page, for: purpose, problem: problem).setting(cookie)
    }

    private func closed(_ request: HTTPRequest) -> HTTPResponse {
        signInPages.context.accepting(request).failure(.signUpClosed)
    }

    private static func reason(_ purpose: PageForm.Purpose) -> Phrase {
        guard case .authorization(let request) = purpose else { return Phrase("page.signUp.text") }
        return Phrase("page.signUp.app", .text(SignInPages.name(of: request)))
    }

    private static func refusal(of purpose: PageForm.Purpose) -> Phrase? {
        SignInPages.canCancel(purpose) ? Phrase("page.button.cancel") : nil
    }
}
