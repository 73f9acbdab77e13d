// SPDX-License-Identifier: Apache-2.0

public import LatchAuth
import LatchCore

extension AuthClient {
    /// Signs the user in as a guest, with a new account that has nothing to sign in with yet.
    ///
    /// The server removes the account some time after the last use, and a sign-out loses it. The guest becomes a user
    /// with the same identifier by ``registerGuest(email:password:name:attributes:acceptedTerms:)``, a linked provider
    /// or a passkey.
    ///
    /// - Parameter idempotencyKey: At least twenty random characters. The same key again, after a lost response, signs
    ///   in the same guest. Nil for a new guest in any case.
    /// - Throws: `AccountError.refused` if the server has no guests, `tooManyAttempts`, …; nothing is stored then.
    @discardableResult
    public func signInAsGuest(idempotencyKey: String? = nil) async throws -> Tokens {
        try await signIn(
            at: endpoints.guest, [:], code: nil, key: idempotencyKey, unauthorized: .refused, conflict: .refused)
    }

    /// Gives the signed-in guest an address and a password.
    ///
    /// The account keeps its identifier, and the user stays signed in. The server emails a link that confirms the
    /// address.
    ///
    /// - Parameters:
    ///   - email: The email address of the account.
    ///   - password: The password of the account.
    ///   - name: The display name; nil or empty to leave it out of the request.
    ///   - attributes: The values of the app's own fields by name.
    ///   - acceptedTerms: The version of the terms that the user has accepted.
    /// - Throws: `AccountError.emailTaken` if the address has an account, with which the guest is not merged;
    ///   `invalidEmail`, or `refused` with the server's message; `AuthError.missingToken` if no user is signed in.
    @discardableResult
    public func registerGuest(
        email: String, password: String, name: String? = nil, attributes: [String: String] = [:],
        acceptedTerms: String? = nil
    ) async throws -> Account {
        var content = Self.details(name: name, attributes: attributes, acceptedTerms: acceptedTerms)
        (content["email"], content["password"]) = (.string(email), .string(password))
        let registered = try account(in: try await send(endpoints.guestRegistration, content, over: client))
        guard let tokens = session.currentState.credential else { return registered }
        do {
            _ = try await session.refreshed(replacing: tokens)
        } catch {
            // The account is registered in any case, and a later refresh gets its claims.
            return registered
        }
        return registered
    }
}
