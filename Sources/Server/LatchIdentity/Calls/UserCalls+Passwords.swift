// SPDX-License-Identifier: Apache-2.0

import LatchCore
import LatchRPC

extension UserCalls {
    func changePassword(_ request: ChangePasswordRequest, context: CallContext) async throws {
        try await answering(bearer: context, request) { bearer, origin throws(IdentityError) in
            try await accounts.changePassword(
                of: bearer, from: request.currentPassword, to: request.newPassword,
                signingOutOthers: request.logoutOtherSessions, from: origin)
        }
    }

    /// The same answer after the same work, whether there is such an account or not (attack E2).
    func requestPasswordReset(_ request: PasswordResetRequest, context: CallContext) async throws {
        try await answering(context, request) { _ throws(IdentityError) in
            accounts.mailReset(to: try EmailAddress(request.email))
        }
    }

    func resetPassword(_ request: ResetPasswordRequest, context: CallContext) async throws {
        try await answering(context, request) { _ throws(IdentityError) in
            try await accounts.resetPassword(request.resetToken, password: request.newPassword)
        }
    }

    /// Whoever has the link has shown a mailbox and no more: the answer has nothing that the account tells about itself.
    func verifyEmail(_ request: VerifyEmailRequest, context: CallContext) async throws -> User {
        try await answering(context, request) { _ throws(IdentityError) in
            User(try await accounts.verifyEmail(request.verificationToken))
        }
    }

    /// The same answer after the same work, whether there is such an account or not (attack E2).
    func resendVerification(_ request: ResendVerificationRequest, context: CallContext) async throws {
        try await answering(context, request) { _ throws(IdentityError) in
            accounts.mailVerification(to: try EmailAddress(request.email))
        }
    }
}
