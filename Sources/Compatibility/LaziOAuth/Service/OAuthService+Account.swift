// SPDX-License-Identifier: Apache-2.0

public import LatchAuth
import LatchCore
import LatchHTTP
import LatchOAuth

extension OAuthService {
    /// Signs a person in; whoever was signed in before is no more.
    ///
    /// - Returns: What the server answered; `scopeChange` says how the scopes differ from what was asked for.
    /// - Throws: `OAuthError`; `AuthError` with a `store…` code where the device cannot keep the tokens.
    @discardableResult
    public func login(
        username: String, password: String, scopes: [OAuthScope] = OAuthScope.defaults
    ) async throws -> OAuthTokenResponse {
        try await login(username: username, password: password, requesting: Scopes(scopes))
    }

    /// The same for scopes of any kind.
    @discardableResult
    public func login(username: String, password: String, requesting scopes: Scopes) async throws -> OAuthTokenResponse
    {
        do {
            let grant = PasswordGrant(username: username, password: password, scopes: scopes)
            let response = try await session.signIn(with: grant, at: endpoint)
            scopeChange = response.scopeChange
            loginName = AuthUser(response.tokens, username: nil).map { ($0.userId, username) }
            lastError = nil
            return OAuthTokenResponse(response)
        } catch {
            throw noted(error)
        }
    }

    /// Makes an account, and signs the person in.
    ///
    /// - Throws: As `login(username:password:scopes:)`; where the account could not be made, nobody is signed in.
    @discardableResult
    public func signup(
        username: String, email: String, password: String, scopes: [OAuthScope] = OAuthScope.defaults
    ) async throws -> OAuthTokenResponse {
        do {
            try await makeAccount(username: username, email: email, password: password)
        } catch {
            throw noted(error)
        }
        return try await login(username: username, password: password, scopes: scopes)
    }

    /// Signs the person out: here at once, whatever the network does, and then both tokens at the server.
    ///
    /// Where the device cannot forget them, `lastError` says so, the tokens are revoked nevertheless, and the person is
    /// still signed in.
    public func logout() async {
        await prepared()
        do {
            try await session.signOut(revokingAt: endpoint)
            loginName = nil
            scopeChange = nil
            lastError = nil
        } catch {
            _ = noted(error)
        }
    }

    /// The password travels in the content, never in the URL.
    private func makeAccount(username: String, email: String, password: String) async throws {
        let content: JSONObject = [
            "username": .string(username), "email": .string(email), "password": .string(password),
        ]
        let request = try open.request(
            .post, "auth/signup", fields: [.contentType: "application/json", .accept: "application/json"],
            body: HTTPBody(JSONValue.object(content).serialized()))
        let response = try await open.respond(to: request)
        // A backend of this family answers a taken name with 200 and says `failed` in the content.
        let said = try? JSONValue(parsing: response.body.bytes)["status"]?.stringValue
        guard !response.status.isSuccess || said == "failed" || said == "error" else { return }
        let error = LatchOAuth.OAuthError(response, hiding: [password], now: endpoint.clock.now)
        if error == .tooManyRequests || response.status.isServerError { throw error }
        throw OAuthError.serverError(error.issuerMessage ?? "The account could not be made; the name may be taken.")
    }
}
