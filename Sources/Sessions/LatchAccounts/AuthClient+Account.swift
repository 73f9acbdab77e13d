// SPDX-License-Identifier: Apache-2.0

import LatchCore
import LatchHTTP

extension AuthClient {
    /// Makes an account; the person is not signed in by it.
    ///
    /// - Parameters:
    ///   - name: Left out of the request where it is empty.
    ///   - roles: A wish, which servers rightly ignore for people who register themselves.
    /// - Throws: `AccountError.emailTaken`, `refused` with what the server said, or `invalidAnswer` where the server
    ///   does not tell the account's identifier.
    @discardableResult
    public func signUp(
        email: String, password: String, name: String? = nil, roles: [String] = []
    ) async throws -> Account {
        var content: JSONObject = ["email": .string(email), "password": .string(password)]
        if let name, !name.isEmpty { content["name"] = .string(name) }
        if !roles.isEmpty { content["roles"] = .array(roles.map(JSONValue.string)) }
        return try account(in: try await send(endpoints.signUp, content))
    }

    /// Who is signed in, as the server says it now.
    public func profile() async throws -> Account {
        try account(in: try await client.respond(to: client.request(.get, RoutePath(endpoints.profile))))
    }

    /// Asks for a mail with which to set a new password.
    ///
    /// - Returns: What the server said; it says the same whether it knows the address or not.
    @discardableResult
    public func requestPasswordReset(email: String) async throws -> String? {
        try await message(from: endpoints.forgotPassword, ofKind(["email": .string(email)]))
    }

    /// Sets a new password with the token of such a mail, which ends all sessions of the account.
    ///
    /// - Throws: `AccountError.refused` where the token is used, old or unknown, or the password too weak.
    @discardableResult
    public func resetPassword(token: String, newPassword: String) async throws -> String? {
        let content: JSONObject = ["token": .string(token), "password": .string(newPassword)]
        return try await message(from: endpoints.resetPassword, ofKind(content))
    }

    /// Confirms an e-mail address with the token of the mail.
    @discardableResult
    public func verifyEmail(token: String) async throws -> String? {
        try await message(from: endpoints.verifyEmail, ["token": .string(token)])
    }

    /// Asks for another mail with which to confirm the address.
    @discardableResult
    public func resendVerification(email: String) async throws -> String? {
        try await message(from: endpoints.resendVerification, ["email": .string(email)])
    }

    /// Adds the kind of account, for the backends that keep several in one table.
    private func ofKind(_ content: JSONObject) -> JSONObject {
        var content = content
        if let type = endpoints.accountType { content["type"] = .string(type) }
        return content
    }

    /// Posts, and returns what a success says; an answer without a message is one as well.
    private func message(from path: String, _ content: JSONObject) async throws -> String? {
        let response = try await send(path, content)
        guard response.status.isSuccess else { throw AccountError(response) }
        guard !response.body.isEmpty else { return nil }
        return try? JSONValue(parsing: response.body.bytes)["message"]?.stringValue
    }

    /// The account that an answer describes.
    ///
    /// - Throws: `AccountError` for a refusal, `invalidAnswer` for a success that describes none.
    private func account(in response: HTTPResponse) throws -> Account {
        guard response.status.isSuccess else { throw AccountError(response) }
        guard let object = (try? JSONValue(parsing: response.body.bytes))?.objectValue, let account = Account(object)
        else { throw AccountError.invalidAnswer }
        return account
    }
}
