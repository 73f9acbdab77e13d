// SPDX-License-Identifier: Apache-2.0

import PortableFoundation
import LatchAuth
import LatchCore
import LatchHTTP

/// What goes with a request to a token endpoint beside its content.
struct RequestProof: Sendable {
    /// The same for each repeat of the same request.
    var idempotencyKey: String?
    /// What the tokens are bound to.
    var key: DPoPKey?
}

extension TokenEndpoint {
    /// Posts a form, with what proves the program.
    ///
    /// - Returns: An answer that is a success.
    /// - Throws: `OAuthError` for any other answer.
    func post(
        _ form: [(String, String)], to url: URL, _ proof: RequestProof = RequestProof()
    ) async throws -> HTTPResponse {
        var form = form
        var fields: HTTPFields = [.contentType: FormEncoding.mediaType]
        registration.authenticate(&form, &fields)
        // RFC 6749 §3.2: a parameter without a value is one that was left out.
        form.removeAll { $0.1.isEmpty }
        let secrets = form.filter { !Self.harmless.contains($0.0) }.map(\.1) + [registration.secret].compactMap(\.self)
        // RFC 6749 Appendix B: everything that means something in a form is encoded, so that no value adds a parameter.
        return try await send(HTTPBody(FormEncoding.encode(form)), fields, to: url, proof, hiding: secrets)
    }

    /// Posts content.
    ///
    /// - Parameter secrets: What is in it and may stand in no error.
    func send(
        _ body: HTTPBody, _ fields: HTTPFields, to url: URL, _ proof: RequestProof, hiding secrets: [String]
    ) async throws -> HTTPResponse {
        var request = try HTTPRequest(method: .post, url: url, fields: fields, body: body)
        request.fields[.accept] = "application/json"
        request.fields[.idempotencyKey] = proof.idempotencyKey
        request.timeout = timeout
        request.template = url.path
        let response: HTTPResponse
        if let key = proof.key {
            // RFC 9449 §8: where the issuer wants a nonce, the same request goes out once more with it.
            response = try await DPoPInterceptor(key).intercept(request, next: client)
        } else {
            response = try await client.respond(to: request)
        }
        guard response.status.isSuccess else { throw OAuthError(response, hiding: secrets, now: clock.now) }
        return response
    }

    /// Parameters whose values an error may repeat.
    private static let harmless: Set<String> = ["grant_type", "username", "scope", "client_id", "token_type_hint"]
}

/// Takes no more of an answer than tokens need, with everything that anybody writes beside them.
struct BoundedAnswers: Handler {
    let transport: any Handler

    func respond(to request: HTTPRequest) async throws -> HTTPResponse {
        var request = request
        request.wantsStream = true
        var response = try await transport.respond(to: request)
        response.body = HTTPBody(try await response.body.collected(upTo: 1 << 20))
        return response
    }
}
