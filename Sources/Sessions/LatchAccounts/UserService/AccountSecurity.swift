// SPDX-License-Identifier: Apache-2.0

import LatchAuth
import LatchCore
import LatchHTTP

/// The secrets of a new second factor, which the server shows once.
public struct SecondFactorSetup: Sendable, Hashable, CustomStringConvertible, CustomReflectable {
    /// The secret in base 32, which the user types into an authenticator app.
    public let secret: String
    /// The key URI that authenticator apps read from a QR code: `otpauth://totp/…`.
    public let uri: String
    /// The codes to use if the authenticator app is lost; each works once.
    public let recoveryCodes: [String]

    /// Creates a setup for tests and other backends.
    public init(secret: String, uri: String, recoveryCodes: [String]) {
        self.secret = secret
        self.uri = uri
        self.recoveryCodes = recoveryCodes
    }

    /// A redacted description.
    public var description: String { "SecondFactorSetup(<redacted>)" }
    /// A mirror that shows only the number of recovery codes.
    public var customMirror: Mirror { Mirror(self, children: ["recoveryCodes": recoveryCodes.count]) }
}

// MARK: - Passwords and second factors

extension AuthClient {
    /// Changes the password of the signed-in user.
    ///
    /// - Parameters:
    ///   - current: The current password, as the user types it.
    ///   - new: The new password.
    ///   - signingOutOthers: Whether all other devices are signed out; this one stays signed in.
    /// - Throws: `AccountError.wrongCredentials`, `tooManyAttempts`, or `refused` with the server's code `weakPassword`
    ///   for a password that is not acceptable.
    public func changePassword(from current: String, to new: String, signingOutOthers: Bool = true) async throws {
        _ = try await call(
            "ChangePassword",
            [
                "currentPassword": .string(current), "newPassword": .string(new),
                "logoutOtherSessions": .bool(signingOutOthers),
            ])
    }

    /// Creates the secrets of a second factor, which takes effect after ``confirmSecondFactor(code:)``.
    ///
    /// - Throws: `AuthError.stepUpRequired` if the sign-in is not recent: let the user
    ///   ``reauthenticate(password:code:)``.
    public func beginSecondFactor() async throws -> SecondFactorSetup {
        let members = try await call("SetupTwoFactor")
        guard let secret = members.filled("secret"), let uri = members.filled("otpauthUri") else {
            throw AccountError.invalidResponse
        }
        let codes = members["recoveryCodes"]?.arrayValue?.compactMap(\.stringValue) ?? []
        return SecondFactorSetup(secret: secret, uri: uri, recoveryCodes: codes)
    }

    /// Confirms a second factor with a code of the authenticator app, and signs out all other devices.
    ///
    /// - Throws: `AccountError.wrongCode`, `tooManyAttempts`, and `AuthError.stepUpRequired`.
    public func confirmSecondFactor(code: String) async throws {
        _ = try await call("VerifyTwoFactor", ["code": .string(code)])
    }

    /// Removes the second factor with one of its codes or a recovery code.
    ///
    /// - Throws: `AccountError.wrongCode`, `tooManyAttempts`, `AuthError.stepUpRequired`, and `refused` with the
    ///   server's code `noSecondFactor` if the account has none.
    public func removeSecondFactor(code: String) async throws {
        _ = try await call("RemoveTwoFactor", ["code": .string(code)])
    }

    /// Replaces the recovery codes with new ones.
    ///
    /// - Throws: As ``removeSecondFactor(code:)``.
    public func replaceRecoveryCodes(code: String) async throws -> [String] {
        let members = try await call("RegenerateRecoveryCodes", ["code": .string(code)])
        return members["recoveryCodes"]?.arrayValue?.compactMap(\.stringValue) ?? []
    }
}
