// SPDX-License-Identifier: Apache-2.0

internal import LatchCore
import Synchronization
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
    ///
    /// Where the answer asks for another proof of the same credential, and the content can be read again, it is sent once
    /// more.
    public func intercept(_ request: HTTPRequest, next: any Handler) async throws -> HTTPResponse {
        guard scope.allows(request.origin), let credential = try await credential() else {
            return try await next.respond(to: request)
        }
        let step = CredentialStep(credential)
        var authorized = request
        authorized.steps.append(step)
        let response = try await next.respond(to: authorized)
        guard step.isWorthRepeating, request.body.isReplayable else { return response }
        return try await next.respond(to: authorized)
    }
}

/// Applies a credential to each message that goes out, and to none for another origin.
private final class CredentialStep: WireStep {
    private let credential: any Credential
    private let repeats = Mutex(false)

    init(_ credential: any Credential) { self.credential = credential }

    /// Whether the last answer asks for the same message once more; see `Credential.learn`.
    var isWorthRepeating: Bool { repeats.withLock { $0 } }

    func prepare(_ request: inout HTTPRequest) async throws { try await credential.authorize(&request) }

    func observe(_ response: HTTPResponse, to request: HTTPRequest) async {
        let isWorthIt = credential.learn(from: response, to: request)
        repeats.withLock { $0 = isWorthIt }
    }
}
