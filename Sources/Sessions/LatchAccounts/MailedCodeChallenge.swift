// SPDX-License-Identifier: Apache-2.0

public import LatchAuth
import LatchCore
public import LatchFoundation
import LatchHTTP

/// The server's response to a request for a mailed code, which completes the sign-in or sign-up together with the code.
///
/// The code is useless without it. It is a secret of this app, and its description is redacted.
public struct MailedCodeChallenge: Sendable, Hashable, CustomStringConvertible, CustomReflectable {
    /// What the code is for.
    package enum Purpose: String, Sendable, Hashable {
        case signIn = "sign_in"
        case signUp = "sign_up"
    }

    /// The address that gets the email.
    public let email: String
    /// The date by this device's clock after which the code has expired.
    public let expiryDate: Date
    package let purpose: Purpose
    /// The text that the server expects with the code.
    package let token: String
    /// The key by which the server recognizes a repeated request, for which it has the same session.
    package let key: String

    package init(email: String, expiryDate: Date, purpose: Purpose, token: String, key: String) {
        (self.email, self.expiryDate, self.purpose) = (email, expiryDate, purpose)
        (self.token, self.key) = (token, key)
    }

    /// Creates a challenge of a sign-in for tests and other backends.
    public init(email: String, expiryDate: Date, token: String) {
        self.init(email: email, expiryDate: expiryDate, purpose: .signIn, token: token, key: token)
    }

    /// A redacted description.
    public var description: String { "MailedCodeChallenge(<redacted>)" }
    /// A mirror that shows only the expiry.
    public var customMirror: Mirror { Mirror(self, children: ["expiryDate": expiryDate]) }
}

extension AuthClient {
    /// Requests an email with a code that signs the user in.
    ///
    /// ```swift
    /// let challenge = try await auth.beginCodeSignIn(email: "ada@example.com")
    /// try await auth.completeCodeSignIn(challenge, code: readLine() ?? "")
    /// ```
    ///
    /// The server's response is the same for every address. An address without an account gets no email.
    ///
    /// - Throws: `AccountError.invalidEmail`, `tooManyAttempts`; `refused` with the server's code `signInWayOff`
    ///   if it does not sign in with codes; `notSupported` if it has no such route.
    public func beginCodeSignIn(email: String) async throws -> MailedCodeChallenge {
        try await requestCode(for: .signIn, to: email)
    }

    /// Requests an email with a code that creates an account.
    ///
    /// The server's response is the same for every address. An address with an account gets an email that says so.
    ///
    /// - Throws: `AccountError.invalidEmail`, `tooManyAttempts`; `refused` if the address may not sign up;
    ///   `notSupported` if the server has no codes.
    public func beginCodeSignUp(email: String) async throws -> MailedCodeChallenge {
        try await requestCode(for: .signUp, to: email)
    }

    /// Requests another email with the same code, or with a new one if the code can no longer be entered.
    ///
    /// - Returns: The challenge to use from now on.
    /// - Throws: As ``beginCodeSignIn(email:)``; the earlier challenge then remains valid. `mailedCodeExpired` after an
    ///   hour: begin again.
    public func resendCode(_ challenge: MailedCodeChallenge) async throws -> MailedCodeChallenge {
        try await requestCode(for: challenge.purpose, to: challenge.email, again: challenge)
    }

    /// Signs the user in with the code from the email.
    ///
    /// Only a success uses the code up. After `secondFactorRequired`, call this function again with both codes. After a
    /// lost response, call it again with the same challenge and code: the server has the same session.
    ///
    /// - Parameters:
    ///   - challenge: The response to the request for the code.
    ///   - code: The code from the email, as the user types it.
    ///   - factor: A code of the second factor, or a recovery code, if the account has one.
    /// - Throws: `AccountError.wrongMailedCode`, `mailedCodeExpired`, `secondFactorRequired`, `wrongCode`,
    ///   `tooManyAttempts`, …; nothing is stored then.
    @discardableResult
    public func completeCodeSignIn(
        _ challenge: MailedCodeChallenge, code: String, secondFactor factor: String? = nil
    ) async throws -> Tokens {
        try await signIn(
            at: endpoints.codeSignIn, ["challenge": .string(challenge.token), "code": .string(code)], code: factor,
            key: challenge.key, unauthorized: .refused, conflict: .refused)
    }

    /// Creates the account of an address with the code from the email, and signs the user in.
    ///
    /// Only a success uses the code up, so that the user can correct what the server refuses. After a lost response,
    /// call it again with the same challenge and code: the server has the same session.
    ///
    /// - Parameters:
    ///   - challenge: The response to the request for the code.
    ///   - code: The code from the email, as the user types it.
    ///   - password: The password; nil for an account without one, if the server signs in with codes.
    ///   - name: The display name; nil or empty to leave it out of the request.
    ///   - username: The user name; nil or empty to leave it out of the request.
    ///   - attributes: As for ``signUp(email:password:name:roles:attributes:acceptedTerms:)``.
    ///   - acceptedTerms: The version of the terms that the user has accepted.
    /// - Throws: `AccountError.wrongMailedCode`, `mailedCodeExpired`, `emailTaken`, `tooManyAttempts`, or `refused` with
    ///   the server's message and the refused `field`; nothing is stored then.
    @discardableResult
    public func completeCodeSignUp(
        _ challenge: MailedCodeChallenge, code: String, password: String? = nil, name: String? = nil,
        username: String? = nil, attributes: [String: String] = [:], acceptedTerms: String? = nil
    ) async throws -> Tokens {
        var content = Self.details(name: name, attributes: attributes, acceptedTerms: acceptedTerms)
        content["challenge"] = .string(challenge.token)
        content["code"] = .string(code)
        if let password { content["password"] = .string(password) }
        if let username, !username.isEmpty { content["username"] = .string(username) }
        return try await signIn(
            at: endpoints.codeSignUp, content, code: nil, key: challenge.key, unauthorized: .refused)
    }

    private func requestCode(
        for purpose: MailedCodeChallenge.Purpose, to email: String, again earlier: MailedCodeChallenge? = nil
    ) async throws -> MailedCodeChallenge {
        var content: JSONObject = ["email": .string(email), "purpose": .string(purpose.rawValue)]
        if let earlier { content["challenge"] = .string(earlier.token) }
        let response = try await send(endpoints.code, content, key: random.identifier())
        // Another backend has no such route, and this one no such codes.
        guard response.status != .notFound else { throw AccountError.notSupported }
        let (token, end) = try challenge(in: response)
        return MailedCodeChallenge(
            email: email, expiryDate: end, purpose: purpose, token: token, key: earlier?.key ?? random.identifier())
    }

    /// Returns the text that the server expects with a code, and the date by this device's clock at which the code ends.
    func challenge(in response: HTTPResponse) throws -> (token: String, end: Date) {
        let members = try response.members(conflict: .refused)
        guard let token = members.filled("challenge") else { throw AccountError.invalidResponse }
        let life = Double(members["expiresIn"]?.intValue ?? 600)
        return (token, tokenDecoder.clock.now.addingTimeInterval(min(max(life, 0), 86_400)))
    }
}
