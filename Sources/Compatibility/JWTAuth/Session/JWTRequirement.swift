// SPDX-License-Identifier: Apache-2.0

import LatchAuth
import LatchHTTP
import LatchJOSE

/// An interceptor that prevents sending an access token that is not a JWT.
struct JWTRequirement: Interceptor, RequestModifier {
    let session: Session<Tokens>

    func intercept(_ request: HTTPRequest, next: any Handler) async throws -> HTTPResponse {
        var request = request
        request.modifiers.append(self)
        return try await next.respond(to: request)
    }

    /// Reads the token that the session has added.
    ///
    /// - Throws: `AuthTokens.Error.invalidToken`.
    func prepare(_ request: inout HTTPRequest) throws {
        // A request of the session's refresh has no token, or a token that the program has added.
        guard !ActiveRefreshes.contains(session), let field = request.fields[.authorization]?.utf8,
            let space = field.firstIndex(of: UInt8(ascii: " "))
        else { return }
        _ = try AuthTokens(access: String(decoding: field[field.index(after: space)...], as: UTF8.self), refresh: "")
            .toJWT()
    }
}
