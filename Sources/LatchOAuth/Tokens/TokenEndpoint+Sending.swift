// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import LatchCore
import LatchHTTP

extension TokenEndpoint {
    /// Posts a form, with what proves the program.
    ///
    /// - Returns: An answer that is a success.
    /// - Throws: `OAuthError` for any other answer.
    func post(
        _ form: [(String, String)], to url: URL, idempotencyKey: String? = nil
    ) async throws -> HTTPResponse {
        // RFC 6749 §3.2: a parameter without a value is one that was left out.
        var form = form.filter { !$0.1.isEmpty }
        var fields: HTTPFields = [.contentType: FormEncoding.mediaType]
        registration.authenticate(&form, &fields)
        let secrets = form.filter { !Self.harmless.contains($0.0) }.map(\.1) + [registration.secret].compactMap(\.self)
        // RFC 6749 Appendix B: everything that means something in a form is encoded, so that no value adds a parameter.
        let body = HTTPBody(FormEncoding.encode(form))
        return try await send(body, fields, to: url, idempotencyKey: idempotencyKey, hiding: secrets)
    }

    /// Posts content.
    ///
    /// - Parameter secrets: What is in it and may stand in no error.
    func send(
        _ body: HTTPBody, _ fields: HTTPFields, to url: URL, idempotencyKey: String?, hiding secrets: [String]
    ) async throws -> HTTPResponse {
        var request = try HTTPRequest(method: .post, url: url, fields: fields, body: body)
        request.fields[.accept] = "application/json"
        request.fields[.idempotencyKey] = idempotencyKey
        request.timeout = timeout
        request.template = "token endpoint"
        request.wantsStream = true
        var response = try await client.respond(to: request)
        response.body = HTTPBody(try await response.body.collected(upTo: Self.largestAnswer))
        guard response.status.isSuccess else { throw OAuthError(response, hiding: secrets, now: clock.now) }
        return response
    }

    /// Parameters whose values an error may repeat.
    private static let harmless: Set<String> = ["grant_type", "username", "scope", "client_id", "token_type_hint"]

    /// Tokens with everything that anybody writes beside them.
    private static let largestAnswer = 1 << 20
}
