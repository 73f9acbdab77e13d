// SPDX-License-Identifier: Apache-2.0

import LatchRPC

/// A request message with validation rules, which run before anything else.
protocol ValidatedRequest: Message {
    /// The rules of the contract's options, which generated clients check as well.
    var rules: [ValidationRule] { get }
}

/// A validation rule, with a message that names the field and never its value.
struct ValidationRule {
    let holds: Bool
    let text: String

    init(_ holds: Bool, _ text: String) { (self.holds, self.text) = (holds, text) }
}

extension ValidatedRequest {
    /// Checks all rules.
    ///
    /// - Throws: `IdentityError.invalidInput`, with the messages of all broken rules.
    func validate() throws(IdentityError) {
        let broken = rules.filter { !$0.holds }.map(\.text)
        guard broken.isEmpty else { throw .invalidInput.with(message: broken.joined(separator: "; ") + ".") }
    }
}

extension GetUsersRequest: ValidatedRequest { var rules: [ValidationRule] { [] } }
extension SetupTwoFactorRequest: ValidatedRequest { var rules: [ValidationRule] { [] } }
extension GetActiveDevicesRequest: ValidatedRequest { var rules: [ValidationRule] { [] } }

extension SetUserRoleRequest: ValidatedRequest { var rules: [ValidationRule] { [.filled(userId, "user_id")] } }
extension SetUserStatusRequest: ValidatedRequest { var rules: [ValidationRule] { [.filled(userId, "user_id")] } }
extension EndUserSessionsRequest: ValidatedRequest { var rules: [ValidationRule] { [.filled(userId, "user_id")] } }
extension RegenerateRecoveryCodesRequest: ValidatedRequest { var rules: [ValidationRule] { [.filled(code, "code")] } }

extension RemoveTwoFactorRequest: ValidatedRequest {
    var rules: [ValidationRule] {
        [ValidationRule(!userId.isEmpty || !code.isEmpty, "code must not be empty without user_id")]
    }
}

extension RegisterRequest: ValidatedRequest {
    var rules: [ValidationRule] { ValidationRule.address(email) + ValidationRule.password(password, "password") }
}

extension LoginRequest: ValidatedRequest {
    var rules: [ValidationRule] { [.filled(email, "email"), .filled(password, "password")] }
}

extension LogoutRequest: ValidatedRequest { var rules: [ValidationRule] { [.filled(sessionToken, "session_token")] } }
extension RefreshTokenRequest: ValidatedRequest {
    var rules: [ValidationRule] { [.filled(refreshToken, "refresh_token")] }
}
extension GetProfileRequest: ValidatedRequest { var rules: [ValidationRule] { [.filled(userId, "user_id")] } }

extension UpdateProfileRequest: ValidatedRequest {
    var rules: [ValidationRule] {
        [
            .filled(userId, "user_id"),
            ValidationRule((email ?? "").isEmpty || email?.contains("@") == true, ValidationRule.needsAt),
        ]
    }
}

extension ChangePasswordRequest: ValidatedRequest {
    var rules: [ValidationRule] {
        [.filled(currentPassword, "current_password")] + ValidationRule.password(newPassword, "new_password")
            + [ValidationRule(newPassword != currentPassword, "new_password must differ from current_password")]
    }
}

extension DeleteUserRequest: ValidatedRequest { var rules: [ValidationRule] { [.filled(userId, "user_id")] } }
extension PasswordResetRequest: ValidatedRequest { var rules: [ValidationRule] { ValidationRule.address(email) } }
extension ResendVerificationRequest: ValidatedRequest { var rules: [ValidationRule] { ValidationRule.address(email) } }

extension ResetPasswordRequest: ValidatedRequest {
    var rules: [ValidationRule] {
        [.filled(resetToken, "reset_token")] + ValidationRule.password(newPassword, "new_password")
    }
}

extension VerifyEmailRequest: ValidatedRequest {
    var rules: [ValidationRule] { [.filled(verificationToken, "verification_token")] }
}

extension VerifyTwoFactorRequest: ValidatedRequest { var rules: [ValidationRule] { [.filled(code, "code")] } }
extension RevokeDeviceRequest: ValidatedRequest { var rules: [ValidationRule] { [.filled(deviceId, "device_id")] } }

extension ValidationRule {
    fileprivate static let needsAt = "email must contain '@'"

    fileprivate static func filled(_ value: String, _ field: String) -> ValidationRule {
        ValidationRule(!value.isEmpty, "\(field) must not be empty")
    }

    fileprivate static func address(_ email: String) -> [ValidationRule] {
        [filled(email, "email"), ValidationRule(email.contains("@"), needsAt)]
    }

    /// Counts Unicode scalars, as ``PasswordPolicy`` does.
    fileprivate static func password(_ value: String, _ field: String) -> [ValidationRule] {
        let isLong = value.unicodeScalars.count >= PasswordPolicy.minimumLength
        return [filled(value, field), ValidationRule(isLong, "\(field) must have 8 characters or more")]
    }
}
