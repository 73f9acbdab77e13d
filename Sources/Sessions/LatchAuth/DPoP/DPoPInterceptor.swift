// SPDX-License-Identifier: Apache-2.0

internal import LatchCore
import Synchronization
public import LatchHTTP

/// Proves the key in each message that goes out, without a token: what a token endpoint asks for (RFC 9449 §5).
///
/// What a server refuses for want of its nonce is sent once more with it. Requests with a token need no interceptor of
/// their own: `Tokens` with a key prove it wherever they are sent.
public struct DPoPInterceptor: Interceptor {
    private let key: DPoPKey

    /// An interceptor that proves `key`.
    public init(_ key: DPoPKey) { self.key = key }

    /// Sends the request with a proof; once more where the server asks for a nonce and the content can be read again.
    public func intercept(_ request: HTTPRequest, next: any Handler) async throws -> HTTPResponse {
        let step = DPoPStep(key)
        var proved = request
        proved.steps.append(step)
        let response = try await next.respond(to: proved)
        guard step.isWorthRepeating, request.body.isReplayable else { return response }
        return try await next.respond(to: proved)
    }
}

/// Makes a proof for each message, and looks at what the answer asks of the next one.
private final class DPoPStep: WireStep {
    private let key: DPoPKey
    private let repeats = Mutex(false)

    init(_ key: DPoPKey) { self.key = key }

    /// Whether the last answer refused the proof for something that the next one would do better.
    var isWorthRepeating: Bool { repeats.withLock { $0 } }

    func prepare(_ request: inout HTTPRequest) async throws { try key.prove(&request, accessToken: nil) }

    func observe(_ response: HTTPResponse, to request: HTTPRequest) async {
        let isWorthIt = key.learn(from: response, to: request)
        repeats.withLock { $0 = isWorthIt }
    }
}
