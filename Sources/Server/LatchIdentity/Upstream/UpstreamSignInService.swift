// SPDX-License-Identifier: Apache-2.0

import LatchAuth
import LatchCore
import LatchCrypto
import LatchHTTP
import LatchJOSE
import LatchOAuth
import PortableFoundation

/// A service that signs users in through identity providers, for apps.
///
/// The app opens a page of this server with its own challenge (RFC 7636). After the provider has said who the user is, the
/// browser returns to the app with a code, which only the app that began can exchange for tokens, or for a link.
struct UpstreamSignInService: Sendable {
    let dependencies: Dependencies

    private var store: any IdentityStore { dependencies.store }

    // MARK: Beginning

    /// The parameters of an app's request to sign in.
    struct Request: Sendable {
        var redirect: String?
        var codeChallenge: String?
        var codeChallengeMethod: String?
        var prompt: String?
        var intent: String?
    }

    /// Returns an attempt, its state, and the URL of the provider's page.
    ///
    /// - Throws: `IdentityError.invalidSignIn`, `.notReady`, `.upstreamUnavailable` and `.upstreamFailed`.
    func begin(_ request: Request, at client: UpstreamClient) async throws(IdentityError) -> (
        attempt: SignInAttempt, state: String, url: String
    ) {
        let (redirect, challenge) = try validated(request)
        guard request.intent == nil || request.intent == "link" else { throw .invalidSignIn("its intent is unknown") }
        let isLink = request.intent == "link"
        guard !isLink || challenge != nil else { throw .invalidSignIn("a link needs a code_challenge") }
        guard let issuer = dependencies.accessTokens.issuer,
            let callback = URL(string: Self.callback(issuer, client.provider))
        else { throw .notReady }
        var authorization = AuthorizationRequest()
        authorization.prompts = try Self.prompts(request.prompt)
        // This server needs no access later.
        if client.provider.kind == .google { authorization.parameters = [("access_type", "online")] }
        let begun: AuthorizationAttempt
        do {
            begun = try await client.authorization.attempt(authorization, redirectURI: callback)
        } catch {
            throw await failure(error, at: client.provider, from: nil)
        }
        let purpose: SignInCode.Purpose = isLink ? .link : .signIn
        let attempt = SignInAttempt(
            provider: client.provider.name, redirect: redirect, codeChallenge: challenge, purpose: purpose.rawValue,
            expiresAt: dependencies.now.addingTimeInterval(SignInAttempt.lifetime), step: .response(begun.withoutPage))
        return (attempt, begun.state, begun.url.absoluteString)
    }

    /// Returns the URL that a provider redirects to, as it is registered there.
    static func callback(_ issuer: String, _ provider: UpstreamProvider) -> String {
        "\(issuer.withoutFinalSlash)/api/auth/\(provider.name)/callback"
    }

    /// Returns the URL of the app and its challenge; nil for an app that gets tokens in the URL.
    private func validated(_ request: Request) throws(IdentityError) -> (String, String?) {
        let configuration = dependencies.configuration
        guard let redirect = request.redirect else { throw .invalidSignIn("its redirect is missing") }
        let takesTokens = configuration.tokenRedirects.contains { $0.utf8.elementsEqual(redirect.utf8) }
        guard takesTokens || configuration.signInRedirects.contains(where: { $0.utf8.elementsEqual(redirect.utf8) })
        else { throw .invalidSignIn("its redirect is not one that this server is configured with") }
        guard let challenge = request.codeChallenge else {
            guard takesTokens, request.codeChallengeMethod == nil else {
                throw .invalidSignIn("its code_challenge is missing")
            }
            return (redirect, nil)
        }
        // RFC 7636 §4.2: a SHA-256 digest; without the method it would be the verifier itself.
        guard request.codeChallengeMethod == "S256", challenge.utf8.count == 43,
            challenge.isWord(maximum: 43, also: "-_")
        else { throw .invalidSignIn("its code_challenge is not one of the method S256") }
        return (redirect, challenge)
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
    enum Next: Sendable {
        /// The browser returns to the app.
        case app(url: String)
        /// The user enters a code of the second factor.
        case secondFactor(SignInAttempt)
    }

    /// Uses up an attempt: each is answered once, on whichever node.
    ///
    /// - Throws: `IdentityError.signInEnded`, or a store's error.
    func spend(_ id: String) async throws(IdentityError) {
        // A lifetime more than that of the cookie, for nodes whose clocks differ.
        let end = dependencies.now.addingTimeInterval(2 * SignInAttempt.lifetime)
        guard try await store.spend(attempt: id.digest, until: end) else { throw .signInEnded }
    }

    /// Finishes a sign-in with the provider's response.
    ///
    /// - Throws: `IdentityError` for the user's page.
    func finish(
        _ response: AuthorizationResponse, to begun: AuthorizationAttempt, of attempt: SignInAttempt,
        at client: UpstreamClient, from origin: RequestOrigin
    ) async throws(IdentityError) -> Next {
        let user: UpstreamUser
        do { user = try await client.user(of: response, to: begun) } catch {
            throw await failure(error, at: client.provider, from: origin)
        }
        let authenticatedAt = min(user.authenticatedAt ?? dependencies.now, dependencies.now)
        guard !attempt.isLink else {
            return .app(url: try await code(.link, user.identity, attempt, authenticatedAt: authenticatedAt))
        }
        let account = try await account(of: user, at: client.provider, from: origin)
        try await check(account)
        guard try await !dependencies.secondFactors.isConfirmed(of: account.id) else {
            return .secondFactor(
                try await challenge(account, user.identity, attempt, authenticatedAt: authenticatedAt))
        }
        return .app(
            url: try await result(
                for: account, user.identity, attempt, authenticatedAt: authenticatedAt, factorAt: nil, from: origin))
    }

    /// Returns the account of a user, which the first sign-in creates.
    private func account(
        of user: UpstreamUser, at provider: UpstreamProvider, from origin: RequestOrigin
    ) async throws(IdentityError) -> Account {
        if let found = try await store.account(linkedTo: user.identity) { return found }
        guard let email = user.identity.email else { throw .emailMissing }
        try dependencies.take(
            dependencies.limits.attempts(of: .signUp, from: origin.address)
                + [dependencies.limits.signUp(emailKey: email.key)])
        let now = dependencies.now
        // Only the provider of its domain knows whose an address is.
        let isVerified = user.isEmailVerified && provider.decides(about: email)
        let account = Account(
            id: dependencies.newID(at: now), email: email, name: user.name, passwordChangedAt: now,
            emailVerifiedAt: isVerified ? now : nil, createdAt: now)
        do throws(IdentityError) {
            let inserted = try await store.insert(account, linkedTo: user.identity)
            dependencies.metrics.count("latch_accounts_created_total")
            return inserted
        } catch IdentityError.alreadyExists {
            throw .accountExists(at: provider.displayName)
        }
    }

    /// Requires that an account may sign in.
    private func check(_ account: Account) async throws(IdentityError) {
        guard account.status == .active else { throw .accountClosed }
        guard account.emailVerifiedAt == nil, dependencies.configuration.requireVerifiedEmail else { return }
        try await dependencies.accounts.mail(.verifyEmail, to: account.email)
        throw .emailUnverified
    }

    // MARK: The second factor

    /// Returns the attempt that waits for the second factor.
    private func challenge(
        _ account: Account, _ identity: UpstreamIdentity, _ attempt: SignInAttempt, authenticatedAt: Date
    ) async throws(IdentityError) -> SignInAttempt {
        let text = "uc1." + Base64URL.encode(dependencies.random.bytes(32))
        let now = dependencies.now
        let end = now.addingTimeInterval(LoginService.challengeLifetime)
        try await store.insert(
            LoginChallenge(
                digest: text.digest, accountID: account.id, passwordChangedAt: account.passwordChangedAt, scope: "",
                isRemembered: true, createdAt: now, expiresAt: end))
        let record = UpstreamIdentityRecord(
            issuer: identity.issuer, subject: identity.subject, authenticatedAt: authenticatedAt)
        return SignInAttempt(
            provider: attempt.provider, redirect: attempt.redirect, codeChallenge: attempt.codeChallenge,
            purpose: attempt.purpose, expiresAt: end, step: .secondFactor(challenge: text, record))
    }

    /// Finishes a sign-in by a code of the second factor.
    ///
    /// - Throws: `IdentityError.invalidCode` and `.tooManyAttempts`, after which the user tries again; `.signInEnded`, or a
    ///   store's error.
    func finish(
        challenge text: String, _ record: UpstreamIdentityRecord, code: String, of attempt: SignInAttempt,
        from origin: RequestOrigin
    ) async throws(IdentityError) -> String {
        let now = dependencies.now
        let identity = UpstreamIdentity(issuer: record.issuer, subject: record.subject, provider: attempt.provider)
        guard let challenge = try await store.challenge(text.digest, at: now),
            // A link that was removed meanwhile signs nobody in.
            let account = try await store.account(linkedTo: identity), account.id == challenge.accountID,
            account.status == .active, account.passwordChangedAt == challenge.passwordChangedAt
        else { throw .signInEnded }
        try await dependencies.secondFactors.verify(
            code, of: account.id, for: .login(challenge: challenge.digest), from: origin)
        return try await result(
            for: account, identity, attempt, authenticatedAt: record.authenticatedAt, factorAt: now, from: origin)
    }

    // MARK: Results

    /// Returns the URL of the app with the result of a sign-in.
    private func result(
        for account: Account, _ identity: UpstreamIdentity, _ attempt: SignInAttempt, authenticatedAt: Date,
        factorAt: Date?, from origin: RequestOrigin
    ) async throws(IdentityError) -> String {
        dependencies.metrics.count("latch_upstream_sign_ins_total", ["result": "success"])
        guard attempt.codeChallenge == nil else {
            return try await code(
                .signIn, identity, attempt, for: account, authenticatedAt: authenticatedAt, factorAt: factorAt)
        }
        let issued = try await startSession(
            for: account, authenticatedAt: authenticatedAt, factorAt: factorAt, from: origin)
        return AppRedirect.url(
            attempt.redirect, [("accessToken", issued.accessToken), ("refreshToken", issued.refreshToken)])
    }

    /// Stores a code and returns the URL of the app with it.
    private func code(
        _ purpose: SignInCode.Purpose, _ identity: UpstreamIdentity, _ attempt: SignInAttempt,
        for account: Account? = nil, authenticatedAt: Date, factorAt: Date? = nil
    ) async throws(IdentityError) -> String {
        let text = "oc1." + Base64URL.encode(dependencies.random.bytes(32))
        try await store.insert(
            SignInCode(
                digest: text.digest, purpose: purpose, identity: identity, accountID: account?.id,
                credentialVersion: account?.credentialVersion ?? 0, codeChallenge: attempt.codeChallenge ?? "",
                factorAt: factorAt, authenticatedAt: authenticatedAt,
                expiresAt: dependencies.now.addingTimeInterval(SignInCode.lifetime)))
        return AppRedirect.url(attempt.redirect, [("code", text)])
    }

    private func startSession(
        for account: Account, authenticatedAt: Date, factorAt: Date?, from origin: RequestOrigin
    ) async throws(IdentityError) -> IssuedTokens {
        let scopes = try dependencies.scopes.granted(nil, to: account, by: dependencies.clients.firstParty)
        return try await dependencies.tokens.startSession(
            for: account, from: origin, grantType: OAuthClient.GrantType("authorization_code"), scopes: scopes,
            factorAt: factorAt, authenticatedAt: authenticatedAt)
    }

    // MARK: The app

    /// Exchanges a code for tokens.
    ///
    /// - Throws: `IdentityError.invalidSignInCode`, the same for every cause; the code has then ended.
    func exchange(
        _ text: String, verifier: String, from origin: RequestOrigin
    ) async throws(IdentityError) -> IssuedTokens {
        let code = try await take(text, verifier: verifier, for: .signIn, from: origin)
        guard let id = code.accountID, let account = try await store.account(id: id), account.status == .active,
            // A reset, a second factor or a removed link since then (decision 0051).
            account.credentialVersion == code.credentialVersion
        else { throw .invalidSignInCode }
        return try await startSession(
            for: account, authenticatedAt: code.authenticatedAt, factorAt: code.factorAt, from: origin)
    }

    /// Links the identity of a code to the account of a session that has authenticated recently.
    ///
    /// - Throws: `IdentityError.invalidSignInCode`, `.signInAgain`, `.forbidden`, `.linkedElsewhere`, `.alreadyLinked`, or a
    ///   store's error.
    func link(
        _ text: String, verifier: String, to session: AuthenticatedSession, from origin: RequestOrigin
    ) async throws(IdentityError) -> UpstreamIdentity {
        try requireRecentLogin(session)
        let code = try await take(text, verifier: verifier, for: .link, from: origin)
        try await store.link(code.identity, to: session.account, at: dependencies.now)
        dependencies.mails.wake()
        return code.identity
    }

    /// Removes the link to a provider.
    ///
    /// - Throws: `IdentityError.signInAgain`, `.forbidden`, `.notLinked`, `.lastSignIn`, or a store's error.
    func unlink(_ provider: String, from session: AuthenticatedSession) async throws(IdentityError) {
        try requireRecentLogin(session)
        try await store.unlink(provider, from: session.account, on: session.device.id, at: dependencies.now)
        dependencies.mails.wake()
    }

    private func requireRecentLogin(_ session: AuthenticatedSession) throws(IdentityError) {
        try session.requireFirstParty()
        try dependencies.requireRecentAuthentication(session)
    }

    /// Uses up a code of the app that proves its challenge (RFC 7636 §4.6).
    private func take(
        _ text: String, verifier: String, for purpose: SignInCode.Purpose, from origin: RequestOrigin
    ) async throws(IdentityError) -> SignInCode {
        guard text.utf8.count <= 100, verifier.utf8.count >= 43, verifier.isWord(maximum: 128, also: "-._~"),
            let code = try await store.takeSignInCode(text.digest, for: purpose, at: dependencies.now)
        else { throw .invalidSignInCode }
        guard Base64URL.encode(verifier.digest).utf8.elementsEqual(code.codeChallenge.utf8) else {
            // Somebody has another app's code.
            try await audit("signIn.codeRefused", code.identity.provider, account: code.accountID, from: origin)
            throw .invalidSignInCode
        }
        return code
    }

    // MARK: Failures

    /// Returns the error of a failed sign-in for the user, and records it.
    private func failure(
        _ error: any Error, at provider: UpstreamProvider, from origin: RequestOrigin?
    ) async -> IdentityError {
        let (result, failure): (String, IdentityError) =
            switch error {
            case OAuthError.accessDenied: ("denied", .upstreamDenied)
            case OAuthError.stateMismatch: ("failed", .signInEnded)
            case OAuthError.temporarilyUnavailable, OAuthError.serverFailed, OAuthError.tooManyRequests,
                OAuthError.discoveryFailed, AuthError.keysUnavailable:
                ("unavailable", .upstreamUnavailable)
            case let error as IdentityError: ("failed", error)
            case is HTTPError: ("unavailable", .upstreamUnavailable)
            default: ("failed", .upstreamFailed)
            }
        dependencies.metrics.count("latch_upstream_sign_ins_total", ["result": result])
        guard let origin, result == "failed" else { return failure }
        do throws(IdentityError) {
            try await audit("signIn.failed", "\(provider.name): \(Self.reason(error))", account: nil, from: origin)
        } catch {
            return error
        }
        return failure
    }

    /// Returns the reason for the operator; not what the provider wrote, which anyone can put into a response.
    private static func reason(_ error: any Error) -> String {
        guard let error = error as? any CodedError else { return "unknown" }
        return (error as? OAuthError)?.issuerMessage == nil ? error.message : error.code
    }

    private func audit(
        _ event: String, _ detail: String, account: String?, from origin: RequestOrigin
    ) async throws(IdentityError) {
        try await store.audit(
            event, account: account, detail: "\(detail) from \(origin.address)".sanitized(200), at: dependencies.now)
    }
}
