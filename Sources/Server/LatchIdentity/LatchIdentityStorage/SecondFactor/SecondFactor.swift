// SPDX-License-Identifier: Apache-2.0

import LatchAuth
package import LatchFoundation

/// The TOTP secret of an account, and the state of its verification.
package struct SecondFactor: Sendable, Hashable {
    package let accountID: String
    /// The secret, encrypted by the server.
    package let sealedSecret: [UInt8]
    /// Whether the owner has confirmed the setup by a code.
    ///
    /// Only then do logins require the factor.
    package var isConfirmed = false
    package let createdAt: Date
    /// The time step of the newest accepted code.
    ///
    /// Codes of this step and of earlier ones are not accepted again.
    package var lastStep: Int64 = 0
    /// The number of wrong codes since the last right one.
    package var failures = 0
    /// The time of the last wrong code.
    package var failedAt: Date?

    package init(
        accountID: String, sealedSecret: [UInt8], isConfirmed: Bool = false, createdAt: Date, lastStep: Int64 = 0,
        failures: Int = 0, failedAt: Date? = nil
    ) {
        self.accountID = accountID
        self.sealedSecret = sealedSecret
        self.isConfirmed = isConfirmed
        self.createdAt = createdAt
        self.lastStep = lastStep
        self.failures = failures
        self.failedAt = failedAt
    }

    /// The time until which codes are not checked.
    ///
    /// From the fifth wrong code on, the wait doubles each time, up to an hour. An attacker who has the password has
    /// about 24 guesses a day, each with three chances in a million.
    package var lockedUntil: Date? {
        guard failures >= Self.freeFailures, let failedAt else { return nil }
        let doublings = min(failures - Self.freeFailures, 7)
        return failedAt.addingTimeInterval(min(30 * Double(1 << doublings), 3600))
    }

    /// The number of wrong codes without a wait.
    package static let freeFailures = 5
}

extension SecondFactor: Redacting {
    package var description: String { "SecondFactor(\(isConfirmed ? "confirmed" : "begun"))" }
}

package enum SecondFactorProof: Sendable {
    /// A code with its time step; nil if it matches no step around the current time.
    ///
    /// `sealedSecret` is the secret that the code was compared with. So the code cannot prove a factor that has
    /// replaced it in the meantime.
    case code(step: Int64?, sealedSecret: [UInt8])
    /// A recovery code, as a digest.
    case recovery(digest: [UInt8])
}

/// The purpose of a proof, and the effects of an accepted one.
package enum SecondFactorPurpose: Sendable, Hashable {
    /// A login, which ends the challenge with this digest.
    ///
    /// The challenge must be valid.
    case login(challenge: [UInt8]?)
    /// The confirmation of a pending setup, which signs out every device except this one.
    case confirmation(on: [UInt8])
    /// The removal of the factor with all recovery codes, requested on a device.
    case removal(on: [UInt8])
    /// The replacement of all recovery codes by those with these digests, requested on a device.
    case recoveryCodes([[UInt8]], on: [UInt8])

    /// The name of the purpose in the audit log.
    package var name: String {
        switch self {
        case .login: "login"
        case .confirmation: "confirmation"
        case .removal: "removal"
        case .recoveryCodes: "recoveryCodes"
        }
    }

    /// The device of the session that changes the factor; nil for a login.
    package var device: [UInt8]? {
        switch self {
        case .login: nil
        case .confirmation(let device), .removal(let device), .recoveryCodes(_, let device): device
        }
    }

    /// Whether the proof is for the factor of a pending setup, and not for the confirmed one.
    package var isConfirmation: Bool {
        guard case .confirmation = self else { return false }
        return true
    }
}

/// The result of verifying a proof.
package enum VerificationResult: Sendable, Hashable {
    case accepted
    /// The code is wrong or used.
    case rejected
    /// The factor, the challenge or the device no longer exists.
    ///
    /// The code was not checked.
    case ended
    /// Too many codes were wrong.
    ///
    /// This one was not checked.
    case locked(until: Date)
}

/// A login with the right password that waits for the second factor, stored by the digest of its text.
package struct LoginChallenge: Sendable, Hashable {
    /// The SHA-256 digest of the text.
    package let digest: [UInt8]
    package let accountID: String
    /// The account's value when the password was verified.
    ///
    /// A later reset ends the challenge.
    package let passwordChangedAt: Date
    /// The scopes of the tokens.
    package let scope: String
    /// Whether the session lasts for more than a day.
    package let isRemembered: Bool
    package let createdAt: Date
    package let expiresAt: Date

    package init(
        digest: [UInt8], accountID: String, passwordChangedAt: Date, scope: String, isRemembered: Bool, createdAt: Date,
        expiresAt: Date
    ) {
        self.digest = digest
        self.accountID = accountID
        self.passwordChangedAt = passwordChangedAt
        self.scope = scope
        self.isRemembered = isRemembered
        self.createdAt = createdAt
        self.expiresAt = expiresAt
    }
}
