// SPDX-License-Identifier: Apache-2.0

public import LatchAccounts

/// A sign-in with a password that a user has just proved or chosen through the link in an email.
public struct PasswordSignIn: Sendable {
    private let body: @Sendable (_ email: String, _ password: FieldText) async throws -> Bool

    /// Creates a sign-in.
    ///
    /// - Parameter body: Signs the user in, and returns whether it did: an account with a second factor needs a code
    ///   first.
    public init(_ body: @escaping @Sendable (_ email: String, _ password: FieldText) async throws -> Bool) {
        self.body = body
    }

    /// Creates the sign-in of a client.
    public init(_ client: AuthClient) {
        self.init { try await client.beginSignIn(name: $0, password: $1.value) == nil }
    }

    /// Returns whether the user is signed in; the sign-in screen handles a failure.
    func succeeds(_ email: String, _ password: FieldText) async -> Bool {
        do { return try await body(email, password) } catch { return false }
    }
}
