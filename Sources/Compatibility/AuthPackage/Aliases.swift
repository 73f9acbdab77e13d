// SPDX-License-Identifier: Apache-2.0

@_exported public import LatchAuth
public import PortableFoundation

/// The tokens that the backend issued.
public typealias Tokens = LatchAuth.Tokens

/// A store of tokens; a synchronous type satisfies it too.
public typealias TokenStore = LatchAuth.TokenStore

/// A store in memory.
public typealias InMemoryTokenStore = LatchAuth.InMemoryTokenStore<LatchAuth.Tokens>

/// A store in the platform's secret store.
public typealias KeychainTokenStore = LatchAuth.KeychainTokenStore

extension LatchAuth.Tokens {
    /// Creates tokens.
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
