// SPDX-License-Identifier: Apache-2.0

public import LatchAuth
import LatchCore
import LatchFoundation
import LatchHTTP
public import LatchJOSE

extension AuthorizationClient {
    /// Returns the server's claims about the signed-in user (OpenID Connect Core §5.3).
    ///
    /// - Parameter tokens: The tokens of the user, with the ID token of the sign-in.
    /// - Throws: `OAuthError.invalidUserInfo` if the response is about another user or names none;
    ///   `OAuthError.missingEndpoint` if the server has no such endpoint.
    public func userInfo(of tokens: Tokens) async throws -> Claims {
        let endpoint = try await tokenEndpoint()
        guard let url = endpoint.server.userInfoEndpoint else { throw OAuthError.missingEndpoint("userinfo_endpoint") }
        guard let idToken = tokens.idToken, let subject = try JWT(unverified: idToken).claims.subject else {
            throw OAuthError.invalidUserInfo("without an ID token nothing says whom it is about")
        }
        let response = try await endpoint.get(endpoint.endpoint("userinfo_endpoint", url), with: tokens)
        let claims = try await userClaims(of: response)
        // Core §5.3.2 and §5.3.4: without the same subject, the response must not be used.
        guard let actual = claims.subject, actual.utf8.elementsEqual(subject.utf8) else {
            throw OAuthError.invalidUserInfo("it is about another user")
        }
        return claims
    }

    /// Decodes the response: JSON, or a token that is signed, encrypted, or both, as registered (Core §5.3.2).
    private func userClaims(of response: HTTPResponse) async throws -> Claims {
        let type = response.fields[.contentType]?.lowercasedASCII() ?? ""
        guard type.utf8.starts(with: "application/jwt".utf8) else {
            return try Self.members(response.body.bytesWithoutMark)
        }
        guard let verifier = try await resolved().idTokens else { throw OAuthError.keysNotPublished }
        let token = String(decoding: response.body.bytes, as: UTF8.self)
        let requests = verifier.keys?.requestsSoFar
        do { return try await verifier.userClaims(of: token, after: requests) } catch let error as JOSEError {
            throw OAuthError.invalidUserInfo(OAuthError.clause(of: error))
        }
    }

    fileprivate static func members(_ bytes: [UInt8]) throws(OAuthError) -> Claims {
        do {
            if let members = try JSONValue(parsing: bytes).objectValue { return Claims(members) }
        } catch {
            throw .invalidUserInfo("it is not JSON")
        }
        throw .invalidUserInfo("it is not a JSON object")
    }
}

extension IDTokenVerifier {
    /// Returns the claims of a response about a user in the form of a token (OpenID Connect Core §5.3.2).
    ///
    /// - Parameters:
    ///   - token: The token.
    ///   - requests: The requests for keys so far when the token arrived.
    fileprivate func userClaims(of token: String, after requests: Int?) async throws -> Claims {
        var token = token
        if Self.isEncrypted(token) {
            guard let decrypter else { throw OAuthError.invalidUserInfo("no key here decrypts it") }
            let opened = try decrypter.decrypt(token)
            // A token that is only encrypted is as good as plain JSON: the connection proves the server.
            guard opened.header.isNestedToken else { return try AuthorizationClient.members(opened.plaintext) }
            token = String(decoding: opened.plaintext, as: UTF8.self)
        }
        // The token should name this client, and need not expire.
        let isNamed = try !JWT(unverified: token).claims.audience.isEmpty
        let claims = try await userInfo(isNamed ? clientID : nil).verify(token, after: requests).claims
        if claims.issuer != nil { try checkIssuer(claims) }
        return claims
    }
}
