// SPDX-License-Identifier: Apache-2.0

import LatchCore
import LatchFoundation
import LatchHTTP
package import LatchIdentityAccounts
import LatchIdentityProvider
import LatchIdentityStorage
package import LatchServer
import LatchSignIn
import LatchTexts

/// The page on which users create an account, which then continues with the request that began it.
package struct SignUpRoutes: Sendable {
    package let limits: RateLimits
    package let signUps: SignUpService
    package let signInPages: SignInPages
    package let codePages: MailedCodePages
    package let continuation: PageContinuation
    package let providerSignIns: ProviderSignIns

    package init(
        limits: RateLimits, signUps: SignUpService, signInPages: SignInPages, codePages: MailedCodePages,
        continuation: PageContinuation, providerSignIns: ProviderSignIns
    ) {
        self.limits = limits
        self.signUps = signUps
        self.signInPages = signInPages
        self.codePages = codePages
        self.continuation = continuation
        self.providerSignIns = providerSignIns
    }

    package func add(to router: inout Router) {
        router.group(interceptors: limits.pages(limiting: .page, in: signInPages.context)) {
            $0.get("/signup") { try codePages.address(for: .visit(path: AccountOverview.path), in: $0) }
        }
        router.group(interceptors: limits.pages(limiting: .link, in: signInPages.context)) {
            $0.post("/signup", signUp)
        }
    }

    /// Handles the form of one of the pages.
    @Sendable private func signUp(_ request: HTTPRequest) async throws -> HTTPResponse {
        let fields = try request.formFields()
        let isRefused = try fields.single("refuse") != nil
        let isAgain = try fields.single(MailedCodePages.againButton) != nil
        let provider = try fields.single(SignInPages.providerField)
        do {
            let (form, isOwn) = try signInPages.form(in: fields, of: request)
            if isRefused { return try await continuation.refuse(form, request) }
            if try fields.single("signin") != nil { return try signInPages.signIn(for: form.purpose, in: request) }
            // A form that another browser has been shown proves no address here.
            guard isOwn, try fields.single(MailedCodePages.addressButton) == nil else {
                let typed = if isOwn, case .signUpCode(_, let email) = form.step { email } else { "" }
                return try codePages.address(for: form.purpose, in: request, typed: typed)
            }
            switch form.step {
            case .signUp:
                if let provider {
                    return try await providerSignIns.begin(
                        provider, form, choosesAccount: true, request
                    ) { error throws(IdentityError) in
                        try codePages.address(for: form.purpose, in: request, problem: error)
                    }
                }
                return try await codePages.send(to: try fields.single("email") ?? "", form, request)
            case .signUpCode(let challengeID, let email) where isAgain:
                return try await codePages.send(to: email, again: challengeID, form, request)
            case .signUpCode(let challengeID, let email):
                return try await takeCode(try fields.single("code") ?? "", of: challengeID, email, form, request)
            case .signUpDetails(let email, let date, let terms):
                return try await takeDetails(fields, of: email, provedAt: date, terms: terms, form, request)
            case .password, .factor, .factorLost, .decision, .account, .request, .mailRequest, .mailSent, .codeRequest,
                .signInCode, .verification:
                throw IdentityError.loginEnded
            }
        } catch let error as IdentityError {
            request.note(error)
            return await signInPages.failure(error, ofForm: fields["token"], in: request)
        }
    }

    private func takeCode(
        _ code: String, of challengeID: String, _ address: String, _ form: PageForm, _ request: HTTPRequest
    ) async throws(IdentityError) -> HTTPResponse {
        let email = try EmailAddress(address)
        let provedAt: Date
        do throws(IdentityError) {
            provedAt = try await signUps.prove(code, of: challengeID, sentTo: email, from: request.requestOrigin)
        } catch {
            return try codePages.page(after: error, challengeID, sentTo: email, form, request)
        }
        return try details(of: email, provedAt: provedAt, for: form.purpose, in: request)
    }

    private func takeDetails(
        _ fields: FormFields, of address: String, provedAt: Date, terms: String?, _ form: PageForm,
        _ request: HTTPRequest
    ) async throws -> HTTPResponse {
        let email = try EmailAddress(address)
        let name = try fields.single("name") ?? ""
        var registration = Registration()
        registration.acceptedTerms = try fields.single("terms") == nil ? nil : terms
        let password = try fields.single("password") ?? ""
        let proof: AdmittedProof
        do throws(IdentityError) {
            (proof, _) = try await signUps.create(
                email, provedAt: provedAt,
                with: SignUpDetails(
                    by: .page, password: password, name: name,
                    language: signInPages.context(of: request, for: form.purpose).texts.language,
                    registration: registration),
                from: request.requestOrigin, preparing: { _ in })
        } catch {
            request.note(error)
            guard error.pageKey != IdentityError.codeEnded.pageKey else {
                return try codePages.address(for: form.purpose, in: request, typed: email.text, problem: error)
            }
            // The address got an account in the meantime: its owner signs in.
            guard error != .alreadyExists else {
                return try signInPages.signIn(for: form.purpose, in: request, name: email.text, problem: error)
            }
            guard error.form.isDisclosed, error != .signUpClosed else { throw error }
            return try details(
                of: email, provedAt: provedAt, for: form.purpose, in: request, name: name, problem: error)
        }
        return try await continuation.startBrowserSession(proof, form, request)
    }

    /// Returns the page that asks for the details of the account of a proved address.
    private func details(
        of email: EmailAddress, provedAt: Date, for purpose: PageForm.Purpose, in request: HTTPRequest,
        name: String = "", problem: IdentityError? = nil
    ) throws(IdentityError) -> HTTPResponse {
        let (browser, cookie) = try signInPages.browser(of: request)
        let context = signInPages.context(of: request, for: purpose)
        let texts = context.texts
        var fields: [HTMLField] = [
            .personName(
                label: texts(Phrase("page.field.personName")), hint: texts(Phrase("page.field.personName.hint")),
                value: name.utf8.count > 200 ? "" : name)
        ]
        if signUps.takesPasswords { fields += HTMLField.newPassword(of: email.text, in: context) }
        let terms = signUps.configuration.termsVersion
        if let version = terms {
            fields.append(.requiredBox("terms", label: texts(Phrase("page.signUp.terms", .text(version)))))
        }
        let page = HTMLPage(
            Phrase("page.signUp.details.title"),
            text: Phrase(
                signUps.takesPasswords ? "page.signUp.details.text" : "page.signUp.details.noPassword",
                .text(email.text)),
            problem: problem?.pageProblem, invalidFields: problem == .weakPassword ? ["password"] : [],
            action: ("/signup", Phrase("page.signUp.details.submit")),
            carrying: try signInPages.seal(
                purpose, .signUpDetails(email: email.text, provedAt: provedAt, terms: terms),
                browser: browser),
            fields: fields, refusal: SignInPages.canCancel(purpose) ? Phrase("page.button.cancel") : nil, in: context)
        return signInPages.response(page, for: purpose, problem: problem).setting(cookie)
    }
}
