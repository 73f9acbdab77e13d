// SPDX-License-Identifier: Apache-2.0

package import LatchCore
package import LatchCrypto
package import LatchHTTP
package import LatchIdentityAccounts
package import LatchIdentityProvider
package import LatchIdentityStorage
import LatchServer
import LatchSignIn

/// The sign-ins through providers that begin on a page of this server, and continue there.
package struct ProviderSignIns: Sendable {
    private let random: RandomSource
    private let limits: RateLimits
    private let upstreams: UpstreamClients
    private let upstreamSignIns: UpstreamSignInService
    private let forms: KeptForms
    package let attempts: AttemptCookies

    package init(
        random: RandomSource, limits: RateLimits, upstreams: UpstreamClients, upstreamSignIns: UpstreamSignInService,
        forms: KeptForms, attempts: AttemptCookies
    ) {
        self.random = random
        self.limits = limits
        self.upstreams = upstreams
        self.upstreamSignIns = upstreamSignIns
        self.forms = forms
        self.attempts = attempts
    }

    /// Redirects to a provider's page, and keeps the form of the page that continues.
    ///
    /// - Parameters:
    ///   - purpose: A sign-in, or a link to the account of the page's session.
    ///   - choosesAccount: Whether the user may choose another account at the provider.
    ///   - page: Returns the page of the form with the reason why the provider cannot be used.
    /// - Throws: `IdentityError.loginEnded` for a provider that is not configured any longer, or an error of the page.
    package func begin(
        _ provider: String, _ form: PageForm, for purpose: SignInCode.Purpose = .signIn, choosesAccount: Bool,
        _ request: HTTPRequest, orShowing page: (IdentityError) async throws(IdentityError) -> HTTPResponse
    ) async throws(IdentityError) -> HTTPResponse {
        guard let client = upstreams[provider] else { throw .loginEnded }
        do throws(IdentityError) {
            return try await begin(client, form, for: purpose, choosesAccount: choosesAccount, request)
        } catch {
            request.note(ofSignIn: error)
            return try await page(error)
        }
    }

    private func begin(
        _ client: UpstreamClient, _ form: PageForm, for purpose: SignInCode.Purpose, choosesAccount: Bool,
        _ request: HTTPRequest
    ) async throws(IdentityError) -> HTTPResponse {
        guard let evicted = self.attempts.current.makingRoom(in: request) else { throw .tooManySignIns }
        // Each one is a row of the store, as a device's authorization is.
        let attempts = limits.deviceAuthorization(from: request.requestOrigin.address)
        try limits.take(attempts)
        let id = random.identifier()
        let begun: (attempt: SignInAttempt, state: String, url: String)
        do throws(IdentityError) {
            begun = try await upstreamSignIns.begin(
                forPage: id, for: purpose, requiresNewLogin: form.purpose.needsNewLogin,
                choosesAccount: choosesAccount || form.purpose.request?.choosesAccount ?? false, at: client)
            try await forms.keep(form, as: id)
        } catch {
            limits.refund(attempts)
            throw error
        }
        var response = HTTPResponse.seeOther(begun.url)
        for field in evicted { response = response.setting(field) }
        return response.setting(
            try self.attempts.set(begun.attempt, id: begun.state, isPosted: client.provider.postsResponses))
    }

    /// Returns the form of the page that an attempt continues; nil if an app has begun it.
    ///
    /// - Throws: `IdentityError.loginEnded` for a form that has expired.
    package func form(of attempt: SignInAttempt) async throws(IdentityError) -> PageForm? {
        guard let page = attempt.page else { return nil }
        guard let form = try await forms.form(page) else { throw .loginEnded }
        return form
    }
}

/// The cookies of the sign-ins through providers.
package struct AttemptCookies: Sendable {
    private let accessTokens: AccessTokenIssuer
    private let pepper: SymmetricKey
    private let clock: WallClock

    package init(accessTokens: AccessTokenIssuer, pepper: SymmetricKey, clock: WallClock) {
        self.accessTokens = accessTokens
        self.pepper = pepper
        self.clock = clock
    }

    /// The cookies of one request, since the issuer may become known while the server runs.
    var current: EncryptedCookies {
        EncryptedCookies(attemptsAt: accessTokens.issuer, pepper: pepper, clock: clock)
    }

    /// Returns the Set-Cookie field of an attempt.
    func set(_ attempt: SignInAttempt, id: String, isPosted: Bool) throws(IdentityError) -> String {
        do { return try current.set(attempt, id: id, isPosted: isPosted) } catch { throw .encryptionFailed }
    }

    /// Returns the attempt of a state or an id, if this browser began it and it has not expired.
    func attempt(_ id: String, in request: HTTPRequest) -> SignInAttempt? {
        current.attempt(id, in: request, at: clock.now)
    }
}

extension HTTPRequest {
    /// Records a failure of this server; a failure of a provider is counted separately.
    func note(ofSignIn error: IdentityError) {
        note(upstreamFailureOf: error)
        if error != .upstreamUnavailable, error != .upstreamFailed { note(error) }
    }

    /// Records a provider's failure for the request's line in the log.
    func note(upstreamFailureOf error: IdentityError) {
        guard let failure = error.upstreamFailure else { return }
        context[MatchedRouteKey.self]?.refusal = failure
    }
}
