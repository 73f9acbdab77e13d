// SPDX-License-Identifier: Apache-2.0

#if os(iOS) || os(macOS) || os(visionOS)
import Foundation
import LocalAuthentication

extension AuthenticationManager {
    /// Asks for the user's face or finger, and remembers that the app asks for it from now on.
    ///
    /// - Throws: `LAError`, such as `biometryNotAvailable` or `userCancel`.
    public func enableBiometricAuth() async throws -> Bool {
        let isEnabled = try await authenticateWithBiometrics()
        if isEnabled { UserDefaults.standard.set(true, forKey: "biometric_enabled") }
        return isEnabled
    }

    /// Asks for the user's face or finger.
    ///
    /// Safer are tokens that only the user's face or finger opens: `KeychainSecretStore(service:protection: .biometry)` in a
    /// `SecretTokenStore`.
    ///
    /// - Throws: As ``enableBiometricAuth()``.
    public func authenticateWithBiometrics() async throws -> Bool { try await Self.evaluate() }

    private nonisolated static func evaluate() async throws -> Bool {
        try await LAContext().evaluatePolicy(
            .deviceOwnerAuthenticationWithBiometrics, localizedReason: "Authenticate to access your account")
    }
}
#endif
