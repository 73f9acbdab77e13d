// SPDX-License-Identifier: Apache-2.0

/// Signs users in and out with tokens that a program has obtained.
///
/// The live client acts on the session of the dependencies: saved tokens are stored first, and only then visible.
public struct AuthTokensClient: Sendable {
    /// Signs in with tokens.
    ///
    /// Within a refresh it passes them to the refresh instead.
    public var save: @Sendable (_ tokens: AuthTokens) async throws -> Void
    /// Signs out on this device.
    public var destroy: @Sendable () async throws -> Void
    /// Returns the tokens of the signed-in user; reads the store if that has not happened yet.
    public var load: @Sendable () async throws -> AuthTokens?
    /// Saves tokens; nil signs out.
    public var set: @Sendable (_ tokens: AuthTokens?) async throws -> Void

    /// Creates a client from closures.
    public init(
        save: @escaping @Sendable (_ tokens: AuthTokens) async throws -> Void,
        destroy: @escaping @Sendable () async throws -> Void,
        load: @escaping @Sendable () async throws -> AuthTokens? = { nil },
        set: (@Sendable (_ tokens: AuthTokens?) async throws -> Void)? = nil
    ) {
        self.save = save
        self.destroy = destroy
        self.load = load
        self.set = set ?? { tokens in if let tokens { try await save(tokens) } else { try await destroy() } }
    }
}

extension AuthTokensClient {
    /// Creates the client of an account.
    init(_ account: AuthAccount) {
        self.init(
            save: { tokens in try await account.signIn(tokens) },
            destroy: { try await account.signOut() },
            load: { try await account.tokens() })
    }
}
