// SPDX-License-Identifier: Apache-2.0

import LatchAuth
import LatchCore
import LatchFoundation
import LatchHTTP
public import LatchJOSE

extension TokenEndpoint {
    /// Asks the server about a token (RFC 7662 §2).
    ///
    /// - Returns: The claims of an active token; nil for any other, without a reason (RFC 7662 §2.2).
    /// - Throws: `OAuthError.missingEndpoint` if the server has no introspection, the server's refusal of this client,
    ///   and `HTTPError`.
    public func introspect(_ token: String, hint: TokenTypeHint? = nil) async throws -> Claims? {
        guard let url = server.introspectionEndpoint else {
            throw OAuthError.missingEndpoint("introspection_endpoint")
        }
        let response = try await post(
            [("token", token), ("token_type_hint", hint?.rawValue ?? "")],
            to: endpoint("introspection_endpoint", url))
        let members = try response.members()
        guard let isActive = members["active"]?.boolValue else {
            throw OAuthError.invalidResponse("it does not state whether the token is active", status: response.status)
        }
        return isActive ? Claims(members) : nil
    }
}
