// SPDX-License-Identifier: Apache-2.0

import LatchRPC

/// A request that says itself what is wrong with it, before anything is done.
protocol CheckedRequest: Message {
    /// The rules of seed 000's options, which clients check before they send and the server checks again.
    var rules: [CallRule] { get }
}

/// One rule: whether it holds, and what is said where it does not, which names the field and never its value.
struct CallRule {
    let holds: Bool
    let text: String

    init(_ holds: Bool, _ text: String) { (self.holds, self.text) = (holds, text) }
}

extension CheckedRequest {
    /// All that is broken is told at once.
    ///
    /// - Throws: `IdentityError.invalidInput`.
    func check() throws(IdentityError) {
        let broken = rules.filter { !$0.holds }.map(\.text)
        guard broken.isEmpty else {
            throw IdentityError(
                code: IdentityError.invalidInput.code, message: broken.joined(separator: "; ") + ".")
        }
    }
}

extension GetUsersRequest: CheckedRequest { var rules: [CallRule] { [] } }
extension SetupTwoFactorRequest: CheckedRequest { var rules: [CallRule] { [] } }
extension GetActiveDevicesRequest: CheckedRequest { var rules: [CallRule] { [] } }

extension SetUserRoleRequest: CheckedRequest { var rules: [CallRule] { [.filled(userId, "user_id")] } }
extension SetUserStatusRequest: CheckedRequest { var rules: [CallRule] { [.filled(userId, "user_id")] } }
extension EndUserSessionsRequest: CheckedRequest { var rules: [CallRule] { [.filled(userId, "user_id")] } }
extension RegenerateRecoveryCodesRequest: CheckedRequest { var rules: [CallRule] { [.filled(code, "code")] } }

extension RemoveTwoFactorRequest: CheckedRequest {
    var rules: [CallRule] { [CallRule(!userId.isEmpty || !code.isEmpty, "code must not be empty without user_id")] }
}

extension RegisterRequest: CheckedRequest {
    var rules: [CallRule] { CallRule.address(email) + CallRule.password(password, "password") }
}

extension LoginRequest: CheckedRequest {
    var rules: [CallRule] { [.filled(email, "email"), .filled(password, "password")] }
}

extension LogoutRequest: CheckedRequest { var rules: [CallRule] { [.filled(sessionToken, "session_token")] } }
extension RefreshTokenRequest: CheckedRequest { var rules: [CallRule] { [.filled(refreshToken, "refresh_token")] } }
extension GetProfileRequest: CheckedRequest { var rules: [CallRule] { [.filled(userId, "user_id")] } }

extension UpdateProfileRequest: CheckedRequest {
    var rules: [CallRule] {
        [.filled(userId, "user_id"), CallRule((email ?? "").isEmpty || email?.contains("@") == true, CallRule.needsAt)]
    }
}

extension ChangePasswordRequest: CheckedRequest {
    var rules: [CallRule] {
        [.filled(currentPassword, "current_password")] + CallRule.password(newPassword, "new_password")
            + [CallRule(newPassword != currentPassword, "new_password must differ from current_password")]
    }
}

extension DeleteUserRequest: CheckedRequest { var rules: [CallRule] { [.filled(userId, "user_id")] } }
extension PasswordResetRequest: CheckedRequest { var rules: [CallRule] { CallRule.address(email) } }
extension ResendVerificationRequest: CheckedRequest { var rules: [CallRule] { CallRule.address(email) } }

extension ResetPasswordRequest: CheckedRequest {
    var rules: [CallRule] { [.filled(resetToken, "reset_token")] + CallRule.password(newPassword, "new_password") }
}

extension VerifyEmailRequest: CheckedRequest {
    var rules: [CallRule] { [.filled(verificationToken, "verification_token")] }
}

extension VerifyTwoFactorRequest: CheckedRequest { var rules: [CallRule] { [.filled(code, "code")] } }
extension RevokeDeviceRequest: CheckedRequest { var rules: [CallRule] { [.filled(deviceId, "device_id")] } }

extension CallRule {
    fileprivate static let needsAt = "email must contain '@'"

    fileprivate static func filled(_ value: String, _ field: String) -> CallRule {
        CallRule(!value.isEmpty, "\(field) must not be empty")
    }

    fileprivate static func address(_ email: String) -> [CallRule] {
        [filled(email, "email"), CallRule(email.contains("@"), needsAt)]
    }

    /// In Unicode scalars, as everywhere (NIST SP 800-63B-4 §3.1.1.2).
    fileprivate static func password(_ value: String, _ field: String) -> [CallRule] {
        let isLong = value.unicodeScalars.count >= PasswordRules.minimumLength
        return [filled(value, field), CallRule(isLong, "\(field) must have 8 characters or more")]
    }
}
