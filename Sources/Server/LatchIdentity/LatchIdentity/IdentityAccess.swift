// SPDX-License-Identifier: Apache-2.0

public import LatchAuth
public import LatchHTTP
public import LatchIdentityPages

extension Identity {
    /// Returns an interceptor for an application's own routes, which requires access tokens with these scopes.
    ///
    /// It throws `IdentityError`. Place it inside an interceptor that turns this error into a response, such as
    /// ``errorInterceptor``.
    public func requiring(_ scopes: Scopes) -> ScopeInterceptor { ScopeInterceptor(services.tokens, requiring: scopes) }

    /// The interceptor that turns `IdentityError` into a response in the format of the server's own errors.
    public var errorInterceptor: some Interceptor { IdentityErrorInterceptor(format: .detail) }
}
