// SPDX-License-Identifier: Apache-2.0

import LatchHTTP
package import LatchIdentityAccounts
import LatchIdentityProvider
import LatchIdentityStorage
import LatchServer
import LatchSignIn
import LatchTexts

/// The pages of a sign-in with a mailed code: the address, and then the code.
///
/// Like ``SignInPages``, they have their state in their encrypted forms, with the request that began the sign-in.
package struct CodeSignInPages: Sendable {
    /// The name of the button that leads to the pages.
    static let button = "mailed-code"

    let service: CodeSignInService
    let signInPages: SignInPages
    let continuation: PageContinuation

    package init(service: CodeSignInService, signInPages: SignInPages, continuation: PageContinuation) {
        (self.service, self.signInPages, self.continuation) = (service, signInPages, continuation)
    }

    /// Returns the page that asks for an address.
    func address(
        for purpose: PageForm.Purpose, in request: HTTPRequest, typed: String = "", problem: IdentityError? = nil
    ) throws(IdentityError) -> HTTPResponse {
        guard service.isEnabled else { return try signInPages.signIn(for: purpose, in: request, name: typed) }
        let (browser, cookie) = try signInPages.browser(of: request)
        let context = signInPages.context(of: request, for: purpose)
        let page = HTMLPage(
            Phrase("page.mailedCode.title"), text: Phrase("page.mailedCode.text"), problem: problem?.pageProblem,
            invalidFields: ["email"], action: ("/login", Phrase("page.signUp.submit")),
            carrying: try signInPages.seal(purpose, .codeRequest, browser: browser),
            fields: [.address(typed.utf8.count > 320 ? "" : typed, in: context)],
            others: [.init("signin", Phrase("page.forgot.signIn"))], in: context)
        return signInPages.response(page, for: purpose, problem: problem).setting(cookie)
    }

    /// Returns the page that asks for the code, which is the same for every address.
    private func code(
        _ mailID: String, sentTo email: EmailAddress, for purpose: PageForm.Purpose, in request: HTTPRequest,
        problem: IdentityError? = nil
    ) throws(IdentityError) -> HTTPResponse {
        let (browser, cookie) = try signInPages.browser(of: request)
        let context = signInPages.context(of: request, for: purpose)
        let page = HTMLPage(
            Phrase("page.signUp.code.title"), text: Phrase("page.mailedCode.sent", .text(email.text)),
            problem: problem?.pageProblem, invalidFields: ["code"], action: ("/login", Phrase("page.signIn.submit")),
            carrying: try signInPages.seal(
                purpose, .signInCode(mailID: mailID, email: email.text), browser: browser),
            fields: [.mailedCode(in: context)],
            others: [
                .init(Self.button, Phrase("page.signUp.code.again")), .init("signin", Phrase("page.forgot.signIn")),
            ], in: context)
        return signInPages.response(page, for: purpose, problem: problem).setting(cookie)
    }

    /// Handles a typed address.
    func takeAddress(
        _ typed: String, _ form: PageForm, _ request: HTTPRequest
    ) async throws(IdentityError) -> HTTPResponse {
        do throws(IdentityError) {
            let email = try EmailAddress(typed)
            let language = signInPages.context(of: request, for: form.purpose).texts.language
            let mailID = try await service.begin(email, in: language, from: request.requestOrigin)
            return try code(mailID, sentTo: email, for: form.purpose, in: request)
        } catch {
            guard error.form.isDisclosed else { throw error }
            request.note(error)
            return try address(for: form.purpose, in: request, typed: typed, problem: error)
        }
    }

    /// Handles a typed code.
    func takeCode(
        _ typed: String, of mailID: String, _ address: String, _ form: PageForm, _ request: HTTPRequest
    ) async throws(IdentityError) -> HTTPResponse {
        let email = try EmailAddress(address)
        let result: SignInResult<AdmittedProof>
        do throws(IdentityError) {
            result = try await service.finish(typed, of: mailID, sentTo: email, from: request.requestOrigin)
        } catch {
            request.note(error)
            switch error.pageKey {
            case IdentityError.codeEnded.pageKey:
                return try self.address(for: form.purpose, in: request, typed: email.text, problem: error)
            case IdentityError.invalidMailedCode.pageKey:
                return try code(mailID, sentTo: email, for: form.purpose, in: request, problem: error)
            default: throw error
            }
        }
        switch result {
        case .success(let proof): return try await continuation.startBrowserSession(proof, form, request)
        case .challenged(let text, _):
            return try signInPages.factor(text, for: form.purpose, browser: form.browser, in: request)
        }
    }
}
