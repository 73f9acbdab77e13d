// SPDX-License-Identifier: Apache-2.0

import LatchFoundation
import LatchHTTP
package import LatchIdentityAccounts
import LatchIdentityProvider
import LatchIdentityStorage
import LatchServer
import LatchSignIn
import LatchTexts

/// The pages of a user who has neither the authenticator app nor a recovery code: a mailed code, and the date of the
/// factor's removal.
package struct FactorRecoveryPages: Sendable {
    /// The name of the button on the page of the second factor.
    static let button = "factor-lost"

    private let service: FactorRecoveryService
    private let signInPages: SignInPages

    package init(_ service: FactorRecoveryService, signInPages: SignInPages) {
        (self.service, self.signInPages) = (service, signInPages)
    }

    /// Mails a code for a sign-in that waits for its second factor, and returns the page that asks for it.
    func begin(
        _ challenge: String, after way: SignInWay?, _ form: PageForm, _ request: HTTPRequest
    ) async throws(IdentityError) -> HTTPResponse {
        let step = try await service.begin(
            challenge, after: way, by: CodeForm(form), in: language(form, request), from: request.requestOrigin)
        switch step {
        case .waiting(let date): return waiting(until: date, form, request)
        case .mailed(let claim, let challengeID): return try page(claim, challengeID, form, request)
        }
    }

    /// Mails the code again.
    func send(
        _ claim: FactorRecoveryService.Claim, again challengeID: String, _ form: PageForm, _ request: HTTPRequest
    ) async throws(IdentityError) -> HTTPResponse {
        do throws(IdentityError) {
            let step = try await service.send(
                claim, again: challengeID, by: CodeForm(form), in: language(form, request), from: request.requestOrigin)
            guard case .mailed(_, let sent) = step else { throw .loginEnded }
            return try page(claim, sent, form, request)
        } catch {
            guard error == .tooManyAttempts else { throw error }
            request.note(error)
            return try page(claim, challengeID, form, request, problem: error)
        }
    }

    /// Checks a typed code, and returns the page with the date of the removal.
    func check(
        _ code: String, of challengeID: String, for claim: FactorRecoveryService.Claim, _ form: PageForm,
        _ request: HTTPRequest
    ) async throws(IdentityError) -> HTTPResponse {
        do throws(IdentityError) {
            let date = try await service.finish(code, of: challengeID, for: claim, from: request.requestOrigin)
            return waiting(until: date, form, request)
        } catch {
            guard error.pageKey == IdentityError.invalidMailedCode.pageKey || error == .tooManyAttempts else {
                throw error
            }
            request.note(error)
            return try page(claim, challengeID, form, request, problem: error)
        }
    }

    private func page(
        _ claim: FactorRecoveryService.Claim, _ challengeID: String, _ form: PageForm, _ request: HTTPRequest,
        problem: IdentityError? = nil
    ) throws(IdentityError) -> HTTPResponse {
        let (browser, cookie) = try signInPages.browser(of: request)
        let context = signInPages.context(of: request, for: form.purpose)
        let days = Int(((service.delay?.components.seconds ?? 0) + 86_399) / 86_400)
        let page = HTMLPage(
            Phrase("page.factorLost.title"), text: Phrase("page.factorLost.text", .count(days)),
            problem: problem?.pageProblem, invalidFields: ["code"],
            action: ("/login", Phrase("page.button.continue")),
            carrying: try signInPages.seal(
                form.purpose, .factorLost(claim: claim, mailID: challengeID), browser: browser),
            fields: [.mailedCode(in: context)],
            others: [
                .init(MailedCodePages.againButton, Phrase("page.mailedCode.again")),
                .init("signin", Phrase("page.forgot.signIn"), isQuiet: true),
            ],
            refusal: SignInPages.canCancel(form.purpose) ? Phrase("page.button.cancel") : nil, in: context)
        return signInPages.response(page, for: form.purpose, problem: problem).setting(cookie)
    }

    private func waiting(until date: Date, _ form: PageForm, _ request: HTTPRequest) -> HTTPResponse {
        let context = signInPages.context(of: request, for: form.purpose)
        return HTMLPage(
            Phrase("page.factorLost.waiting"), text: Phrase("page.factorLost.date", .text(date.textInUTC)),
            in: context
        ).response()
    }

    private func language(_ form: PageForm, _ request: HTTPRequest) -> String {
        signInPages.context(of: request, for: form.purpose).texts.language
    }
}
