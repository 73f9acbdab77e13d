// SPDX-License-Identifier: Apache-2.0

internal import LatchCore
public import LatchHTTP
import Synchronization

/// An interceptor that authorizes each request to `scope` with a credential that needs no refresh, such as an API key.
///
/// ```swift
/// let client = Client(baseURL: url, interceptors: [CredentialInterceptor(APIKey("…"), for: .host("api.example.com"))])
/// ```
public struct CredentialInterceptor: Interceptor {
    private let scope: CredentialScope
    private let credential: @Sendable () async throws -> (any Credential)?

    /// Creates an interceptor with one credential for all requests.
    public init(_ credential: any Credential, for scope: CredentialScope) {
        self.init(for: scope) { credential }
    }

    /// Creates an interceptor that calls `credential` before each request; nil sends the request without one.
    public init(
        for scope: CredentialScope, credential: @escaping @Sendable () async throws -> (any Credential)?
    ) {
        self.scope = scope
        self.credential = credential
    }

    /// Sends the request, with the credential if its target is in the scope.
    ///
    /// If the response requires another proof of the same credential, the request is sent once more, provided that its
    /// content can be read again.
    public func intercept(_ request: HTTPRequest, next: any Handler) async throws -> HTTPResponse {
        guard scope.allows(request.origin), let credential = try await credential() else {
            return try await next.respond(to: request)
        }
        return try await CredentialAttempt.send(request, with: credential, to: next)
    }
}

/// One attempt of a request, which authorizes only messages to the request's origin.
final class CredentialAttempt: RequestModifier {
    private let credential: any Credential
    private let repeats = Mutex(false)

    private init(_ credential: any Credential) { self.credential = credential }

    /// Sends a request with a credential, and once more if `Credential.learn` returns true.
    static func send(
        _ request: HTTPRequest, with credential: any Credential, to next: any Handler
    ) async throws -> HTTPResponse {
        let attempt = CredentialAttempt(credential)
        var authorized = request
        authorized.modifiers.append(attempt)
        let response = try await next.respond(to: authorized)
        guard attempt.repeats.withLock({ $0 }), request.body.isReplayable else { return response }
        return try await next.respond(to: authorized)
    }

    func prepare(_ request: inout HTTPRequest) async throws { try await credential.authorize(&request) }

    func observe(_ response: HTTPResponse, to request: HTTPRequest) async {
        let isWorthRepeating = credential.learn(from: response, to: request)
        repeats.withLock { $0 = isWorthRepeating }
    }
}
