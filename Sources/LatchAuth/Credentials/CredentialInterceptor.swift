// SPDX-License-Identifier: Apache-2.0

public import LatchHTTP

/// Authorises each request to `scope` with a credential that needs no renewal, such as an API key.
///
/// ```swift
/// let client = Client(baseURL: url, interceptors: [CredentialInterceptor(APIKey("…"), for: .host("api.example.com"))])
/// ```
public struct CredentialInterceptor: Interceptor {
    private let scope: CredentialScope
    private let credential: @Sendable () async throws -> (any Credential)?

    /// An interceptor with one credential for all requests.
    public init(_ credential: any Credential, for scope: CredentialScope) {
        self.init(for: scope) { credential }
    }

    /// An interceptor that asks for the credential before each request; nil sends the request without one.
    public init(
        for scope: CredentialScope, credential: @escaping @Sendable () async throws -> (any Credential)?
    ) {
        self.scope = scope
        self.credential = credential
    }

    /// Sends the request, authorised where it goes to the scope.
    public func intercept(_ request: HTTPRequest, next: any Handler) async throws -> HTTPResponse {
        guard scope.allows(request.origin), let credential = try await credential() else {
            return try await next.respond(to: request)
        }
        var authorized = request
        authorized.authorizeWhenSent(with: credential)
        return try await next.respond(to: authorized)
    }
}

/// Applies a credential to each message that goes out, and to none for another origin.
private struct CredentialStep: WireStep {
    let credential: any Credential

    func prepare(_ request: inout HTTPRequest) async throws { try await credential.authorize(&request) }
}

extension HTTPRequest {
    /// Lets `credential` authorise every message that will go out for this request.
    mutating func authorizeWhenSent(with credential: any Credential) {
        steps.append(CredentialStep(credential: credential))
    }
}
