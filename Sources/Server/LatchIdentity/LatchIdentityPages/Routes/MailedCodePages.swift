// SPDX-License-Identifier: Apache-2.0

import LatchHTTP
package import LatchIdentityAccounts
import LatchIdentityProvider
import LatchIdentityStorage
import LatchServer
import LatchSignIn
import LatchTexts

/// The two pages of a mailed code: the address, and the code that was mailed there.
///
/// Like ``SignInPages``, they have their state in their encrypted forms, with the request that began them. The page of
/// the code is the same for every address (attack E2).
package struct MailedCodePages: Sendable {
    /// What the code is for, with the service that mails it.
    package enum Use: Sendable {
        case signIn(CodeSignInService)
        case signUp(SignUpService)
    }

    /// The name of the button that leads to the page of the address: of a sign-in, and of another address.
    static let addressButton = "mailed-code"
    /// The name of the button that sends the email again.
    static let againButton = "again"

    private let use: Use
    private let signInPages: SignInPages

    package init(for use: Use, signInPages: SignInPages) { (self.use, self.signInPages) = (use, signInPages) }

    /// Returns the page that asks for an address; another page if users cannot get such a code.
    func address(
        for purpose: PageForm.Purpose, in request: HTTPRequest, typed: String = "", problem: IdentityError? = nil
    ) throws(IdentityError) -> HTTPResponse {
        switch use {
        case .signIn where !signInPages.ways(for: purpose).contains(.code):
            return try signInPages.signIn(for: purpose, in: request, name: typed)
        case .signUp(let service) where !service.rule.isOffered:
            return signInPages.context.accepting(request).failure(.signUpClosed)
        case .signIn, .signUp: break
        }
        let (browser, cookie) = try signInPages.browser(of: request)
        let context = signInPages.context(of: request, for: purpose)
        let providers = isSignUp ? signInPages.providerButtons(for: purpose) : []
        let page = HTMLPage(
            Phrase(isSignUp ? "page.signUp.title" : "page.mailedCode.title"), text: reason(purpose),
            problem: problem?.pageProblem, invalidFields: ["email"], action: (path, Phrase("page.signUp.submit")),
            carrying: try signInPages.seal(purpose, isSignUp ? .signUp : .codeRequest, browser: browser),
            fields: [.address(typed.utf8.count > 254 ? "" : typed, in: context)],
            others: providers + [
                .init(
                    "signin", Phrase(isSignUp ? "page.signUp.signIn" : "page.forgot.signIn"), isQuiet: isSignUp)
            ], refusal: refusal(of: purpose), in: context)
        return signInPages.response(
            page, for: purpose, problem: problem, leadsAway: isSignUp && signInPages.offersProviders
        ).setting(cookie)
    }

    /// Handles a typed address, or the wish for another email to the address of a code.
    ///
    /// A form that is sent twice causes one email, and has the same page.
    ///
    /// - Parameter earlier: The challenge whose code is sent again while it can be entered.
    func send(
        to typed: String, again earlier: String? = nil, _ form: PageForm, _ request: HTTPRequest
    ) async throws(IdentityError) -> HTTPResponse {
        do throws(IdentityError) {
            let email = try EmailAddress(typed)
            let sent = try await begin(email, CodeForm(form), again: earlier, form.purpose, request)
            return try code(sent, to: email, isAgain: earlier != nil, for: form.purpose, in: request)
        } catch {
            guard error.form.isDisclosed, error != .signUpClosed else { throw error }
            request.note(error)
            guard let earlier else {
                return try address(for: form.purpose, in: request, typed: typed, problem: error)
            }
            // The code of the earlier email may still be entered.
            return try code(
                earlier, to: try EmailAddress(typed), for: form.purpose, in: request, problem: error)
        }
    }

    /// Returns the page on which the user continues after a code that was not accepted.
    ///
    /// - Throws: The error, if the user cannot continue.
    func page(
        after error: IdentityError, _ challengeID: String, sentTo email: EmailAddress, _ form: PageForm,
        _ request: HTTPRequest
    ) throws(IdentityError) -> HTTPResponse {
        request.note(error)
        if error.pageKey == IdentityError.codeEnded.pageKey {
            return try address(for: form.purpose, in: request, typed: email.text, problem: error)
        }
        guard error.pageKey == IdentityError.invalidMailedCode.pageKey || error == .tooManyAttempts else { throw error }
        return try code(challengeID, to: email, for: form.purpose, in: request, problem: error)
    }

    /// Returns the page that asks for the code.
    private func code(
        _ challengeID: String, to email: EmailAddress, isAgain: Bool = false, for purpose: PageForm.Purpose,
        in request: HTTPRequest, problem: IdentityError? = nil
    ) throws(IdentityError) -> HTTPResponse {
        let (browser, cookie) = try signInPages.browser(of: request)
        let context = signInPages.context(of: request, for: purpose)
        let step: PageForm.Step =
            isSignUp
            ? .signUpCode(mailID: challengeID, email: email.text) : .signInCode(mailID: challengeID, email: email.text)
        let page = HTMLPage(
            Phrase("page.signUp.code.title"), text: sentence(isAgain: isAgain, .text(email.text)),
            problem: problem?.pageProblem, invalidFields: ["code"],
            action: (path, Phrase(isSignUp ? "page.button.continue" : "page.signIn.submit")),
            carrying: try signInPages.seal(purpose, step, browser: browser), fields: [.mailedCode(in: context)],
            others: [
                .init(Self.againButton, Phrase("page.mailedCode.again")),
                .init(Self.addressButton, Phrase("page.forgot.again"), isQuiet: true),
                .init("signin", Phrase(isSignUp ? "page.signUp.signIn" : "page.forgot.signIn"), isQuiet: true),
            ], refusal: refusal(of: purpose), in: context)
        return signInPages.response(page, for: purpose, problem: problem).setting(cookie)
    }

    private func begin(
        _ email: EmailAddress, _ form: CodeForm, again earlier: String?, _ purpose: PageForm.Purpose,
        _ request: HTTPRequest
    ) async throws(IdentityError) -> String {
        let language = signInPages.context(of: request, for: purpose).texts.language
        let origin = request.requestOrigin
        switch use {
        case .signIn(let service):
            return try await service.begin(email, by: form, again: earlier, in: language, from: origin)
        case .signUp(let service):
            return try await service.begin(email, by: form, again: earlier, in: language, from: origin)
        }
    }

    // MARK: Texts

    private var isSignUp: Bool { if case .signUp = use { true } else { false } }
    private var path: String { isSignUp ? "/signup" : "/login" }

    private func reason(_ purpose: PageForm.Purpose) -> Phrase {
        guard isSignUp else { return Phrase("page.mailedCode.text") }
        guard case .authorization(let request) = purpose else { return Phrase("page.signUp.text") }
        return Phrase("page.signUp.app", .text(SignInPages.name(of: request)))
    }

    private func sentence(isAgain: Bool, _ email: Phrase.Argument) -> Phrase {
        switch (isSignUp, isAgain) {
        case (true, false): Phrase("page.signUp.code.text", email)
        case (true, true): Phrase("page.signUp.code.resent", email)
        case (false, false): Phrase("page.mailedCode.sent", email)
        case (false, true): Phrase("page.mailedCode.resent", email)
        }
    }

    private func refusal(of purpose: PageForm.Purpose) -> Phrase? {
        SignInPages.canCancel(purpose) ? Phrase("page.button.cancel") : nil
    }
}

extension CodeForm {
    init(_ form: PageForm) { self.init(ids: [form.id], expiresAt: form.expiresAt) }
}
