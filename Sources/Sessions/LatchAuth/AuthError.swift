// SPDX-License-Identifier: Apache-2.0

public import LatchCore

/// An error of a credential, its store or its session.
///
/// Do not confuse two families of errors. `missingToken` and `reauthenticationRequired` mean that the user has to sign
/// in. Every `store…` code and `refreshFailed` mean that the session still exists, but cannot be used now.
public struct AuthError: CodedError {
    /// The stable name of the error.
    public let code: String
    /// A description of the failure.
    public let message: String
    /// A suggestion for the user or the developer.
    public let hint: String?
    /// The underlying error, if there is one.
    public let cause: (any Error)?
    /// The authentication that a server requires; only with `stepUpRequired`.
    public let requirement: StepUpRequirement?

    /// Creates an error with its context.
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

    /// Returns this error with another message, and with another hint if there is one.
    func saying(_ message: String, hint: String? = nil) -> AuthError {
        AuthError(code: code, message: message, hint: hint ?? self.hint, cause: cause, requirement: requirement)
    }

    /// Returns this error with its underlying error.
    public func caused(by cause: any Error) -> AuthError {
        AuthError(code: code, message: message, hint: hint, cause: cause, requirement: requirement)
    }

    /// Matches an error with the same code, so that `catch` needs no other import.
    public static func ~= (pattern: AuthError, error: any Error) -> Bool { (error as? AuthError)?.code == pattern.code }
}

extension AuthError: Hashable {
    /// Hashes the code, by which errors compare.
    public func hash(into hasher: inout Hasher) { hasher.combine(code) }
}

// MARK: - Sessions

extension AuthError {
    /// The session has no signed-in user.
    public static let missingToken = AuthError(
        code: "missingToken", message: "No user is signed in.", hint: "Sign in first.")

    /// The issuer refused the refresh: only a new sign-in helps.
    public static let reauthenticationRequired = AuthError(
        code: "reauthenticationRequired", message: "The session has ended; the issuer does not refresh it.",
        hint: "Ask the user to sign in again.")

    /// A sign-in or sign-out replaced the session while the operation ran.
    public static let superseded = AuthError(
        code: "superseded", message: "The session was signed out or replaced in the meantime.",
        hint: "Repeat the operation in the session that is current now.")

    /// The refresh did not succeed, and the session is kept; `cause` is the reason.
    public static let refreshFailed = AuthError(
        code: "refreshFailed", message: "The credential could not be refreshed; the session is kept.",
        hint: "Try again; the cause says what failed.")

    /// The refresh requested a credential from its own session.
    public static let refreshReentered = AuthError(
        code: "refreshReentered", message: "A refresh requested a credential from its own session.",
        hint: "Refresh with a client that does not carry this session.")

    /// Another session is refreshing now; a caller whose credential is still accepted never gets this error.
    static let refreshElsewhere = AuthError(
        code: "refreshElsewhere", message: "Another process refreshes the session.", hint: "Try again.")

    /// The refresh took longer than its policy allows; the session is kept.
    public static let refreshTimedOut = AuthError(
        code: "refreshTimedOut", message: "The credential was not refreshed in time; the session is kept.",
        hint: "Try again; check that the issuer can be reached.")

    /// Another process, such as a stopped one, has held a lock of the session for too long.
    public static let lockHeld = AuthError.lockHeld(by: nil)

    static func lockHeld(by holder: String?) -> AuthError {
        let process = holder.map { "The process \($0)" } ?? "Another process"
        return AuthError(
            code: "lockHeld", message: "\(process) has held the session's lock for too long.",
            hint: "Try again; continue the process if it is stopped. Ending it may lose the session.")
    }

    /// The file of a lock was removed or replaced while it was held, so another process may also have the lock.
    ///
    /// Nothing was sent or stored; the session is kept.
    public static let lockLost = AuthError(
        code: "lockLost", message: "Another program has removed a lock file of the session.",
        hint: "Try again; exclude the session's folder from programs that clean up.")

    /// The session has refreshed as often as its policy allows, and each new credential was refused.
    public static let tooManyRefreshes = AuthError(
        code: "tooManyRefreshes", message: "The credential was refreshed too often within a short time.",
        hint: "Check that the server accepts the issuer's tokens; the session is kept, and refreshes again later.")

    /// The issuer does not issue an access token for this resource; the session and its other tokens are kept.
    ///
    /// `cause` is the issuer's error.
    public static let resourceRefused = AuthError(
        code: "resourceRefused", message: "The issuer does not issue a token for this resource.",
        hint: "Check that the user and this client may use the resource; the cause says what the issuer answered.")

    /// A server refused a credential that has no refresh token; the session is kept.
    public static let notRefreshable = AuthError(
        code: "notRefreshable", message: "The server refused the credential, and the issuer issued no refresh token.",
        hint: "Check that the credential is for this server; otherwise ask the user to sign in again.")

    /// The issuer's response contains no token, or one that has already expired.
    package static let invalidTokenResponse = AuthError(
        code: "invalidTokenResponse", message: "The issuer's response contains no usable token.",
        hint: "Sign in again, or check that the issuer's and this device's clocks agree.")

    /// A login set none of the cookies that prove it.
    public static let loginWithoutCookies = AuthError(
        code: "loginWithoutCookies", message: "The login set no cookie that could prove it.",
        hint: "Check the name and the password: many servers respond to a refused login with a page.")

    /// A server requires a stronger or fresher authentication, as `requirement` describes it.
    ///
    /// The session still exists, and is valid for all other requests.
    public static let stepUpRequired = AuthError(
        code: "stepUpRequired", message: "The server requires a stronger or fresher authentication.",
        hint: "Let the user sign in again as the requirement says, and repeat the request.")

    /// The user who authenticated again is not the signed-in user.
    public static let differentUser = AuthError(
        code: "differentUser", message: "A different user authenticated.",
        hint: "Sign in as the user that the session belongs to, or sign out first.")

    package static func stepUpRequired(_ requirement: StepUpRequirement, cause: (any Error)? = nil) -> AuthError {
        AuthError(
            code: stepUpRequired.code, message: stepUpRequired.message, hint: stepUpRequired.hint, cause: cause,
            requirement: requirement)
    }

    /// The account does not exist on this device.
    public static let unknownAccount = AuthError(
        code: "unknownAccount", message: "There is no such account on this device.",
        hint: "Look at the list of accounts, or sign in.")

    /// Another account of the list already has the name.
    public static let accountNameTaken = AuthError(
        code: "accountNameTaken", message: "Another account on this device has this name.",
        hint: "Choose another name.")
}

// MARK: - Stores

extension AuthError {
    /// The store is locked, for example a keychain before the first unlock.
    ///
    /// Its content is still there.
    public static let storeLocked = AuthError(
        code: "storeLocked", message: "The secret store is locked.", hint: "Unlock it and try again.")

    /// The store refuses access to this process.
    public static let storeDenied = AuthError(
        code: "storeDenied", message: "The secret store refused access.",
        hint: "Check the owner and the permissions of the file, or the entitlements of the program.")

    /// The content of the store cannot be read.
    ///
    /// It is set aside at the next write, not deleted.
    public static let storeCorrupt = AuthError(
        code: "storeCorrupt", message: "The secret store's content is damaged or was written with another key.",
        hint: "Restore it from a backup, or sign in again; the damaged file is then kept next to the new one.")

    /// A newer version of this program wrote the content of the store, and this version cannot read it.
    ///
    /// It is neither changed nor deleted.
    public static let storeNewer = AuthError(
        code: "storeNewer", message: "The secret store's content was written by a newer version.",
        hint: "Update this program. The content stays unchanged.")

    /// The disk is full.
    public static let storeFull = AuthError(
        code: "storeFull", message: "There is no room to store the secret.", hint: "Free some space and try again.")

    /// The store cannot be reached for another reason.
    public static let storeUnavailable = AuthError(
        code: "storeUnavailable", message: "The secret store cannot be used.", hint: "The cause says what failed.")

    /// Returns a `store…` error with a detail such as a path or a status; never the stored content.
    package static func store(_ error: AuthError, _ detail: String) -> AuthError {
        error.saying("\(error.message) (\(detail))")
    }

    /// Returns the `AuthError` of any error of a store.
    package static func fromStore(_ error: any Error) -> AuthError {
        error as? AuthError ?? (error as? FileError).map(file) ?? storeUnavailable.caused(by: error)
    }

    /// Returns the `store…` code of a failure of the file system.
    ///
    /// A missing file means `storeUnavailable` here, not an empty store: readers handle missing files before this
    /// function.
    static func file(_ failure: FileError) -> AuthError {
        let detail = failure.description
        return switch failure.reason {
        case .denied, .readOnly: store(.storeDenied, detail)
        case .full: store(.storeFull, detail)
        case .missing, .unsupported, .tooLarge, .other: store(.storeUnavailable, detail)
        }
    }
}

// MARK: - Credentials, signatures and proofs

extension AuthError {
    /// A credential cannot be sent in its form, such as a user name with a colon for HTTP Basic.
    public static let invalidCredential = AuthError.invalidCredential("it is malformed")

    /// The content must be signed but can be read only once, and sending it needs another read.
    public static let unsignableContent = AuthError(
        code: "unsignableContent", message: "The content can be read only once, and signing it would read it.",
        hint: "Use content that can be opened again, such as a file, or a signature that leaves content out.")

    /// A message lacks a part that the signature must cover, or has it in a form that cannot be signed.
    package static let unsignableMessage = AuthError.unsignableMessage("a part of it is missing")

    /// The fields of a signature are malformed.
    package static let malformedSignature = AuthError.malformedSignature("its form is wrong")

    /// The tokens are bound to a key that is missing.
    public static let missingProofKey = AuthError(
        code: "missingProofKey", message: "The tokens are bound to a key that was not stored with them.",
        hint: "Sign in again; a lost key cannot be recovered.")

    /// The token type is neither Bearer nor DPoP.
    ///
    /// RFC 6749 §7.1: a client must not use a token whose type it does not understand.
    public static let unknownTokenType = AuthError(
        code: "unknownTokenType", message: "The tokens are of a type that is neither Bearer nor DPoP.",
        hint: "Configure the issuer to issue bearer tokens, or write a credential for this type.")

    /// A message lacks the proof that its token is bound to, or the proof is not valid.
    package static let refusedProof = AuthError.refusedProof("it is wrong")

    /// The proof lacks the server's nonce or has an old one; a client tries again with the new one.
    package static let staleProofNonce = AuthError(
        code: "staleProofNonce", message: "The proof lacks the server's nonce, or has an old one.",
        hint: "Respond with the current nonce and use_dpop_nonce; the client then tries again.")

    /// The issuer does not accept the access token, or the token is not for this resource.
    public static let invalidAccessToken = AuthError(
        code: "invalidAccessToken", message: "The access token is not active.",
        hint: "Refresh it, or sign in again, and request it for this resource.")

    /// The issuer could not be asked about an access token.
    ///
    /// The error says nothing about the token: a later attempt may succeed.
    package static let introspectionFailed = AuthError(
        code: "introspectionFailed", message: "The issuer could not be asked about the access token.",
        hint: "The cause says what failed; check this resource's own registration at the issuer, and the connection.")

    /// The keys of an issuer could not be fetched, and no cached keys may be used any longer.
    ///
    /// The error says nothing about the token: a later attempt may succeed.
    public static let keysUnavailable = AuthError(
        code: "keysUnavailable", message: "The issuer's keys could not be fetched.",
        hint: "The cause says what failed; check the URL of the key set and the connection.")

    /// Returns `keysUnavailable` with the URL of the key set, without its query.
    static func keysUnavailable(at location: String) -> AuthError {
        keysUnavailable.saying("The issuer's keys could not be fetched (\(location)).")
    }

    // In the functions below `reason` completes a sentence and contains nothing of the secret.

    package static func invalidCredential(_ reason: String) -> AuthError {
        AuthError(
            code: "invalidCredential", message: "The credential cannot be used: \(reason).",
            hint: "Compare it with the one that the server's operator issued.")
    }

    package static func unsignableMessage(_ reason: String) -> AuthError {
        AuthError(
            code: "unsignableMessage", message: "The message cannot be signed or verified: \(reason).",
            hint: "Set the missing part before the signature is made, or leave it out of the components.")
    }

    package static func malformedSignature(_ reason: String) -> AuthError {
        AuthError(
            code: "malformedSignature", message: "The fields of the signature are malformed: \(reason).",
            hint: "Compare Signature-Input and Signature with RFC 9421 §4.")
    }

    package static func refusedProof(_ reason: String) -> AuthError {
        AuthError(
            code: "refusedProof", message: "The proof of the key was refused: \(reason).",
            hint: "Check the clocks of both machines, the URL and the key.")
    }
}
