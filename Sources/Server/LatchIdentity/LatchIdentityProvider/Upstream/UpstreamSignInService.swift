// SPDX-License-Identifier: Apache-2.0

import LatchAuth
package import LatchCore
package import LatchCrypto
package import LatchFoundation
import LatchHTTP
package import LatchIdentityAccounts
package import LatchIdentityStorage
import LatchJOSE
package import LatchOAuth

/// A service that signs users in through identity providers, for apps and for the pages of this server.
///
/// An app opens a page of this server with its own challenge (RFC 7636). After the provider has identified the user,
/// the browser returns to the app with a code. Only the app that began can exchange it for tokens, or for a link. A
/// page of this server continues by itself.
package struct UpstreamSignInService: Sendable {
    package let configuration: IdentityConfiguration
    package let store: IdentityStore
    package let clock: WallClock
    /// Asked before anything that can be used only once: no session starts while the clock is doubtful.
    package let dates: DateCheck
    package let random: RandomSource
    package let pepper: SymmetricKey
    package let accessTokens: AccessTokenIssuer
    package let limits: RateLimits
    package let mails: MailQueue
    package let metrics: Metrics
    package let recentAuthentication: RecentAuthenticationRule
    package let hooks: Hooks
    package let permitted: PermittedSignIns
    package let secondFactors: SecondFactorService
    package let tokens: TokenService
    package let challenges: SignInChallenges
    package let admission: SignInAdmission

    // MARK: Beginning

    /// Returns an attempt, its state, and the URL of the provider's page.
    ///
    /// - Throws: `IdentityError.invalidSignIn`, `.notReady`, `.upstreamUnavailable` and `.upstreamFailed`.
    package func begin(_ request: Request, at client: UpstreamClient) async throws(IdentityError) -> (
        attempt: SignInAttempt, state: String, url: String
    ) {
        let (named, challenge) = try validated(request)
        let purpose = try Self.purpose(request.intent)
        guard purpose == .signIn || challenge != nil else {
            throw .invalidSignIn("this intent requires a code_challenge")
        }
        // RFC 6749 §A.5, and the limit of a cookie.
        guard request.state?.utf8.allSatisfy({ (0x20...0x7E).contains($0) }) ?? true,
            (request.state ?? "").utf8.count <= 1000
        else { throw .invalidSignIn("its state is malformed, or longer than 1,000 bytes") }
        let prompts =
            purpose == .reauthentication
            ? client.provider.authenticationPrompts : try Self.prompts(request.prompt)
        return try await begin(at: client, prompts: prompts) { issuer, begun in
            SignInAttempt(
                provider: client.provider.name, redirect: named ?? issuer, isBrowsers: named == nil, page: nil,
                codeChallenge: challenge, state: request.state, purpose: purpose.rawValue,
                isInteractive: !client.provider.interactivePrompts.isDisjoint(with: prompts),
                requiresNewLogin: nil, asksForLogin: prompts.contains(.login), beganAt: clock.now,
                expiresAt: clock.now.addingTimeInterval(SignInAttempt.lifetime), step: .response(begun))
        }
    }

    /// Begins a sign-in that a page of this server continues.
    ///
    /// - Parameters:
    ///   - page: The identifier of the page's kept form.
    ///   - purpose: A sign-in, or a link to the account of the page's session.
    ///   - requiresNewLogin: Whether an earlier login at the provider does not suffice.
    ///   - choosesAccount: Whether the user may choose another account there.
    /// - Throws: `IdentityError.notReady`, `.upstreamUnavailable` and `.upstreamFailed`.
    package func begin(
        forPage page: String, for purpose: SignInCode.Purpose, requiresNewLogin: Bool, choosesAccount: Bool,
        at client: UpstreamClient
    ) async throws(IdentityError) -> (attempt: SignInAttempt, state: String, url: String) {
        let provider = client.provider
        let prompts =
            requiresNewLogin
            ? provider.authenticationPrompts
            : choosesAccount && provider.interactivePrompts.contains(.accountSelection) ? [.accountSelection] : []
        return try await begin(at: client, prompts: prompts) { issuer, begun in
            SignInAttempt(
                provider: client.provider.name, redirect: issuer, isBrowsers: nil, page: page, codeChallenge: nil,
                state: nil, purpose: purpose.rawValue, isInteractive: !prompts.isEmpty,
                requiresNewLogin: requiresNewLogin, asksForLogin: prompts.contains(.login), beganAt: clock.now,
                expiresAt: clock.now.addingTimeInterval(SignInAttempt.lifetime), step: .response(begun))
        }
    }

    private func begin(
        at client: UpstreamClient, prompts: [StepUpRequirement.Prompt],
        _ attempt: (_ issuer: String, AuthorizationAttempt) -> SignInAttempt
    ) async throws(IdentityError) -> (attempt: SignInAttempt, state: String, url: String) {
        guard let issuer = accessTokens.issuer,
            let callback = URL(string: Self.callback(issuer, client.provider))
        else { throw .notReady }
        var authorization = AuthorizationRequest()
        authorization.prompts = prompts
        // This server needs no access later.
        if client.provider.kind == .google { authorization.parameters = [("access_type", "online")] }
        let begun: AuthorizationAttempt
        var part = UpstreamPart.discovery
        do {
            _ = try await client.authorization.server()
            part = .authorization
            begun = try await client.authorization.attempt(authorization, redirectURI: callback)
        } catch {
            throw counted(await failure(error, in: part, at: client.provider, from: nil))
        }
        return (attempt(issuer, begun.withoutPage), begun.state, begun.url.absoluteString)
    }

    /// Returns the URL that a provider redirects to, as registered there.
    package static func callback(_ issuer: String, _ provider: UpstreamProvider) -> String {
        "\(issuer.withoutFinalSlash)/api/auth/\(provider.name)/callback"
    }

    /// Returns whether a URL of an app is configured, either for tokens in it or for a code.
    private func isConfigured(_ redirect: String, forTokens: Bool) -> Bool {
        let configuration = configuration
        let listed = forTokens ? configuration.tokenRedirects : configuration.signInRedirects
        return listed.contains { $0.utf8.elementsEqual(redirect.utf8) }
    }

    /// Returns whether the app of an attempt may still receive its result, since the configuration may have changed
    /// in the meantime.
    package func isAllowed(_ attempt: SignInAttempt) -> Bool {
        guard attempt.page == nil else { return true }
        guard attempt.isBrowsers != true else { return configuration.answersBrowsersWithTokens }
        return isConfigured(attempt.redirect, forTokens: true)
            || attempt.codeChallenge != nil && isConfigured(attempt.redirect, forTokens: false)
    }

    /// Returns the URL of the app and its challenge.
    ///
    /// The URL is nil for a browser without an app, and the challenge is nil for an app that receives tokens
    /// immediately.
    private func validated(_ request: Request) throws(IdentityError) -> (String?, String?) {
        guard let redirect = request.redirect else {
            guard configuration.answersBrowsersWithTokens, request.codeChallenge == nil else {
                throw .invalidSignIn("its redirect is missing")
            }
            return (nil, nil)
        }
        let takesTokens = isConfigured(redirect, forTokens: true)
        guard takesTokens || isConfigured(redirect, forTokens: false) else {
            throw .invalidSignIn("its redirect is not in this server's configuration")
        }
        guard let challenge = request.codeChallenge else {
            guard takesTokens, request.codeChallengeMethod == nil else {
                throw .invalidSignIn("its code_challenge is missing")
            }
            return (redirect, nil)
        }
        // RFC 7636 §4.2: a SHA-256 digest. Without the method, it would be the verifier itself.
        guard request.codeChallengeMethod == "S256", challenge.utf8.count == 43,
            challenge.isWord(maximum: 43, also: "-_")
        else { throw .invalidSignIn("its code_challenge must be an S256 code challenge") }
        return (redirect, challenge)
    }

    private static func purpose(_ intent: String?) throws(IdentityError) -> SignInCode.Purpose {
        switch intent {
        case nil: .signIn
        case "link": .link
        case "reauthenticate": .reauthentication
        default: throw .invalidSignIn("its intent is unknown")
        }
    }

    private static func prompts(_ text: String?) throws(IdentityError) -> [StepUpRequirement.Prompt] {
        let words = (text ?? "").unicodeScalars.split(separator: " ").map { String($0) }
        let prompts = words.compactMap(StepUpRequirement.Prompt.init)
        guard prompts.count == words.count, Set(prompts).count == prompts.count else {
            throw .invalidSignIn("its prompt is unknown")
        }
        return prompts
    }

    // MARK: The provider's response

    /// The next step of a sign-in.
    package enum Next: Sendable {
        /// The browser returns to the app.
        case app(url: String)
        /// The browser has no app, and receives the tokens.
        case tokens(IssuedTokens)
        /// The user continues on the page of the attempt's step.
        case page(SignInAttempt)
        /// The page of this server that began the sign-in continues.
        case signedIn(AdmittedProof)
    }

    /// Uses up an attempt.
    ///
    /// Each one is answered only once, on any node.
    ///
    /// - Throws: `IdentityError.signInEnded`, `.doubtfulDate`, or a store's error.
    package func spend(_ id: String) async throws(IdentityError) {
        try dates.require()
        // A lifetime longer than that of the cookie, since clocks of nodes may differ.
        let end = clock.now.addingTimeInterval(2 * SignInAttempt.lifetime)
        guard try await store.spend(attempt: id.digest, until: end) else { throw .signInEnded }
    }

    /// Finishes a sign-in with the provider's response.
    ///
    /// - Throws: `IdentityError` for the user's page.
    package func finish(
        _ response: AuthorizationResponse, to begun: AuthorizationAttempt, of attempt: SignInAttempt,
        at client: UpstreamClient, from origin: RequestOrigin
    ) async throws(IdentityError) -> Next {
        let user: UpstreamUser
        var part = UpstreamPart.discovery
        do {
            user = try await client.user(of: response, to: begun, noting: &part) { identity in
                // A link shows the address, so it counts as unknown.
                guard !attempt.isLink else { return false }
                return try await store.account(linkedTo: identity) != nil
            }
        } catch {
            throw await failure(error, in: part, at: client.provider, from: origin)
        }
        let record = UpstreamIdentityRecord(
            user,
            isEmailVerified: user.identity.email.map(client.provider.decides(about:)) == true
                && user.isEmailVerified, authenticatedAt: min(user.authenticatedAt ?? clock.now, clock.now))
        // If the provider reports an authentication time, it must be after this request (OpenID Connect Core §3.1.2.1,
        // prompt=login).
        let isAsked = user.authenticatedAt.map { $0.addingTimeInterval(60) > attempt.beganAt }
        guard isAsked ?? true || attempt.asksForLogin != true else { throw .upstreamNotRecent }
        // A provider that does not report it must have a page that authenticates the user again.
        guard !attempt.isForNewLogin || isAsked ?? !client.provider.authenticationPrompts.isEmpty else {
            throw .upstreamNotRecent
        }
        guard !attempt.isReauthentication else {
            // The user need not confirm the app, since the code is only useful to a session of the same account.
            return .app(url: try await code(.reauthentication, record, attempt))
        }
        let isConfirmed = attempt.isClaimed
        guard !attempt.isLink else {
            // The browser may be signed in at the provider as another user, so a page shows which identity it links.
            guard isConfirmed, attempt.page == nil else {
                return .page(try await confirmation(of: nil, record, attempt))
            }
            return .app(url: try await linkCode(record, attempt))
        }
        guard let account = try await account(of: user, at: client.provider, from: origin) else {
            return .page(try await addressChallenge(for: nil, record, attempt, from: origin))
        }
        // A user who has authenticated or chosen an account since the attempt began has seen it.
        let isSeen =
            attempt.isInteractive || (user.authenticatedAt.map { $0.addingTimeInterval(1) > attempt.beganAt } ?? false)
        return try await next(of: account, record, attempt, isConfirmed: isConfirmed || isSeen, from: origin)
    }

    /// Returns the next step for a user with an account.
    ///
    /// - Parameter isConfirmed: Whether the user need not confirm the app on a page.
    package func next(
        of account: Account, _ record: UpstreamIdentityRecord, _ attempt: SignInAttempt, isConfirmed: Bool,
        from origin: RequestOrigin
    ) async throws(IdentityError) -> Next {
        let begun: SignInResult<AdmittedProof>
        do throws(IdentityError) {
            begun = try await admission.admitOrChallenge(proof(of: account, at: record.authenticatedAt), on: .provider)
        } catch {
            // A different step may be required by now, for example after a second factor was confirmed.
            guard error != .accountChanged else { throw .signInEnded }
            guard error == .addressUnverified else { throw error }
            return .page(try await addressChallenge(for: account, record, attempt, from: origin))
        }
        switch begun {
        case .challenged(let text, let challenge):
            let step = SignInAttempt.Step.secondFactor(challenge: text, record)
            return .page(attempt.waiting(for: step, until: challenge.expiresAt))
        case .success(let admitted):
            guard isConfirmed else { return .page(try await confirmation(of: account, record, attempt)) }
            return try await result(
                of: admitted, as: try await plan(for: account, of: attempt), record, attempt, from: origin)
        }
    }

    /// Returns the account of a user, which the first sign-in creates; nil if the address must be verified first.
    ///
    /// Until then nothing reveals whether another account has the address.
    package func account(
        of user: UpstreamUser, at provider: UpstreamProvider, from origin: RequestOrigin
    ) async throws(IdentityError) -> Account? {
        if let found = try await store.account(linkedTo: user.identity) { return found }
        guard let email = user.identity.email else { throw .emailMissing }
        try SignUpRule(configuration).require(email)
        // Only the provider of its domain knows the owner of an address.
        let isVerified = user.isEmailVerified && provider.decides(about: email)
        guard isVerified || !admission.requiresVerifiedEmail else { return nil }
        let now = clock.now
        let account = Account(
            id: random.newID(at: now), email: email, name: user.name, passwordChangedAt: now,
            emailVerifiedAt: isVerified ? now : nil, createdAt: now)
        let mail = OutboxMail(
            .signedUp, to: email, accountID: account.id, id: random.identifier(), at: now, causedBy: origin.mailCause)
        return try await signingUp(account, isVerified: isVerified, at: provider, from: origin) {
            account throws(IdentityError) in
            try await store.insert(account, linkedTo: user.identity, mail: isVerified ? nil : mail)
        }
    }

    /// Runs the insertion of an account within the limits of sign-ups, if the hook of sign-ups admits it.
    ///
    /// A refusal because an account already has the address counts once for each network and address, since a
    /// repetition reveals nothing new. A refusal to the owner of the address reveals nothing, so it does not count.
    func signingUp(
        _ account: Account, isVerified: Bool, at provider: UpstreamProvider, from origin: RequestOrigin,
        _ insert: (Account) async throws(IdentityError) -> Account
    ) async throws(IdentityError) -> Account {
        let email = try account.requireAddress()
        try SignUpRule(configuration).require(email)
        let attempts = limits.attempts(of: .signUp, from: origin.address) + [limits.signUp(emailKey: email.key)]
        try limits.take(attempts)
        do throws(IdentityError) {
            let admitted = try await hooks.admit(
                account, by: .provider, isVerified: isVerified, at: provider.name, from: origin)
            let account = try await insert(admitted)
            metrics.count(.accountsCreated)
            mails.wake()
            return account
        } catch {
            guard error != .signUpDenied, error != .hookUnavailable else { throw error }
            guard error == .alreadyExists else {
                limits.refund(attempts)
                throw error
            }
            let disclosure = limits.disclosure(of: email.key, to: origin.address)
            if isVerified || limits.rejection(taking: [disclosure]) != nil {
                limits.refund(attempts)
            }
            throw .accountExists(at: provider.displayName)
        }
    }

    // MARK: Results

    /// Returns the plan of the session that an attempt starts; nil if it ends on a page, or with a code.
    func plan(for account: Account, of attempt: SignInAttempt) async throws(IdentityError) -> SessionPlan? {
        guard attempt.page == nil, attempt.codeChallenge == nil else { return nil }
        return try await plan(for: account)
    }

    /// Returns the result of a sign-in: the URL of the app with a code or tokens, or the tokens for a browser.
    ///
    /// - Parameter plan: The plan of ``plan(for:of:)``.
    package func result(
        of proof: AdmittedProof, as plan: SessionPlan?, _ record: UpstreamIdentityRecord, _ attempt: SignInAttempt,
        from origin: RequestOrigin
    ) async throws(IdentityError) -> Next {
        let next: Next
        if attempt.page != nil {
            next = .signedIn(proof)
        } else if let plan {
            let issued = try await tokens.startSession(proof, plan, from: origin)
            let parameters = [("accessToken", issued.accessToken), ("refreshToken", issued.refreshToken)]
            next = attempt.isBrowsers == true ? .tokens(issued) : .app(url: attempt.appURL(parameters))
        } else {
            next = .app(url: try await code(.signIn, record, attempt, for: proof.account, factorAt: proof.factorAt))
        }
        metrics.count(.upstreamSignIns, "success")
        return next
    }

    /// Returns the URL of the app with a code that identifies the user.
    package func linkCode(
        _ record: UpstreamIdentityRecord, _ attempt: SignInAttempt
    ) async throws(IdentityError) -> String {
        try await code(.link, record, attempt)
    }

    /// Stores a code and returns the URL of the app with it.
    private func code(
        _ purpose: SignInCode.Purpose, _ record: UpstreamIdentityRecord, _ attempt: SignInAttempt,
        for account: Account? = nil, factorAt: Date? = nil
    ) async throws(IdentityError) -> String {
        let text = "oc1." + Base64URL.encode(random.bytes(32))
        try await store.insert(
            SignInCode(
                digest: text.digest, purpose: purpose, identity: record.identity(at: attempt.provider),
                accountID: account?.id,
                credentialVersion: account?.credentialVersion ?? 0, codeChallenge: attempt.codeChallenge ?? "",
                factorAt: factorAt, authenticatedAt: record.authenticatedAt,
                expiresAt: clock.now.addingTimeInterval(SignInCode.lifetime),
                isEmailVerified: record.isEmailVerified == true))
        return attempt.appURL([("code", text)])
    }

    /// Returns the proof of a user from the response of a provider.
    package func proof(of account: Account, at date: Date) -> SignInProof {
        SignInProof(account: account, grantType: .authorizationCode, authenticatedAt: date, by: .provider)
    }

    /// Admits the proof of an attempt again, and uses the attempt up.
    ///
    /// - Parameter id: The identifier of the attempt.
    /// - Throws: `IdentityError.signInEnded` if the account has changed, `.doubtfulDate`, or a store's error.
    package func readmit(_ record: AdmittedRecord, of id: String) async throws(IdentityError) -> AdmittedProof {
        try await spend(id)
        let admitted = admission.readmit(
            try await store.account(id: record.accountID), redeeming: record.credentialVersion,
            grantType: .authorizationCode, authenticatedAt: record.authenticatedAt, by: .provider,
            factorAt: record.factorAt)
        guard let admitted else { throw .signInEnded }
        return admitted
    }

    /// Plans the session of an app of the server's own client.
    func plan(for account: Account) async throws(IdentityError) -> SessionPlan {
        try await tokens.plan(for: account, grant: .authorizationCode)
    }

    // MARK: Failures

    /// Counts the error that ended a sign-in, and returns it.
    package func counted(_ error: IdentityError) -> IdentityError {
        let result =
            switch error {
            case .upstreamDenied: "denied"
            case .upstreamUnavailable: "unavailable"
            default: "failed"
            }
        metrics.count(.upstreamSignIns, result)
        return error
    }

    /// Returns the error of a provider's response for the user, and records it.
    ///
    /// - Parameter part: The part of the sign-in in which the error was thrown.
    package func failure(
        _ error: any Error, in part: UpstreamPart, at provider: UpstreamProvider, from origin: RequestOrigin?
    ) async -> IdentityError {
        var failure: IdentityError =
            switch error {
            case OAuthError.accessDenied: .upstreamDenied
            case OAuthError.stateMismatch: .signInEnded
            case OAuthError.temporarilyUnavailable, OAuthError.serverFailed, OAuthError.tooManyRequests,
                OAuthError.discoveryFailed, AuthError.keysUnavailable:
                .upstreamUnavailable
            case let error as IdentityError: error
            case is HTTPError: .upstreamUnavailable
            default: .upstreamFailed
            }
        if [.upstreamUnavailable, .upstreamFailed].contains(failure) {
            failure.upstreamFailure = "\(provider.name):\(part.named(by: error).rawValue):\(error.codeOrType)"
        }
        guard let origin, failure != .upstreamDenied, failure != .upstreamUnavailable else { return failure }
        do throws(IdentityError) {
            try await audit("signIn.failed", "\(provider.name): \(Self.reason(error))", account: nil, from: origin)
        } catch {
            return error
        }
        return failure
    }

    /// Returns the reason for the operator, without the provider's text, since an attacker could put text into a
    /// response.
    private static func reason(_ error: any Error) -> String {
        guard let error = error as? any CodedError else { return "unknown" }
        return (error as? OAuthError)?.issuerMessage == nil ? error.message : error.code
    }

    func audit(
        _ event: String, _ detail: String, account: String?, from origin: RequestOrigin
    ) async throws(IdentityError) {
        try await store.audit(
            event, account: account, detail: "\(detail) from \(origin.address)".sanitized(200), at: clock.now)
    }
}
