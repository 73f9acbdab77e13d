// SPDX-License-Identifier: Apache-2.0

@_exported public import LatchAuth
public import LatchFoundation
import LatchJOSE

/// The tokens that the backend issued.
public typealias Tokens = LatchAuth.Tokens

/// A store of tokens; a synchronous type can conform, too.
///
/// A value of any store is an `any TokenStore<Tokens>`.
public typealias TokenStore = LatchAuth.TokenStore

/// A store that forgets its tokens when the process ends.
public typealias InMemoryTokenStore = LatchAuth.InMemoryTokenStore<LatchAuth.Tokens>

/// A store in the platform's secret store.
public typealias KeychainTokenStore = LatchAuth.KeychainTokenStore

extension LatchAuth.Tokens {
    /// Creates tokens; the default expiry is the one in the access token, if it is a JWT with `exp` (RFC 7519 §4.1.4).
    public init(accessToken: String, refreshToken: String? = nil, expiry: Date? = nil) {
        // The expiry is known only if the token is a JWT.
        let stated = try? JWT(unverified: accessToken).claims.expiry
        self.init(access: accessToken, refresh: refreshToken, expiry: expiry ?? stated)
    }

    /// The document's name of ``access``.
    public var accessToken: String {
        get { access }
        set { access = newValue }
    }

    /// The document's name of ``refresh``; nil if the server issued none.
    public var refreshToken: String? {
        get { refresh }
        set { refresh = newValue }
    }
}
