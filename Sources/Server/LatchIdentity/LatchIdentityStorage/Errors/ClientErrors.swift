// SPDX-License-Identifier: Apache-2.0

import LatchHTTP
import LatchRPC

/// Errors of the registration of clients (RFC 7591 §3.2.2, RFC 7592).
extension IdentityError {
    /// There is a client with that ID already, in the configuration or in the store.
    package static let clientExists = IdentityError(
        code: "clientExists", message: "There is a client with this id.",
        hint: "Choose another id, or change that client.",
        form: ClientForm(status: .conflict, oauth: "invalid_client_metadata", rpc: .alreadyExists))

    /// The store has no such client.
    package static let noSuchClient = IdentityError(
        code: "noSuchClient", message: "The store has no such client.",
        hint: "Clients of the configuration are changed there.", form: .notFound)

    /// Another request has changed the client since it was read.
    package static let clientChanged = IdentityError(
        code: "clientChanged", message: "The client was changed in the meantime.", hint: "Read it and try again.",
        form: ClientForm(status: .conflict, oauth: "temporarily_unavailable", rpc: .aborted))

    /// Another key was made since the administrator has read them.
    package static let keyChanged = IdentityError(
        code: "keyChanged", message: "The keys were changed in the meantime.", hint: "Read them and try again.",
        form: ClientForm(status: .conflict, oauth: "temporarily_unavailable", rpc: .aborted))

    /// The client cannot have a secret, or has two already.
    package static func secretRefused(_ problem: String) -> IdentityError {
        IdentityError(
            code: "secretRefused", message: "The client gets no new secret: \(problem).",
            form: ClientForm(status: .conflict, oauth: "invalid_request", rpc: .failedPrecondition))
    }

    /// The initial token is unknown, has ended, or was used as often as it may be (RFC 7591 §3).
    package static let invalidInitialToken = IdentityError(
        code: "invalidInitialToken", message: "The initial access token is invalid, or was used up.",
        hint: "Ask the operator of this server for a new one.",
        form: invalidTokenForm)

    /// The store has no initial token with this id, or it has ended.
    package static let noSuchInitialToken = IdentityError(
        code: "noSuchInitialToken", message: "The store has no such initial token.",
        hint: "A token that was used up or has expired is not listed.", form: .notFound)

    /// No API key that the caller may remove has that ID.
    package static let noSuchAPIKey = IdentityError(
        code: "noSuchAPIKey", message: "There is no such API key.",
        hint: "List the keys. Expired keys are not listed.", form: .notFound)

    /// The account has as many API keys as it may have.
    package static let tooManyAPIKeys = IdentityError(
        code: "tooManyAPIKeys", message: "The account has too many API keys.",
        hint: "Delete a key that is no longer used.",
        form: ClientForm(status: .conflict, oauth: "invalid_request", rpc: .resourceExhausted))

    /// The API key does not exist, has ended, or belongs to an account that is not an administrator.
    package static let invalidAPIKey = invalidToken.with(
        message: "The API key is not valid.",
        hint: "It has ended or was removed, or its account is not an administrator. Make another one.")

    /// API keys are managed by users.
    package static let sessionRequired = forbidden.with(
        message: "An API key cannot do that.",
        hint: "Sign in as an administrator: 'latch login', or the pages at /admin.")

    /// A program changes no administrator.
    package static let programForbidden = forbidden.with(
        message: "An API key neither changes nor makes administrators.",
        hint: "Sign in as an administrator: 'latch login', or the pages at /admin.")

    /// The API key lacks the scope of a route.
    package static func scopeMissing(_ scope: String) -> IdentityError {
        insufficientScope.with(
            message: "The API key lacks the scope \(scope).", hint: "Make another key with it.")
    }

    /// The client was registered by an operator, so that it has no registration access token.
    package static let notSelfRegistered = IdentityError(
        code: "notSelfRegistered", message: "The client did not register itself, so it has no such token.",
        form: ClientForm(status: .conflict, oauth: "invalid_request", rpc: .failedPrecondition))

    /// The registration access token is not that of the client (RFC 7592 §3).
    ///
    /// The error is the same for an unknown client.
    package static let invalidRegistrationToken = IdentityError(
        code: "invalidRegistrationToken", message: "The registration access token is invalid.",
        hint: "Register the client again.",
        form: invalidTokenForm)

    private static let invalidTokenForm = ClientForm(
        status: .unauthorized, oauth: "invalid_token", oauthStatus: .unauthorized, rpc: .unauthenticated)

    /// As many clients have registered themselves as the setting `registration_limit` permits.
    package static let tooManyClients = IdentityError(
        code: "tooManyClients", message: "No further clients can register.",
        hint: "Ask the operator of this server.",
        form: ClientForm(status: .serviceUnavailable, oauth: "temporarily_unavailable", rpc: .resourceExhausted))

    /// Returns the error of a member of a registration.
    ///
    /// - Parameter code: `invalid_client_metadata` or `invalid_redirect_uri`.
    package static func invalidMetadata(_ code: String, _ problem: String) -> IdentityError {
        IdentityError(
            code: "invalidMetadata", message: "The client cannot be registered: \(problem).",
            form: ClientForm(status: .badRequest, oauth: code, rpc: .invalidArgument))
    }
}
