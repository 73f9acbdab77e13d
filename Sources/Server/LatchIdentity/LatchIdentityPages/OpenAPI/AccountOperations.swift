// SPDX-License-Identifier: Apache-2.0

import LatchHTTP
import LatchIdentityAccounts
import LatchIdentityStorage

/// The operations of users on their account.
extension APIOperation {
    static let signUp = signUp("signUp")
    /// The operation at the path of AuthPackage's client.
    static let signUpOfAuthPackage = signUp("signUpOfAuthPackage")

    private static func signUp(_ id: String) -> APIOperation {
        APIOperation(
            id, "Creates an account, and emails a link that verifies its address.", in: .accounts,
            takes: signUpContent(), returns: .json(.model(.account), .created), refuses: signUpErrors)
    }

    static let signUpOfLazi = APIOperation(
        "signUpOfLazi", "Creates an account, with the names of Lazi.", in: .accounts,
        takes: signUpContent([.optional("username", .text())]),
        returns: .json(.object(JSONSchema.Model.account.members + [.required("user_id", .text())]), .created),
        refuses: signUpErrors, as: .detail)

    static let signUpWithCode = APIOperation(
        "signUpWithCode",
        "Creates the account of an address by an emailed code, and signs in. A repetition with the same "
            + "Idempotency-Key gets the same session.",
        in: .accounts,
        takes: .json(
            .required("challenge", .text()), .required("code", .text()),
            .optional("password", .text(), "Not needed if the server lets users sign in with codes."),
            .optional("name", .text()), .optional("username", .text()),
            .optional("attributes", .map(.any), "What the app knows of the user."),
            .optional("acceptedTerms", .text(), "The version of the terms that the user has accepted.")),
        returns: .json(.model(.sessionTokens), .created),
        refuses: signUpErrors + [.invalidMailedCode, .codeEnded, .emailOrUsernameTaken, .signUpDenied, .crossSite])

    static let registerGuest = APIOperation(
        "registerGuest",
        "Gives the guest of the session an address and a password, and emails a link that verifies the address.",
        in: .accounts, for: .session, takes: signUpContent([.optional("username", .text())]),
        returns: .json(.model(.account)), refuses: signUpErrors + [.notGuest, .forbidden])

    private static let signUpErrors: [IdentityError] = [
        .signInWayOff, .alreadyExists, .weakPassword, .invalidEmail, .signUpClosed, .signUpDomain, .termsRequired,
    ]

    private static func signUpContent(_ others: [JSONSchema.Member] = []) -> Content {
        .members(
            [
                .required("email", .email), .required("password", .text()), .optional("name", .text()),
                .optional("attributes", .map(.any), "What the app knows of the user."),
                .optional("acceptedTerms", .text(), "The version of the terms that the user has accepted."),
            ] + others)
    }

    static let getProfile = APIOperation(
        "getProfile", "Returns the account of the session.", in: .accounts, for: .session,
        returns: .json(.model(.account)), refuses: [.insufficientScope])

    static let updateProfile = APIOperation(
        "updateProfile", "Sets attributes of the session's account.", in: .accounts, for: .session,
        takes: .json(
            .required("attributes", .map(.any), "The values by name, of those that users write; null removes one.")),
        returns: .json(.model(.account)), refuses: [.forbidden])

    static let getSignInMethods = APIOperation(
        "getSignInMethods", "Returns how the user can sign in, and the providers that may be linked.", in: .accounts,
        for: .session,
        returns: .json(
            .object([
                .required("links", .list(.model(.link))), .required("hasPassword", .flag),
                .required("passkeys", .integer()), .required("hasSecondFactor", .flag), .required("providers", .words),
            ])))

    // MARK: Emails

    static let resendVerification = APIOperation(
        "resendVerification",
        "Emails another link that verifies an address. The response does not tell whether it has an account.",
        in: .accounts,
        takes: .json(.required("email", .email)), returns: .message, refuses: [.invalidEmail])

    static let verifyEmail = APIOperation(
        "verifyEmail", "Verifies an address by the token of an emailed link, or by the code beside it.", in: .accounts,
        takes: .json(
            .optional("token", .text()), .optional("email", .text(), "The address, with its code."),
            .optional("code", .text()),
            .optional(
                "password", .text(), "The password of the account, if the server asks for it (ownerProofRequired).")),
        returns: .json(
            .object([
                .required("message", .text()), .required("email", .text()),
                .required("changePending", .flag, "Whether a change of address waits for its other half."),
            ])),
        refuses: [.signInWayOff, .invalidLink, .ownerProofRequired, .invalidCredentials, .alreadyExists])

    static let forgotPassword = APIOperation(
        "forgotPassword",
        "Emails a link that sets a new password. The response does not tell whether the account exists.", in: .accounts,
        takes: .json(.required("email", .email)), returns: .message,
        refuses: [.signInWayOff, .invalidEmail])

    static let resetPassword = APIOperation(
        "resetPassword", "Sets the password by the token of an emailed link, and signs out all devices.", in: .accounts,
        takes: .json(
            .required("token", .text()), .optional("password", .text()),
            .optional("newPassword", .text(), "The name that older AuthPackage clients use.")),
        returns: .json(.object([.required("message", .text()), .required("email", .text())])),
        refuses: [.signInWayOff, .invalidLink, .weakPassword])

    // MARK: Consents

    static let listConsents = APIOperation(
        "listConsents", "Returns the apps that the user has agreed to, with their scopes.", in: .accounts,
        for: .session,
        returns: .json(.object([.required("consents", .list(.model(.consent)))])))

    static let deleteConsent = APIOperation(
        "deleteConsent", "Withdraws the consents to an app, and signs it out.", in: .accounts, for: .session,
        returns: .noContent, refuses: [.noSuchConsent])

    // MARK: Phone numbers

    static let setPhone = APIOperation(
        "setPhone", "Sends a code to a phone; the account keeps its number until the code is entered.", in: .accounts,
        for: .session, takes: .json(.required("phone", .text(), "With + and the country code.")),
        returns: .json(.object([.required("challenge", .text()), .required("expiresIn", .integer())]), .accepted),
        refuses: [.phonesUnavailable, .invalidPhone, .signInAgain, .forbidden, .hookUnavailable])

    static let verifyPhone = APIOperation(
        "verifyPhone", "Verifies the phone number of the account by the code.", in: .accounts, for: .session,
        takes: .json(.required("challenge", .text()), .required("code", .text())),
        returns: .json(.model(.account)),
        refuses: [.phonesUnavailable, .invalidMailedCode, .codeEnded, .signInAgain, .forbidden])

    static let deletePhone = APIOperation(
        "deletePhone", "Removes the phone number of the account.", in: .accounts, for: .session, returns: .noContent,
        refuses: [.signInAgain, .forbidden])

    // MARK: Passkeys

    static let createPasskeyOptions = APIOperation(
        "createPasskeyOptions", "Returns the options of a new passkey (WebAuthn Level 3 §5.4).", in: .passkeys,
        for: .session, returns: .json(.object([.required("publicKey", .anyObject)])),
        refuses: [.signInWayOff, .passkeysUnavailable, .signInAgain, .tooManyPasskeys, .administrationNeedsFactor])

    static let createPasskey = APIOperation(
        "createPasskey", "Registers a passkey.", in: .passkeys, for: .session,
        takes: .json(
            .required("credential", .anyObject, "A RegistrationResponseJSON of WebAuthn."), .optional("name", .text())),
        returns: .json(.model(.passkey), .created),
        refuses: [
            .signInWayOff, .passkeysUnavailable, .passkeyExists, .tooManyPasskeys, .invalidPasskeyRegistration,
            .signInAgain,
            .passkeyChallengeExpired, .administrationNeedsFactor,
        ])

    static let listPasskeys = APIOperation(
        "listPasskeys", "Returns the passkeys of the account.", in: .passkeys, for: .session,
        returns: .json(.object([.required("passkeys", .list(.model(.passkey)))])), refuses: [.passkeysUnavailable])

    static let updatePasskey = APIOperation(
        "updatePasskey", "Sets the name of a passkey.", in: .passkeys, for: .session,
        takes: .json(.required("name", .text())), returns: .json(.model(.passkey)),
        refuses: [.passkeysUnavailable, .noSuchPasskey])

    static let deletePasskey = APIOperation(
        "deletePasskey", "Removes a passkey.", in: .passkeys, for: .session, returns: .message,
        refuses: [.passkeysUnavailable, .noSuchPasskey, .signInAgain, .lastSignIn])

    static let createPasskeySignInOptions = APIOperation(
        "createPasskeySignInOptions", "Returns the options of a sign-in with a passkey (WebAuthn Level 3 §5.5).",
        in: .passkeys, returns: .json(.object([.required("publicKey", .anyObject)])),
        refuses: [.signInWayOff, .passkeysUnavailable])

    static let signInWithPasskey = APIOperation(
        "signInWithPasskey", "Signs a user in by a passkey.", in: .passkeys,
        takes: .json(.required("credential", .anyObject, "An AuthenticationResponseJSON of WebAuthn.")),
        returns: .json(.model(.sessionTokens)), refuses: passkeyErrors + accountErrors + [.crossSite])

    static let passkeyErrors: [IdentityError] = [
        .signInWayOff, .passkeysUnavailable, .invalidPasskey, .passkeyChallengeExpired,
    ]
}

extension JSONSchema.Model {
    static let account = JSONSchema.Model(
        name: "Account",
        members: [
            .required("id", .text()), .optional("email", .text(), "Missing for a guest."),
            .optional("isGuest", .flag, "Of an account without an address: whether it has nothing to sign in with."),
            .optional("username", .text()),
            .optional("name", .text()), .required("emailVerified", .flag),
            .optional("phone", .text(), "Such as +4930123456."), .optional("phoneVerified", .flag),
            .required("roles", .words),
            .required("permissions", .words),
            .optional("attributes", .map(.any), "Those that the user reads."), .optional("acceptedTerms", .text()),
            .optional("termsAcceptedAt", .date),
        ])

    static let consent = JSONSchema.Model(
        name: "Consent",
        members: [
            .required("clientId", .text()), .required("redirectOrigin", .text()), .required("resources", .words),
            .required("scopes", .words), .required("grantedAt", .date), .required("updatedAt", .date),
        ])

    static let passkey = JSONSchema.Model(
        name: "Passkey",
        members: [
            .required("id", .text()), .required("name", .text()), .required("createdAt", .date),
            .required("isBackedUp", .flag), .required("isSynced", .flag),
            .required("isUsable", .flag, "Whether it signs in at the server's present host."),
            .optional("lastUsedAt", .date),
        ])
}
