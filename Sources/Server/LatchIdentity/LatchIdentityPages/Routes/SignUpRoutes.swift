// SPDX-License-Identifier: Apache-2.0

import LatchCore
import LatchHTTP
package import LatchIdentityAccounts
package import LatchIdentityProvider
import LatchIdentityStorage
package import LatchServer
import LatchSignIn

/// The page on which users create an account, which then continues with the request that began it.
package struct SignUpRoutes: Sendable {
    package let limits: RateLimits
    package let signUps: SignUpService
    package let authorizations: AuthorizationService
    package let signInPages: SignInPages
    package let signUpPages: SignUpPages
    package let continuation: PageContinuation

    package init(
        limits: RateLimits, signUps: SignUpService, authorizations: AuthorizationService, signInPages: SignInPages,
        signUpPages: SignUpPages, continuation: PageContinuation
    ) {
        self.limits = limits
        self.signUps = signUps
        self.authorizations = authorizations
        self.signInPages = signInPages
        self.signUpPages = signUpPages
        self.continuation = continuation
    }

    package func add(to router: inout Router) {
        router.group(interceptors: limits.pages(limiting: .page, in: signInPages.context)) {
            $0.get("/signup") { try signUpPages.address(for: .visit, in: $0) }
        }
        router.group(interceptors: limits.pages(limiting: .link, in: signInPages.context)) {
            $0.post("/signup", signUp)
        }
    }

    /// Handles the form of one of the pages.
    @Sendable private func signUp(_ request: HTTPRequest) async throws -> HTTPResponse {
        let fields = try request.formFields()
        let isRefused = try fields.single("refuse") != nil
        do {
            let (form, isOwn) = try signInPages.form(in: fields, of: request)
            if isRefused { return try await continuation.refuse(form, request) }
            if try fields.single("signin") != nil { return try signInPages.signIn(for: form.purpose, in: request) }
            // A form that another browser has been shown proves no address here.
            guard isOwn, try fields.single("again") == nil else {
                return try signUpPages.address(for: form.purpose, in: request)
            }
            switch form.step {
            case .signUp: return try await takeAddress(try fields.single("email") ?? "", form, request)
            case .signUpCode(let mailID, let email):
                return try await takeCode(try fields.single("code") ?? "", of: mailID, email, form, request)
            case .signUpDetails(let email): return try await takeDetails(fields, of: email, form, request)
            case .password, .factor, .decision, .request: throw IdentityError.loginEnded
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
            let mailID = try await signUps.begin(email, from: request.requestOrigin)
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
        do throws(IdentityError) {
            try await signUps.prove(code, of: mailID, from: request.requestOrigin)
        } catch {
            guard error == .invalidMailedCode else { throw error }
            request.note(error)
            return try signUpPages.code(mailID, sentTo: email, for: form.purpose, in: request, problem: error)
        }
        return try signUpPages.details(of: email, for: form.purpose, in: request)
    }

    private func takeDetails(
        _ fields: FormFields, of address: String, _ form: PageForm, _ request: HTTPRequest
    ) async throws -> HTTPResponse {
        let email = try EmailAddress(address)
        let name = try fields.single("name") ?? ""
        var registration = Registration()
        registration.acceptedTerms = try fields.single("terms") == nil ? nil : signUps.configuration.termsVersion
        let password = try fields.single("password") ?? ""
        let proof: AdmittedProof
        do throws(IdentityError) {
            proof = try await signUps.create(
                email, password: password, name: name, registration: registration, from: request.requestOrigin)
        } catch {
            // The address got an account in the meantime: its owner signs in.
            guard error != .alreadyExists else {
                return try signInPages.signIn(for: form.purpose, in: request, name: email.text, problem: error)
            }
            guard error.form.isDisclosed, error != .signUpClosed else { throw error }
            request.note(error)
            return try signUpPages.details(of: email, for: form.purpose, in: request, name: name, problem: error)
        }
        return try await continuation.startBrowserSession(proof, form, request)
    }
}
