// SPDX-License-Identifier: Apache-2.0

import LatchCore
import LatchHTTP
import LatchRPC

/// Errors of passkeys.
extension IdentityError {
    private static let conflict = ClientForm(status: .conflict, oauth: "invalid_request", rpc: .failedPrecondition)

    /// The response of a passkey is not valid, or its account may not sign in; the audit log says why.
    package static let invalidPasskey = IdentityError(
        code: "invalidPasskey", message: "This passkey does not work here.",
        hint: "Try again, or sign in another way.", form: .invalidGrant)

    /// The response of a registration is not valid; the audit log says why.
    package static let invalidPasskeyRegistration = {
        var error = invalidPasskey.with(
            message: "This passkey cannot be registered.", hint: "Request new options, and try again.")
        error.form = .badRequest
        error.pageKey = "invalidPasskeyRegistration"
        return error
    }()

    /// The challenge of a response is older than five minutes, or was used before.
    package static let passkeyChallengeExpired = IdentityError(
        code: "passkeyChallengeExpired", message: "The request for the passkey has expired.",
        hint: "Request new options, and try again.",
        form: ClientForm(status: .badRequest, oauth: "invalid_grant", rpc: .failedPrecondition))

    /// Browsers and systems do not create passkeys for the public URL of the server.
    package static let passkeysUnavailable = IdentityError(
        code: "passkeysUnavailable", message: "This server does not support passkeys.",
        hint: "They need a public URL (setting issuer) with https and a domain, or http://localhost.", form: .notFound)

    /// The credential is registered already, for this account or another one.
    package static let passkeyExists = IdentityError(
        code: "passkeyExists", message: "This passkey is registered already.", hint: "Use another device.",
        form: ClientForm(status: .conflict, oauth: "invalid_request", rpc: .alreadyExists))

    /// The account has the maximum number of passkeys.
    package static let tooManyPasskeys = IdentityError(
        code: "tooManyPasskeys", message: "The account has the maximum number of passkeys.", hint: "Remove some.",
        form: conflict)

    /// The account has no such passkey.
    package static let noSuchPasskey = IdentityError(
        code: "noSuchPasskey", message: "There is no such passkey.", form: .notFound, pageKey: "noSuchEntry")
}
