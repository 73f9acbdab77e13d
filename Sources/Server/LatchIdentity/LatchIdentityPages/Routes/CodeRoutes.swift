// SPDX-License-Identifier: Apache-2.0

package import LatchCore
import LatchFoundation
import LatchHTTP
package import LatchIdentityAccounts
import LatchIdentityStorage
package import LatchServer

/// The routes on which apps sign users in and up with a code that is mailed to them.
///
/// A request for a code has the same response for every address, after the same work (attack E2). The response has a
/// challenge, without which the code is useless.
package struct CodeRoutes: Sendable {
    package let limits: RateLimits
    package let clock: WallClock
    package let random: RandomSource
    package let cipher: MailedCodeCipher
    package let refreshCookie: RefreshCookie
    package let signIns: CodeSignInService
    package let signUps: SignUpService

    package init(
        limits: RateLimits, clock: WallClock, random: RandomSource, cipher: MailedCodeCipher,
        refreshCookie: RefreshCookie, signIns: CodeSignInService, signUps: SignUpService
    ) {
        self.limits = limits
        self.clock = clock
        self.random = random
        self.cipher = cipher
        self.refreshCookie = refreshCookie
        self.signIns = signIns
        self.signUps = signUps
    }

    /// Adds the routes.
    ///
    /// A request that sends no email does not count as one, so these requests count after their content is read.
    package func add(to router: inout Router) {
        router.group(interceptors: limits.limiting(.link)) { links in
            links.post("/api/auth/code", .requestCode, send)
            links.post("/api/auth/code/register", .signUpWithCode, signUp)
        }
        router.group(interceptors: limits.limiting(.token)) { sessions in
            sessions.post("/api/auth/code/login", .logInWithCode, signIn)
        }
    }

    /// Emails a code, and returns 202 with the challenge.
    ///
    /// A request with an earlier `challenge` for the same address sends the same code again, while it can be entered. A
    /// request that is repeated with its Idempotency-Key causes one email.
    @Sendable private func send(_ request: HTTPRequest) async throws -> HTTPResponse {
        let body = try request.jsonObject()
        let (typed, word) = (try body.text("email"), try body.text("purpose"))
        let earlier = try body.optionalText("challenge")
        guard let purpose = MailedCodeChallenge.Purpose(rawValue: word) else {
            throw IdentityError.invalid("purpose", "must be sign_in or sign_up")
        }
        let email = try EmailAddress(typed)
        let again = try earlier.map { text throws(IdentityError) in try cipher.open(text, for: purpose, at: clock.now) }
        guard try again.map({ try EmailAddress($0.email).key == email.key }) ?? true else {
            throw IdentityError.invalid("challenge", "is for another address")
        }
        let expiresAt = clock.now.addingTimeInterval(MailedCodeChallenge.lifetime)
        // A key is that of a repetition for an hour or two, and later of a new request with a new code.
        let hour = Int(clock.now.timeIntervalSince1970 / 3600)
        let form = CodeForm(
            ids: try request.idempotencyKey().map { ["\($0) \(hour)", "\($0) \(hour - 1)"] } ?? [random.identifier()],
            expiresAt: expiresAt.addingTimeInterval(3600))
        let origin = request.requestOrigin
        let id =
            switch purpose {
            case .signIn: try await signIns.begin(email, by: form, again: again?.id, in: origin.language, from: origin)
            case .signUp: try await signUps.begin(email, by: form, again: again?.id, in: origin.language, from: origin)
            }
        let challenge = MailedCodeChallenge(id: id, purpose: purpose, email: email, expiresAt: expiresAt)
        return .json(
            [
                "challenge": .string(try cipher.seal(challenge)),
                "expiresIn": .integer(Int64(AddressChallenge.lifetime)),
            ], status: .accepted)
    }

    /// Signs in by a code, and returns what a login does.
    ///
    /// A page of another site cannot sign a browser in, which would make it use the attacker's account (RFC 6749
    /// §10.12).
    @Sendable private func signIn(_ request: HTTPRequest) async throws -> HTTPResponse {
        try refreshCookie.requireSameSite(request)
        let body = try request.jsonObject()
        let (text, code, factor) = (try body.text("challenge"), try body.text("code"), try body.optionalText("otp"))
        let issued = try await signIns.signIn(
            code, of: try cipher.open(text, for: .signIn, at: clock.now), factor: factor,
            key: try request.idempotencyKey(), from: request.requestOrigin)
        return refreshCookie.response(to: issued)
    }

    /// Creates the account of an address by its code, signs in, and returns 201 with what a login returns.
    @Sendable private func signUp(_ request: HTTPRequest) async throws -> HTTPResponse {
        try refreshCookie.requireSameSite(request)
        let body = try request.jsonObject()
        let (text, code) = (try body.text("challenge"), try body.text("code"))
        let origin = request.requestOrigin
        let details = SignUpDetails(
            by: .code, password: try body.optionalText("password"), name: try body.optionalText("name"),
            username: try body.optionalText("username"), language: origin.language,
            registration: try Registration(body))
        let issued = try await signUps.signUp(
            code, of: try cipher.open(text, for: .signUp, at: clock.now), with: details,
            key: try request.idempotencyKey(), from: origin)
        var response = refreshCookie.response(to: issued)
        response.status = .created
        return response
    }
}

extension HTTPStatus {
    /// RFC 9110 §15.3.3.
    static let accepted = HTTPStatus(rawValue: 202)
}

extension HTTPRequest {
    /// Returns the Idempotency-Key; nil without one.
    ///
    /// A short key could be that of another app (draft-ietf-httpapi-idempotency-key-header-07 §2.2).
    ///
    /// - Throws: `IdentityError.invalidInput` for a key that two apps may choose, or a long one.
    fileprivate func idempotencyKey() throws(IdentityError) -> String? {
        guard let key = fields[.idempotencyKey], !key.isEmpty else { return nil }
        guard (16...255).contains(key.utf8.count) else {
            throw .invalid("Idempotency-Key", "must have 16 to 255 bytes")
        }
        return key
    }
}
