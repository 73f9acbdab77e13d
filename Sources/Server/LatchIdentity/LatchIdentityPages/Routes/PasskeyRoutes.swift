// SPDX-License-Identifier: Apache-2.0

package import LatchCore
import LatchHTTP
package import LatchIdentityAccounts
package import LatchIdentityProvider
package import LatchIdentityStorage
package import LatchServer

/// The routes of passkeys, with the JSON formats of WebAuthn Level 3 §5.1.
package struct PasskeyRoutes: Sendable {
    package let limits: RateLimits
    package let permitted: PermittedSignIns
    package let refreshCookie: RefreshCookie
    package let passkeys: PasskeyService
    package let passkeySignIns: PasskeySignInService
    package let tokens: TokenService

    package init(
        limits: RateLimits, permitted: PermittedSignIns, refreshCookie: RefreshCookie, passkeys: PasskeyService,
        passkeySignIns: PasskeySignInService, tokens: TokenService
    ) {
        self.limits = limits
        self.permitted = permitted
        self.refreshCookie = refreshCookie
        self.passkeys = passkeys
        self.passkeySignIns = passkeySignIns
        self.tokens = tokens
    }

    /// Adds the routes.
    ///
    /// If the public URL permits no passkeys, each responds with 404.
    package func add(to router: inout Router) {
        router.group(interceptors: limits.limiting(.other)) { others in
            others.get(PasskeyScript.path) { _ in PasskeyScript.response }
            others.get(PasswordScript.path) { _ in PasswordScript.response }
        }
        router.group(prefix: "/api/auth/passkeys", interceptors: limits.limiting(.token)) { passkeys in
            passkeys.post("/options", .createPasskeyOptions, creationOptions)
            passkeys.post("", .createPasskey, register)
            passkeys.get("", .listPasskeys, list)
            passkeys.patch("/{id}", .updatePasskey, rename)
            passkeys.delete("/{id}", .deletePasskey, remove)
            passkeys.post("/sign-in/options", .createPasskeySignInOptions, requestOptions)
            passkeys.post("/sign-in", .signInWithPasskey, signIn)
        }
    }

    // MARK: The owner's passkeys

    /// Returns the options of a new passkey.
    ///
    /// The login must be recent.
    @Sendable private func creationOptions(_ request: HTTPRequest) async throws -> HTTPResponse {
        let options = try await passkeys.creationOptions(for: try await session(request))
        return .json(["publicKey": .object(options)])
    }

    /// Registers the passkey in `credential`, a `RegistrationResponseJSON`, with the optional `name`.
    ///
    /// The response is 201, or 409 if the passkey is registered already.
    @Sendable private func register(_ request: HTTPRequest) async throws -> HTTPResponse {
        let session = try await session(request)
        let body = try request.jsonObject()
        let passkey = try await passkeys.register(
            try body.credential(), name: try body.optionalText("name"), for: session, from: request.requestOrigin)
        return .json(json(passkey), status: .created)
    }

    @Sendable private func list(_ request: HTTPRequest) async throws -> HTTPResponse {
        let passkeys = try await passkeys.passkeys(of: try await session(request))
        return .json(["passkeys": .array(passkeys.map { .object(json($0)) })])
    }

    /// Sets the `name` of a passkey.
    @Sendable private func rename(_ request: HTTPRequest) async throws -> HTTPResponse {
        let session = try await session(request)
        let name = try request.jsonObject().text("name")
        return .json(
            json(try await passkeys.rename(request.pathParameter("id") ?? "", to: name, for: session)))
    }

    /// Removes a passkey.
    ///
    /// The login must be recent.
    @Sendable private func remove(_ request: HTTPRequest) async throws -> HTTPResponse {
        try await passkeys.remove(
            request.pathParameter("id") ?? "", for: try await session(request), from: request.requestOrigin)
        return .message("The passkey is removed.")
    }

    // MARK: Signing in

    /// Returns the options of a sign-in, or of a reauthentication.
    @Sendable private func requestOptions(_ request: HTTPRequest) async throws -> HTTPResponse {
        .json(["publicKey": .object(try passkeySignIns.requestOptions())])
    }

    /// Exchanges `credential`, an `AuthenticationResponseJSON`, for the tokens of a login.
    ///
    /// A page of another site cannot sign a browser in, which would make it use the attacker's account (RFC 6749
    /// §10.12).
    @Sendable private func signIn(_ request: HTTPRequest) async throws -> HTTPResponse {
        try refreshCookie.requireSameSite(request)
        let issued = try await passkeySignIns.signIn(
            try request.jsonObject().credential(), from: request.requestOrigin)
        return refreshCookie.response(to: issued)
    }

    private func json(_ passkey: Passkey) -> JSONObject {
        passkey.json(at: permitted.relyingPartyID)
    }

    private func session(_ request: HTTPRequest) async throws(IdentityError) -> AuthenticatedSession {
        try await tokens.authenticate(request)
    }
}

extension JSONObject {
    /// Returns the member `credential`.
    package func credential() throws(IdentityError) -> JSONObject {
        guard let value = self["credential"], !value.isNull else { throw .missing("credential") }
        guard let object = value.objectValue else { throw .invalid("credential", "must be a JSON object") }
        return object
    }
}
