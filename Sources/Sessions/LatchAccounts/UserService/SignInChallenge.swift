// SPDX-License-Identifier: Apache-2.0

import LatchAuth
import LatchCore
public import LatchFoundation
import LatchHTTP

/// The server's proof that the password of a sign-in was right; a code of the second factor completes the sign-in.
///
/// With it, an app does not have to keep the password while the user looks for the code. It is a secret, and its
/// description is redacted.
public struct SignInChallenge: Sendable, Hashable, CustomStringConvertible, CustomReflectable {
    /// The credential of the second step.
    package let token: String
    /// The date by this device's clock after which the sign-in has to start again.
    public let expiryDate: Date

    /// Creates a challenge for tests and other backends.
    public init(token: String, expiryDate: Date) {
        self.token = token
        self.expiryDate = expiryDate
    }

    /// A redacted description.
    public var description: String { "SignInChallenge(<redacted>)" }
    /// A mirror that shows only the expiry.
    public var customMirror: Mirror { Mirror(self, children: ["expiryDate": expiryDate]) }
}

extension AuthClient {
    /// Signs a user in by name and password, or returns the challenge for the second factor.
    ///
    /// A backend without `userservice.v1.UserService` signs in by its own route. A second factor then needs the
    /// password again, together with the code.
    ///
    /// - Parameters:
    ///   - name: The email address or the user name.
    ///   - password: The password, as the user types it.
    ///   - deviceName: The name in the user's list of devices; nil for the name in the user agent.
    /// - Returns: The challenge; nil if the user is signed in.
    /// - Throws: `AccountError.wrongCredentials`, `tooManyAttempts`, `secondFactorRequired`, …
    public func beginSignIn(
        name: String, password: String, deviceName: String? = nil
    ) async throws -> SignInChallenge? {
        let sent = tokenDecoder.clock.now
        // In proto3 a missing field counts as false, and the session would then end after a day.
        var content: JSONObject = [
            "email": .string(name), "password": .string(password), "rememberMe": true,
        ]
        if let deviceName { content["deviceInfo"] = .string(deviceName) }
        let response: HTTPResponse
        let members: JSONObject
        do {
            response = try await self.response(to: "Login", content, isOpen: true)
            members = try response.members(unauthorized: .wrongCredentials, conflict: .refused)
        } catch AccountError.notSupported {
            try await signIn(email: name, password: password)
            return nil
        }
        if members["requires2fa"] == true {
            guard let session = members["session"]?.objectValue, let token = session.filled("accessToken") else {
                throw AccountError.invalidResponse
            }
            let life = Self.life(until: session.timestamp("expiresAt"), in: response)
            return SignInChallenge(token: token, expiryDate: tokenDecoder.clock.now.addingTimeInterval(life))
        }
        try await adopt(members, requestedAt: sent)
        return nil
    }

    /// Completes a sign-in with a code of the second factor or a recovery code.
    ///
    /// - Throws: `AccountError.wrongCode`, `tooManyAttempts`, and `refused` with the server's code `invalidToken` if
    ///   the challenge has expired.
    public func completeSignIn(_ challenge: SignInChallenge, code: String) async throws {
        let sent = tokenDecoder.clock.now
        let members = try await call("VerifyTwoFactor", ["code": .string(code)], bearing: challenge.token)
        try await adopt(members, requestedAt: sent)
    }

    /// Returns the seconds until a challenge expires, only by the server's clock: this device's clock may be wrong.
    ///
    /// If the response has no date, the result is five minutes, the lifetime at this project's server.
    private static func life(until expiry: Date?, in response: HTTPResponse) -> TimeInterval {
        guard let expiry, response.fields["Age"] == nil,
            let date = response.fields[.date].flatMap(HTTPDate.init)?.date
        else { return 300 }
        return min(max(expiry.timeIntervalSince(date), 0), 3_600)
    }

    /// Makes the tokens of a response the session's credential.
    private func adopt(_ members: JSONObject, requestedAt sent: Date) async throws {
        guard let session = members["session"] else { throw AccountError.invalidResponse }
        let tokens = try tokenDecoder.tokens(in: HTTPResponse(status: .ok, body: HTTPBody(session.serialized())))
        try await self.session.signIn(tokens, requestedAt: sent)
    }
}
