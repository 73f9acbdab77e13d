// SPDX-License-Identifier: Apache-2.0

public import LatchCore

/// What goes wrong with a credential, its store or its session.
///
/// Two families must never be taken for each other: `missingToken` and `reauthenticationRequired` mean that the person
/// has to sign in; every `store…` code and `renewalFailed` mean that the session is still there and cannot be used now.
public struct AuthError: CodedError {
    /// The stable name of what went wrong.
    public let code: String
    /// What happened.
    public let message: String
    /// What to do about it.
    public let hint: String?
    /// The error that led to this one, where there was one.
    public let cause: (any Error)?
    /// What a server asks of the person: with `stepUpRequired`, and with no other.
    public let requirement: StepUpRequirement?

    /// An error with its context.
    public init(
        code: String, message: String, hint: String? = nil, cause: (any Error)? = nil,
        requirement: StepUpRequirement? = nil
    ) {
        self.code = code
        self.message = message
        self.hint = hint
        self.cause = cause
        self.requirement = requirement
    }

    /// This error with the error that led to it.
    public func caused(by cause: any Error) -> AuthError {
        AuthError(code: code, message: message, hint: hint, cause: cause, requirement: requirement)
    }
}

extension AuthError {
    /// Nobody is signed in.
    public static let missingToken = AuthError(
        code: "missingToken", message: "Nobody is signed in.", hint: "Sign in first.")

    /// The issuer refused to renew: only a new sign-in helps.
    public static let reauthenticationRequired = AuthError(
        code: "reauthenticationRequired", message: "The session has ended; the issuer does not renew it.",
        hint: "Ask the person to sign in again.")

    /// The session changed hands while the operation ran: somebody signed out or in meanwhile.
    public static let superseded = AuthError(
        code: "superseded", message: "The session was signed out or replaced meanwhile.",
        hint: "Repeat the operation in the session that is current now.")

    /// The renewal did not succeed, and the session is kept; `cause` says why.
    public static let renewalFailed = AuthError(
        code: "renewalFailed", message: "The credential could not be renewed; the session is kept.",
        hint: "Try again; the cause says what failed.")

    /// The renewal asked its own session for a credential.
    public static let renewalReentered = AuthError(
        code: "renewalReentered", message: "A renewal asked its own session for a credential.",
        hint: "Renew with a client that does not carry this session.")

    /// The issuer answered with something that is no token response.
    public static let invalidTokenResponse = AuthError(
        code: "invalidTokenResponse", message: "The issuer's answer holds no usable token.",
        hint: "Check that the address is the token endpoint.")

    /// A login set none of the cookies that prove it.
    public static let loginWithoutCookies = AuthError(
        code: "loginWithoutCookies", message: "The login set no cookie that could prove it.",
        hint: "Check the name and the password: many servers answer a refused login with a page.")
}

extension AuthError {
    /// The store is locked, as a keychain is before the first unlock.
    ///
    /// What it holds is still there.
    public static let storeLocked = AuthError(
        code: "storeLocked", message: "The secret store is locked.", hint: "Unlock it and try again.")

    /// The store refuses access to this process.
    public static let storeDenied = AuthError(
        code: "storeDenied", message: "The secret store refused access.",
        hint: "Check the owner and the permissions of the file, or the entitlements of the program.")

    /// What the store holds cannot be read.
    ///
    /// It is set aside at the next write, not deleted.
    public static let storeCorrupt = AuthError(
        code: "storeCorrupt", message: "The secret store's content is damaged or was written with another key.",
        hint: "Restore it from a backup, or sign in again; the damaged file is then kept beside the new one.")

    /// There is no room for the write.
    public static let storeFull = AuthError(
        code: "storeFull", message: "There is no room to store the secret.", hint: "Free some space and try again.")

    /// The store cannot be reached for another reason.
    public static let storeUnavailable = AuthError(
        code: "storeUnavailable", message: "The secret store cannot be used.", hint: "The cause says what failed.")

    /// A `store…` error with a detail that names the place, such as a path or a status; never what is stored.
    package static func store(_ error: AuthError, _ detail: String) -> AuthError {
        AuthError(code: error.code, message: "\(error.message) (\(detail))", hint: error.hint)
    }

    /// An error of a store as it came, or `storeUnavailable` around whatever else a store threw.
    package static func fromStore(_ error: any Error) -> AuthError {
        error as? AuthError ?? storeUnavailable.caused(by: error)
    }

    /// A failure of the file system as a `store…` code.
    ///
    /// `missing` is unavailable and not empty: who reads has already taken a missing file for an empty store.
    static func file(_ failure: FileFailure) -> AuthError {
        let detail = failure.description
        return switch failure.reason {
        case .denied, .readOnly: store(.storeDenied, detail)
        case .full: store(.storeFull, detail)
        case .missing, .other: store(.storeUnavailable, detail)
        }
    }
}
