// SPDX-License-Identifier: Apache-2.0

public import LatchAuth
import LatchCore
import LatchHTTP
public import LatchJOSE
import PortableFoundation

extension AuthorizationClient {
    /// Returns what the server says about the signed-in user (OpenID Connect Core §5.3).
    ///
    /// - Parameter tokens: The tokens of the user, with the ID token of the sign-in.
    /// - Throws: `OAuthError.invalidUserInfo` if the response is about another user, or about none;
    ///   `OAuthError.missingEndpoint` if the server has no such endpoint.
    public func userInfo(of tokens: Tokens) async throws -> Claims {
        let endpoint = try await tokenEndpoint()
        guard let url = endpoint.server.userInfoEndpoint else { throw OAuthError.missingEndpoint("userinfo_endpoint") }
        guard let idToken = tokens.idToken, let subject = try JWT(unverified: idToken).claims.subject else {
            throw OAuthError.invalidUserInfo("without an ID token nothing says whom it is about")
        }
        let response = try await endpoint.get(endpoint.endpoint("userinfo_endpoint", url), with: tokens)
        let claims = try await userClaims(of: response)
        // Core §5.3.2 and §5.3.4: without the same subject the response must not be used.
        guard let actual = claims.subject, actual.utf8.elementsEqual(subject.utf8) else {
            throw OAuthError.invalidUserInfo("it is about another user")
        }
        return claims
    }

    /// Decodes the response: JSON, or a signed token (Core §5.3.2).
    private func userClaims(of response: HTTPResponse) async throws -> Claims {
        let type = response.fields[.contentType]?.lowercasedASCII() ?? ""
        guard type.utf8.starts(with: "application/jwt".utf8) else {
            guard let members = try? JSONValue(parsing: response.body.bytes).objectValue else {
                throw OAuthError.invalidUserInfo("it is not a JSON object")
            }
            return Claims(members)
        }
        guard let verifier = try await resolved().idTokens else { throw OAuthError.missingEndpoint("jwks_uri") }
        let text = String(decoding: response.body.bytes, as: UTF8.self)
        // Core §5.3.2: signed, encrypted, or both, as it was registered.
        let token = IDTokenVerifier.isEncrypted(text) ? try verifier.opened(text) : text
        do { return try await verifier.userClaims(of: token) } catch let
            error as JOSEError
        {
            throw OAuthError.invalidUserInfo(OAuthError.clause(of: error))
        }
    }
}
