// SPDX-License-Identifier: Apache-2.0

import LatchAccounts
import LatchAuth
import LatchCore
public import LatchFoundation
import LatchHTTP
import LatchOAuth
public import LatchTexts

/// A failure as users see it: the reason and the next step.
///
/// It can be created from any error. The error's message is for developers, in one language, and never shown. The
/// server's message is shown if its code has no sentence in the texts.
public struct ScreenFailure: Error, Hashable, Sendable {
    /// The reason of a failure.
    public enum Reason: String, Hashable, Sendable, CaseIterable {
        /// The server cannot be reached.
        case offline
        /// The server has failed, or gave no usable response.
        case serverFailed
        /// The server refuses for a reason that users cannot fix here.
        case refused
        /// The address or the password is wrong.
        case wrongCredentials
        /// The code is wrong, or was used before.
        case wrongCode
        /// A code of the second factor is also needed.
        case codeRequired
        /// There were too many attempts.
        case locked
        /// Another account has the address or the name.
        case taken
        /// The address is not valid.
        case invalidEmail
        /// The chosen password cannot be used.
        case weakPassword
        /// The link is used, expired or unknown.
        case invalidLink
        /// The time for this step is over.
        case expired
        /// The user is no longer signed in.
        case signedOut
        /// The user has to sign in once more.
        case stepUpRequired
        /// The account is not allowed to do this.
        case forbidden
        /// The account is suspended.
        case suspended
        /// The address of the account has to be confirmed before a sign-in.
        case emailUnverified
        /// The terms that the app has shown are not those that the server requires.
        case termsRequired
        /// The password is too old to sign in with.
        case passwordExpired
        /// The server no longer serves this version of the app.
        case clientTooOld
        /// The account is the only one of an administrator.
        case lastAdministrator
        /// The user would have no other way to sign in.
        case lastSignInMethod
        /// This device has no passkey for the server.
        case noPasskey
        /// The account has a passkey of this device already.
        case passkeyExists
        /// The account has as many passkeys as it can have.
        case tooManyPasskeys
        /// The server no longer accepts the passkey.
        case passkeyRefused
        /// This device or app cannot use passkeys.
        case passkeysUnavailable
        /// The device could not authenticate its owner.
        case deviceRefused
        /// A different user signed in.
        case differentUser
        /// The requested item no longer exists.
        case missing
        /// The password or the tokens cannot be stored on this device.
        case storeUnavailable
        /// The connection is not private.
        case insecure
        /// No browser could be opened.
        case browserUnavailable
        /// The user has ended the request.
        case cancelled
        /// Any other failure.
        case unknown
    }

    /// The cause, which selects the text and the next step.
    public let reason: Reason
    /// The date from which another attempt may succeed; nil if it is not known.
    public let retryDate: Date?
    /// The time from the failure until ``retryDate``.
    private let wait: Duration?
    /// The underlying error.
    private var origin: Origin?
    /// Whether a recovery code is accepted despite the lock.
    private var acceptsRecoveryCode = false

    /// Creates a failure.
    ///
    /// - Parameters:
    ///   - reason: The reason.
    ///   - wait: The time after which another attempt may succeed.
    ///   - now: The date of the failure.
    public init(_ reason: Reason, after wait: Duration? = nil, from now: Date = Date()) {
        self.reason = reason
        self.wait = wait
        retryDate = wait.map { now.addingTimeInterval(Double($0.components.seconds)) }
    }

    /// Creates the failure of an error.
    public init(_ error: any Error, at now: Date = Date()) {
        self.init(classifying: error, at: now)
        if !(error is ScreenFailure) { origin = Origin(error: error) }
    }

    private init(classifying error: any Error, at now: Date) {
        switch error {
        case let failure as ScreenFailure: self = failure
        case is CancellationError: self.init(.cancelled)
        case let error as AccountError:
            let reason = Self.reason(of: error)
            self.init(reason, after: reason == .locked ? Self.wait(error) : nil, from: now)
        case let error as HTTPError:
            if error == HTTPError.unacceptableStatus, let response = error.response {
                self.init(AccountError(response), at: now)
            } else {
                self.init(Self.reason(of: error))
            }
        case let error as AuthError: self.init(Self.reason(of: error))
        case let error as OAuthError:
            let reason = Self.reason(of: error)
            self.init(reason, after: reason == .locked ? Self.wait(error) : nil, from: now)
        default: self.init(.unknown)
        }
    }

    /// Returns the time of a lock: one minute if the server names none, so that the lock ends.
    private static func wait(_ error: any RetryAfterError) -> Duration {
        max(error.retryAfter ?? .seconds(60), .seconds(1))
    }

    /// The underlying error, for logs; nil for a failure that the app created.
    public var error: (any Error)? { origin?.error }
    /// The server's own code of the failure, such as `accountSuspended`; nil if it sent none.
    public var serverCode: String? { accountError?.serverCode }
    /// The server's message; nil if it sent none.
    public var serverMessage: String? { accountError?.serverMessage }
    /// The name of the field that the server refuses; nil if it named none.
    public var field: String? { accountError?.field }

    private var accountError: AccountError? {
        if let error = error as? HTTPError { return error.response.map { AccountError($0) } }
        return error as? AccountError
    }

    /// The sentence for users: the failure, and what to do next.
    public var phrase: Phrase {
        if reason == .refused, let serverMessage { return Phrase("failure.refused.message", .text(serverMessage)) }
        guard reason == .locked else { return Phrase("failure.\(reason.rawValue)") }
        let phrase = lockPhrase
        return acceptsRecoveryCode ? Phrase("failure.locked.code", .phrase(phrase)) : phrase
    }

    private var lockPhrase: Phrase {
        let seconds = Int((wait ?? .seconds(60)).components.seconds)
        switch seconds {
        case ..<90: return Phrase("failure.locked.seconds", .count(seconds))
        case ..<5_400: return Phrase("failure.locked.minutes", .count((seconds + 59) / 60))
        case ...86_400: return Phrase("failure.locked.hours", .count((seconds + 3_599) / 3_600))
        default: return Phrase("failure.locked.days")
        }
    }

    /// Returns the failure of a locked code, with the hint that a recovery code is accepted.
    func acceptingRecoveryCode() -> ScreenFailure {
        var failure = self
        failure.acceptsRecoveryCode = true
        return failure
    }
}

/// The underlying error of a failure; equality ignores it.
private struct Origin: Hashable, Sendable, CustomReflectable {
    let error: any Error

    static func == (left: Origin, right: Origin) -> Bool { true }
    func hash(into hasher: inout Hasher) {}
    /// A mirror without children: a server may have repeated secrets of the request.
    var customMirror: Mirror { Mirror(self, children: [:]) }
}

// MARK: - Errors

extension ScreenFailure {
    private static func reason(of error: AccountError) -> Reason {
        switch error {
        case AccountError.wrongCredentials: .wrongCredentials
        case AccountError.wrongCode, AccountError.wrongMailedCode: .wrongCode
        case AccountError.mailedCodeExpired: .expired
        case AccountError.secondFactorRequired: .codeRequired
        case AccountError.emailTaken: .taken
        case AccountError.invalidEmail: .invalidEmail
        case AccountError.tooManyAttempts: .locked
        case AccountError.serverFailed, AccountError.invalidResponse: .serverFailed
        case AccountError.notSupported: .missing
        case AccountError.passkeyCancelled: .cancelled
        case AccountError.noPasskey: .noPasskey
        case AccountError.passkeyExists: .passkeyExists
        case AccountError.passkeyRefused: .passkeyRefused
        case AccountError.passkeysUnavailable: .passkeysUnavailable
        case AccountError.lastSignInMethod: .lastSignInMethod
        default: serverReasons[error.serverCode ?? ""] ?? (error.status?.rawValue == 426 ? .clientTooOld : .refused)
        }
    }

    /// The reasons of the server's own codes.
    private static let serverReasons: [String: Reason] = [
        "weakPassword": .weakPassword, "invalidLink": .invalidLink, "invalidToken": .expired, "forbidden": .forbidden,
        "noSuchDevice": .missing, "noSuchAccount": .missing, "noSecondFactor": .missing, "signInAgain": .stepUpRequired,
        "alreadyExists": .taken, "invalidCredentials": .wrongCredentials, "invalidCode": .wrongCode,
        "lastAdministrator": .lastAdministrator, "ownerProofRequired": .codeRequired,
        "passkeyChallengeExpired": .expired, "noSuchPasskey": .missing, "passkeysUnavailable": .passkeysUnavailable,
        "tooManyPasskeys": .tooManyPasskeys, "accountSuspended": .suspended, "accountClosed": .suspended,
        "passwordExpired": .passwordExpired, "clientTooOld": .clientTooOld, "emailUnverified": .emailUnverified,
        "termsRequired": .termsRequired,
    ]

    private static func reason(of error: HTTPError) -> Reason {
        switch error {
        case HTTPError.offline, HTTPError.timeout: .offline
        case HTTPError.cancelled: .cancelled
        case HTTPError.tls, HTTPError.pinMismatch, HTTPError.clientCertificateRefused, HTTPError.insecureURL: .insecure
        case HTTPError.unacceptableStatus: .refused
        default: .serverFailed
        }
    }

    private static func reason(of error: AuthError) -> Reason {
        switch error {
        case AuthError.missingToken, AuthError.reauthenticationRequired, AuthError.superseded, AuthError.notRefreshable,
            AuthError.missingProofKey:
            .signedOut
        case AuthError.stepUpRequired: .stepUpRequired
        case AuthError.differentUser: .differentUser
        case AuthError.unknownAccount: .missing
        case AuthError.accountNameTaken: .taken
        case AuthError.storeLocked, AuthError.storeDenied, AuthError.storeCorrupt, AuthError.storeNewer,
            AuthError.storeFull, AuthError.storeUnavailable, AuthError.lockHeld:
            .storeUnavailable
        case AuthError.refreshFailed, AuthError.refreshTimedOut:
            error.cause.map { ScreenFailure($0).reason } ?? .offline
        case AuthError.tooManyRefreshes, AuthError.invalidTokenResponse: .serverFailed
        default: .unknown
        }
    }

    /// The reasons of the server's own codes, in the URL of a provider's sign-in and at the token endpoint.
    private static let issuerReasons: [String: Reason] = [
        "account_suspended": .suspended, "account_closed": .suspended, "email_unverified": .emailUnverified,
    ]

    private static func reason(of error: OAuthError) -> Reason {
        if let reason = issuerReasons[error.issuerCode ?? ""] { return reason }
        return switch error {
        case OAuthError.cancelled: .cancelled
        case OAuthError.signInTimedOut: .expired
        case OAuthError.browserUnavailable: .browserUnavailable
        case OAuthError.accessDenied: .refused
        case OAuthError.invalidGrant: .wrongCredentials
        case OAuthError.tooManyRequests: .locked
        case OAuthError.temporarilyUnavailable, OAuthError.serverFailed, OAuthError.invalidResponse,
            OAuthError.invalidAuthorizationResponse:
            .serverFailed
        case OAuthError.differentUser: .differentUser
        default: .refused
        }
    }
}
