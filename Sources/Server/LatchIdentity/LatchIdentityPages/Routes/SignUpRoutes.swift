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
    package let signUpPages: SignUpPages
    package let continuation: PageContinuation
    package let providerSignIns: ProviderSignIns

    package init(
        limits: RateLimits, signUps: SignUpService, signInPages: SignInPages, signUpPages: SignUpPages,
        continuation: PageContinuation, providerSignIns: ProviderSignIns
    ) {
        self.limits = limits
        self.signUps = signUps
        self.signInPages = signInPages
        self.signUpPages = signUpPages
        self.continuation = continuation
        self.providerSignIns = providerSignIns
    }

    package func add(to router: inout Router) {
        router.group(interceptors: limits.pages(limiting: .page, in: signInPages.context)) {
            $0.get("/signup") { try signUpPages.address(for: .visit(path: AccountOverview.path), in: $0) }
        }
        router.group(interceptors: limits.pages(limiting: .link, in: signInPages.context)) {
            $0.post("/signup", signUp)
        }
    }

    /// Handles the form of one of the pages.
    @Sendable private func signUp(_ request: HTTPRequest) async throws -> HTTPResponse {
        let fields = try request.formFields()
        let isRefused = try fields.single("refuse") != nil
        let provider = try fields.single(SignInPages.providerField)
        do {
            let (form, isOwn) = try signInPages.form(in: fields, of: request)
            if isRefused { return try await continuation.refuse(form, request) }
            if try fields.single("signin") != nil { return try signInPages.signIn(for: form.purpose, in: request) }
            // A form that another browser has been shown proves no address here.
            guard isOwn, try fields.single("again") == nil else {
                let typed = if isOwn, case .signUpCode(_, let email) = form.step { email } else { "" }
                return try signUpPages.address(for: form.purpose, in: request, typed: typed)
            }
            switch form.step {
            case .signUp:
                if let provider {
                    return try await providerSignIns.begin(
                        provider, form, choosesAccount: true, request
                    ) { error throws(IdentityError) in
                        try signUpPages.address(for: form.purpose, in: request, problem: error)
                    }
                }
                return try await takeAddress(try fields.single("email") ?? "", form, request)
            case .signUpCode(let mailID, let email):
                return try await takeCode(try fields.single("code") ?? "", of: mailID, email, form, request)
            case .signUpDetails(let email, let date, let terms):
                return try await takeDetails(fields, of: email, provedAt: date, terms: terms, form, request)
            case .password, .factor, .decision, .account, .request, .mailRequest, .mailSent, .codeRequest, .signInCode:
                throw IdentityError.loginEnded
            }
        } catch let error as IdentityError {
            request.note(error)
            return await signInPages.failure(error, ofForm: fields["token"], in: request)
        }
    }

    private func takeAddress(
        _ typed: String, _ form: PageForm, _ request: HTTPRequest
    ) async throws(IdentityError) -> HTTPResponse {
        do throws(IdentityError) {
            let email = try EmailAddress(typed)
            let language = signInPages.context(of: request, for: form.purpose).texts.language
            let mailID = try await signUps.begin(email, in: language, from: request.requestOrigin)
            return try signUpPages.code(mailID, sentTo: email, for: form.purpose, in: request)
        } catch {
            guard error.form.isDisclosed, error != .signUpClosed else { throw error }
            request.note(error)
            return try signUpPages.address(for: form.purpose, in: request, typed: typed, problem: error)
        }
    }

    private func takeCode(
        _ code: String, of mailID: String, _ address: String, _ form: PageForm, _ request: HTTPRequest
    ) async throws(IdentityError) -> HTTPResponse {
        let email = try EmailAddress(address)
        let provedAt: Date
        do throws(IdentityError) {
            provedAt = try await signUps.prove(code, of: mailID, from: request.requestOrigin)
        } catch {
            request.note(error)
            switch error.pageKey {
            case IdentityError.codeEnded.pageKey:
                return try signUpPages.address(for: form.purpose, in: request, typed: email.text, problem: error)
            case IdentityError.invalidMailedCode.pageKey:
                return try signUpPages.code(mailID, sentTo: email, for: form.purpose, in: request, problem: error)
            default: throw error
            }
        }
        return try signUpPages.details(of: email, provedAt: provedAt, for: form.purpose, in: request)
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
            proof = try await signUps.create(
                email, provedAt: provedAt, password: password, name: name, registration: registration,
                from: request.requestOrigin)
        } catch {
            request.note(error)
            guard error.pageKey != IdentityError.codeEnded.pageKey else {
                return try signUpPages.address(for: form.purpose, in: request, typed: email.text, problem: error)
            }
            // The address got an account in the meantime: its owner signs in.
            guard error != .alreadyExists else {
                return try signInPages.signIn(for: form.purpose, in: request, name: email.text, problem: error)
            }
            guard error.form.isDisclosed, error != .signUpClosed else { throw error }
            return try signUpPages.details(
                of: email, provedAt: provedAt, for: form.purpose, in: request, name: name, problem: error)
        }
        return try await continuation.startBrowserSession(proof, form, request)
    }
}
