// SPDX-License-Identifier: Apache-2.0

@_exported public import LatchAuth
import LatchJOSE
public import PortableFoundation

/// The tokens that the backend issued.
public typealias Tokens = LatchAuth.Tokens

/// A store of tokens; a synchronous type satisfies it too.
///
/// A value of any store is an `any TokenStore<Tokens>`.
public typealias TokenStore = LatchAuth.TokenStore

/// A store in memory.
public typealias InMemoryTokenStore = LatchAuth.InMemoryTokenStore<LatchAuth.Tokens>

/// A store in the platform's secret store.
public typealias KeychainTokenStore = LatchAuth.KeychainTokenStore

extension LatchAuth.Tokens {
    /// Creates tokens; without an expiry they have that of the access token, if it is a JWT with `exp` (RFC 7519 §4.1.4).
    public init(accessToken: String, refreshToken: String? = nil, expiry: Date? = nil) {
        // A text that is no JWT has no expiry that a client could know.
        let stated = try? JWT(unverified: accessToken).claims.expiry
        self.init(access: accessToken, refresh: refreshToken, expiry: expiry ?? stated)
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
