// SPDX-License-Identifier: Apache-2.0

import LatchAuth
import LatchCore
import LatchFoundation
import LatchHTTP
package import LatchIdentityAccounts
package import LatchIdentityProvider
import LatchIdentityStorage
package import LatchServer
import LatchSignIn

/// The authorization endpoint (RFC 6749 §3.1), and the pages that users see between request and response.
package struct AuthorizeRoutes: Sendable {
    package let limits: RateLimits
    package let signIns: SignInService
    package let codeSignIns: CodeSignInService
    package let passkeySignIns: PasskeySignInService
    package let authorizations: AuthorizationService
    package let pageSessions: PageSessionService
    package let signInPages: SignInPages
    package let signUpCodes: MailedCodePages
    package let continuation: PageContinuation
    package let providerSignIns: ProviderSignIns
    package let mailRequestPages: MailRequestPages
    package let signInCodes: MailedCodePages
    package let factorLost: FactorRecoveryPages

    package init(
        limits: RateLimits, signIns: SignInService, codeSignIns: CodeSignInService,
        passkeySignIns: PasskeySignInService, authorizations: AuthorizationService, pageSessions: PageSessionService,
        signInPages: SignInPages, signUpCodes: MailedCodePages, signInCodes: MailedCodePages,
        factorLost: FactorRecoveryPages,
        continuation: PageContinuation, providerSignIns: ProviderSignIns, mailRequestPages: MailRequestPages
    ) {
        self.limits = limits
        self.signIns = signIns
        self.codeSignIns = codeSignIns
        self.passkeySignIns = passkeySignIns
        self.authorizations = authorizations
        self.pageSessions = pageSessions
        self.signInPages = signInPages
        self.signUpCodes = signUpCodes
        self.continuation = continuation
        self.providerSignIns = providerSignIns
        self.mailRequestPages = mailRequestPages
        self.signInCodes = signInCodes
        self.factorLost = factorLost
    }

    package func add(to router: inout Router) {
        router.group(interceptors: limits.pages(limiting: .page, in: signInPages.context, allowsSilentFrames: true)) {
            pages in
            pages.get("/oauth/authorize", authorize)
            pages.post("/oauth/authorize", postAuthorize)
        }
        router.group(interceptors: limits.pages(limiting: .link, in: signInPages.context)) { links in
            links.post("/login", login)
            links.post("/consent", consent)
        }
    }

    // MARK: The endpoint

    @Sendable private func authorize(_ request: HTTPRequest) async throws -> HTTPResponse {
        // The router passes HEAD requests to this function too, and they must not yield a code.
        guard request.method == .get else { return HTTPResponse(status: .ok, fields: [.cacheControl: "no-store"]) }
        do throws(IdentityError) {
            if let posted = try signInPages.postedRequest(in: request.queryItems) {
                guard case .authorization(let pending) = posted else { throw .loginEnded }
                return try await resume(pending, request)
            }
            switch try await authorizations.read(request.queryItems) {
            case .failure(let error, let response): return continuation.refused(error, response, request)
            case .request(let pending): return try await resume(pending, request)
            }
        } catch {
            request.noteRefusal(error)
            return await signInPages.failure(error, ofForm: request.queryItems[SignInPages.sealedName], in: request)
        }
    }

    private func resume(
        _ pending: PendingAuthorization, _ request: HTTPRequest
    ) async throws(IdentityError) -> HTTPResponse {
        let session = try await pageSessions.active(in: request)
        return try await continuation.takeNextStep(of: pending, in: session, request)
    }

    /// Continues by GET, since a form of the client's site sends no cookies.
    @Sendable private func postAuthorize(_ request: HTTPRequest) async throws -> HTTPResponse {
        let fields = try request.formFields()
        do throws(IdentityError) {
            switch try await authorizations.read(fields) {
            case .failure(let error, let response): return continuation.refused(error, response, request)
            case .request(let pending): return try signInPages.redirect(to: "/oauth/authorize", .authorization(pending))
            }
        } catch {
            request.noteRefusal(error)
            return signInPages.context.accepting(request).failure(error)
        }
    }

    // MARK: Pages

    /// The fields of the forms of a sign-in, of which each page has some.
    private struct Submission {
        let isRefused, signsUp, goesBack, wantsCode, isAgain, isLost: Bool
        let name, password, code, email, credential: String
        let provider: String?
        let mailRequest: MailRequestPages.Kind?

        init(_ fields: FormFields) throws {
            isRefused = try fields.single("refuse") != nil
            signsUp = try fields.single("signup") != nil
            goesBack = try fields.single("signin") != nil
            wantsCode = try fields.single(MailedCodePages.addressButton) != nil
            isAgain = try fields.single(MailedCodePages.againButton) != nil
            isLost = try fields.single(FactorRecoveryPages.button) != nil
            name = try fields.single("name") ?? ""
            password = try fields.single("password") ?? ""
            code = try fields.single("code") ?? ""
            email = try fields.single("email") ?? ""
            credential = try fields.single(PasskeyScript.field) ?? ""
            provider = try fields.single(SignInPages.providerField)
            mailRequest = try MailRequestPages.Kind.chosen(in: fields)
        }
    }

    /// Handles a password, the choice of a provider, the response of a passkey, a mailed code, or one of the second factor.
    @Sendable private func login(_ request: HTTPRequest) async throws -> HTTPResponse {
        let fields = try request.formFields()
        let sent = try Submission(fields)
        do {
            let (form, isOwn) = try signInPages.form(in: fields, of: request)
            if sent.isRefused { return try await continuation.refuse(form, request) }
            if sent.signsUp { return try signUpCodes.address(for: form.purpose, in: request, typed: sent.name) }
            if sent.goesBack { return try signInPages.signIn(for: form.purpose, in: request) }
            if sent.wantsCode {
                let typed = if isOwn, case .signInCode(_, let address) = form.step { address } else { sent.name }
                return try signInCodes.address(for: form.purpose, in: request, typed: typed)
            }
            if let kind = sent.mailRequest {
                return try mailRequestPages.address(kind, for: form.purpose, in: request, typed: sent.name)
            }
            guard isOwn else {
                // The form comes from another site, or from another tab that was opened at the same time. It signs in
                // no user, and the user must enter the password again.
                let problem: IdentityError? = request.fields[.cookie] == nil ? .cookiesMissing : nil
                return try signInPages.signIn(for: form.purpose, in: request, name: sent.name, problem: problem)
            }
            return try await take(sent, form, request)
        } catch let error as IdentityError {
            request.note(error)
            return await signInPages.failure(error, ofForm: fields["token"], in: request)
        }
    }

    /// Handles what the user has entered in a form of this browser.
    private func take(
        _ sent: Submission, _ form: PageForm, _ request: HTTPRequest
    ) async throws(IdentityError) -> HTTPResponse {
        switch form.step {
        case .password:
            if let provider = sent.provider {
                // A user who is signed in wants another account.
                let isSignedIn = try await pageSessions.active(in: request) != nil
                return try await providerSignIns.begin(
                    provider, form, choosesAccount: isSignedIn, request
                ) { error throws(IdentityError) in
                    try signInPages.signIn(for: form.purpose, in: request, problem: error)
                }
            }
            guard sent.credential.isEmpty else { return try await checkPasskey(sent.credential, form, request) }
            return try await checkPassword(sent.password, of: sent.name, form, request)
        case .factor(let challenge, let way):
            guard !sent.isLost else { return try await factorLost.begin(challenge, after: way, form, request) }
            return try await checkFactor(sent.code, challenge, after: way, form, request)
        case .factorLost(let claim, let mailID):
            guard !sent.isAgain else { return try await factorLost.send(claim, again: mailID, form, request) }
            return try await factorLost.check(sent.code, of: mailID, for: claim, form, request)
        case .codeRequest: return try await signInCodes.send(to: sent.email, form, request)
        case .signInCode(let challengeID, let address):
            guard !sent.isAgain else {
                return try await signInCodes.send(to: address, again: challengeID, form, request)
            }
            return try await checkMailedCode(sent.code, of: challengeID, address, form, request)
        case .decision, .account, .request, .mailRequest, .mailSent, .signUp, .signUpCode, .signUpDetails,
            .verification:
            throw .loginEnded
        }
    }

    private func checkPassword(
        _ password: String, of name: String, _ form: PageForm, _ request: HTTPRequest
    ) async throws(IdentityError) -> HTTPResponse {
        let result: SignInResult<AdmittedProof>
        do throws(IdentityError) {
            result = try await signIns.beginOnPage(
                name: name, password: password, from: request.requestOrigin)
        } catch {
            guard error.form.isDisclosed else { throw error }
            request.note(error)
            return try signInPages.signIn(
                for: form.purpose, in: request, name: name.utf8.count > 320 ? "" : name, problem: error)
        }
        return try await finish(result, by: .password, form, request)
    }

    private func checkMailedCode(
        _ code: String, of challengeID: String, _ address: String, _ form: PageForm, _ request: HTTPRequest
    ) async throws(IdentityError) -> HTTPResponse {
        let email = try EmailAddress(address)
        let result: SignInResult<AdmittedProof>
        do throws(IdentityError) {
            result = try await codeSignIns.finish(code, of: challengeID, sentTo: email, from: request.requestOrigin)
        } catch {
            return try signInCodes.page(after: error, challengeID, sentTo: email, form, request)
        }
        return try await finish(result, by: .code, form, request)
    }

    /// Continues after the first factor.
    private func finish(
        _ result: SignInResult<AdmittedProof>, by way: SignInWay, _ form: PageForm, _ request: HTTPRequest
    ) async throws(IdentityError) -> HTTPResponse {
        switch result {
        case .success(let proof): return try await continuation.startBrowserSession(proof, form, request)
        case .challenged(let text, _):
            return try signInPages.factor(text, after: way, for: form.purpose, browser: form.browser, in: request)
        }
    }

    /// Handles the response of a passkey, which proves both factors.
    private func checkPasskey(
        _ credential: String, _ form: PageForm, _ request: HTTPRequest
    ) async throws(IdentityError) -> HTTPResponse {
        let begun: (session: ActivePageSession, cookie: String)
        do throws(IdentityError) {
            begun = try await passkeySignIns.beginOnPage(credential, in: request)
        } catch {
            guard error.form.isDisclosed else { throw error }
            request.note(error)
            return try signInPages.signIn(for: form.purpose, in: request, problem: error)
        }
        return try await continuation.continueToPurpose(in: begun.session, begun.cookie, form, request)
    }

    private func checkFactor(
        _ code: String, _ challenge: String, after way: SignInWay?, _ form: PageForm, _ request: HTTPRequest
    ) async throws(IdentityError) -> HTTPResponse {
        let proof: AdmittedProof
        do throws(IdentityError) {
            proof = try await signIns.finishOnPage(
                challenge: challenge, code: code, by: way, from: request.requestOrigin)
        } catch {
            guard error == .invalidCode || error == .tooManyAttempts else { throw error }
            return try signInPages.factor(
                challenge, after: way, for: form.purpose, browser: form.browser, in: request, problem: error)
        }
        return try await continuation.startBrowserSession(proof, form, request)
    }

    /// Handles the user's decision on a client's request.
    ///
    /// The form belongs to the session that was shown the page. Another site, or another user of the browser, has no
    /// such form (attack B8). It yields one code, for the scopes that the page has shown.
    @Sendable private func consent(_ request: HTTPRequest) async throws -> HTTPResponse {
        let fields = try request.formFields()
        let isRefused = try fields.single("refuse") != nil
        let isOther = try fields.single("other") != nil
        do {
            let (form, isOwn) = try signInPages.form(in: fields, of: request)
            guard case .authorization(let pending) = form.purpose,
                case .decision(let device, let shown?) = form.step
            else { throw IdentityError.loginEnded }
            let session = try await pageSessions.active(in: request)
            guard isOwn, !isOther, let session, session.device.publicID == device else {
                // A refusal grants nothing, so its sender does not matter.
                return isRefused
                    ? try await continuation.refuse(form, request)
                    : try signInPages.signIn(for: form.purpose, in: request)
            }
            try await authorizations.answer(form)
            guard !isRefused else {
                try await authorizations.deny(pending, in: session, from: request.requestOrigin)
                return try await continuation.refuse(form, request)
            }
            return try await continuation.takeNextStep(
                of: pending, in: session, request, agreed: Scopes(parsing: shown))
        } catch let error as IdentityError {
            request.note(error)
            return await signInPages.failure(error, ofForm: fields["token"], in: request)
        }
    }
}
