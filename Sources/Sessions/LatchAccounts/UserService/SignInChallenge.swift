// SPDX-License-Identifier: Apache-2.0

import LatchAuth
import LatchCore
import LatchHTTP
public import PortableFoundation

/// A proof that the password of a sign-in was right, which a code of the second factor completes.
///
/// So an app does not keep the password while the user looks for the code. It is a secret, and does not print itself.
public struct SignInChallenge: Sendable, Hashable, CustomStringConvertible, CustomReflectable {
    /// The credential of the second step.
    package let token: String
    /// The date by this device's clock at which the sign-in has to begin again.
    public let expiryDate: Date

    /// Creates a challenge, for tests and for other backends.
    public init(token: String, expiryDate: Date) {
        self.token = token
        self.expiryDate = expiryDate
    }

    /// A redaction.
    public var description: String { "SignInChallenge(<redacted>)" }
    /// A mirror of the expiry alone.
    public var customMirror: Mirror { Mirror(self, children: ["expiryDate": expiryDate]) }
}

extension AuthClient {
    /// Signs a user in by name and password, or returns the challenge for the second factor.
    ///
    /// A backend without `userservice.v1.UserService` signs in by its own route; there a second factor needs the password
    /// once more, together with the code.
    ///
    /// - Parameters:
    ///   - name: The e-mail address or the user name.
    ///   - password: The password, as the user types it.
    ///   - deviceName: The name of the device in the user's list; nil for that of its user agent.
    /// - Returns: The challenge; nil if the user is signed in.
    /// - Throws: `AccountError.wrongCredentials`, `tooManyAttempts`, `secondFactorRequired`, …
    public func beginSignIn(
        name: String, password: String, deviceName: String? = nil
    ) async throws -> SignInChallenge? {
        let sent = tokenDecoder.clock.now
        // A field of proto3 that is left out counts as false, and the session then ends after a day.
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

    /// Completes a sign-in by a code of the second factor, or a recovery code.
    ///
    /// - Throws: `AccountError.wrongCode`, `tooManyAttempts`, and `refused` with the server's code `invalidToken` if the
    ///   challenge has expired.
    public func completeSignIn(_ challenge: SignInChallenge, code: String) async throws {
        let sent = tokenDecoder.clock.now
        let members = try await call("VerifyTwoFactor", ["code": .string(code)], bearing: challenge.token)
        try await adopt(members, requestedAt: sent)
    }

    /// Returns the seconds that a challenge has left, by the server's clock alone: this device's may be wrong.
    ///
    /// Without a date of the response they are five minutes, as this project's server gives.
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
