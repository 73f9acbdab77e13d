// SPDX-License-Identifier: Apache-2.0

public import LatchHTTP

/// An interceptor that proves the key in each message without a token, as a token endpoint requires (RFC 9449 §5).
///
/// If a server refuses a request because its nonce is missing, the request is sent once more with the nonce. Requests
/// with a token need no interceptor, because `Tokens` with a key prove it in each request.
public struct DPoPInterceptor: Interceptor {
    /// A credential that consists only of the proof.
    private struct Proof: Credential {
        let key: DPoPKey

        func authorize(_ request: inout HTTPRequest) throws { try key.prove(&request, accessToken: nil) }

        func learn(from response: HTTPResponse, to request: HTTPRequest) -> Bool {
            key.learn(from: response, to: request)
        }
    }

    private let key: DPoPKey

    /// Creates an interceptor that proves `key`.
    public init(_ key: DPoPKey) { self.key = key }

    /// Sends the request with a proof.
    ///
    /// It sends the request once more if the server requires a nonce and the content can be read again.
    public func intercept(_ request: HTTPRequest, next: any Handler) async throws -> HTTPResponse {
        try await CredentialAttempt.send(request, with: Proof(key: key), to: next)
    }
}
