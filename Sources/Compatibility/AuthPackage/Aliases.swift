// SPDX-License-Identifier: Apache-2.0

@_exported public import LatchAuth
public import PortableFoundation

/// The tokens that the backend issued.
public typealias Tokens = LatchAuth.Tokens

/// Keeps the tokens; a synchronous conformer satisfies it.
public typealias TokenStore = LatchAuth.TokenStore

/// A store that ends with the process.
public typealias InMemoryTokenStore = LatchAuth.InMemoryTokenStore<LatchAuth.Tokens>

/// A store where the platform keeps secrets.
public typealias KeychainTokenStore = LatchAuth.KeychainTokenStore

extension LatchAuth.Tokens {
    /// Tokens in the spelling of this package.
    public init(accessToken: String, refreshToken: String? = nil, expiry: Date? = nil) {
        self.init(access: accessToken, refresh: refreshToken, expiry: expiry)
    }

    /// The access token.
    public var accessToken: String {
        get { access }
        set { access = newValue }
    }

    /// The refresh token.
    public var refreshToken: String? {
        get { refresh }
        set { refresh = newValue }
    }
}
