// SPDX-License-Identifier: Apache-2.0

package import LatchAuth
package import LatchCore
package import LatchFoundation
package import LatchHTTP

/// A decoder of token responses, used by all modules.
package struct TokenResponseDecoder: Sendable {
    /// The names of the members; the first member with a value counts.
    package struct Spelling: Sendable {
        var access: [String]
        var refresh: [String]
        var lifetime: [String]

        /// The names of RFC 6749 §5.1.
        package static let oauth = Spelling(
            access: ["access_token"], refresh: ["refresh_token"], lifetime: ["expires_in"])

        /// The names of JavaScript backends, with those of RFC 6749 as alternatives.
        package static let camelCase = Spelling(
            access: ["accessToken", "access_token"], refresh: ["refreshToken", "refresh_token"],
            lifetime: ["expiresIn", "expires_in"])

        var names: [String] { access + refresh + lifetime + ["token_type", "scope", "id_token"] }
    }

    private let spelling: Spelling
    /// The clock for responses without a date.
    private let clock: WallClock

    /// Creates a decoder.
    package init(_ spelling: Spelling = .oauth, clock: WallClock) {
        self.spelling = spelling
        self.clock = clock
    }

    /// Decodes a successful response.
    ///
    /// - Parameters:
    ///   - type: The requested token type.
    ///   - scopes: The requested scopes, which count as granted if the response states none (RFC 6749 §5.1).
    ///   - refresh: The refresh token that stays valid if the response has none (RFC 6749 §6).
    /// - Throws: `OAuthError.invalidResponse` and `OAuthError.unacceptableTokenType`; neither quotes the response.
    package func decode(
        _ response: HTTPResponse, type: TokenType = .bearer, expecting scopes: Scopes? = nil,
        keeping refresh: String? = nil
    ) throws(OAuthError) -> TokenResponse {
        let members = try response.members()
        // The date of a cached response, which has an age (RFC 9111 §5.1), does not show the issuer's current time.
        let date = response.fields["Age"] == nil ? response.fields[.date].flatMap(HTTPDate.init)?.date : nil
        return try decode(members, issued: date, type: type, expecting: scopes, keeping: refresh)
    }

    /// Decodes the members of a successful response.
    ///
    /// - Parameter issued: The date of the response by the server's clock; nil if it has none.
    package func decode(
        _ members: JSONObject, issued: Date? = nil, type: TokenType = .bearer, expecting scopes: Scopes? = nil,
        keeping refresh: String? = nil
    ) throws(OAuthError) -> TokenResponse {
        guard let access = text(spelling.access, in: members), Self.isToken(access) else {
            throw .invalidResponse("it has no usable access token")
        }
        let tokenType = try tokenType(in: members, requested: type)
        let new = text(spelling.refresh, in: members)
        guard new.map(Self.isToken) ?? true else { throw .invalidResponse("its refresh token is malformed") }
        let issued = issued ?? clock.now
        let lifetime = lifetime(in: members)
        var rest = members
        for name in spelling.names { rest[name] = nil }
        let tokens = Tokens(
            access: access, refresh: new ?? refresh, expiry: lifetime.map { issued.addingTimeInterval($0.inSeconds) },
            issued: issued, scope: scope(in: members) ?? scopes?.text, idToken: text(["id_token"], in: members),
            userID: userID(in: rest), tokenType: tokenType)
        return TokenResponse(tokens: tokens, lifetime: lifetime, requestedScopes: scopes, extra: rest)
    }

    /// Returns the refresh token in the content of a response, even if the rest of the content is wrong.
    ///
    /// - Parameter sent: The refresh token of the request, which does not count as new.
    package func refreshToken(in content: [UInt8], replacing sent: String?) -> String? {
        var scan = RefreshTokenScan(names: spelling.refresh)
        scan.read(content)
        return scan.token.flatMap { $0 == sent ? nil : $0 }
    }

    private func text(_ names: [String], in members: JSONObject) -> String? {
        names.lazy.compactMap { members[$0]?.stringValue }.first { !$0.isEmpty }
    }

    /// Returns the identifier of the user, as a string or a number; no specification names the member.
    private func userID(in members: JSONObject) -> String? {
        (members["user_id"] ?? members["userId"])?.identifier
    }

    /// Returns the token type, compared without case (RFC 6749 §5.1); an unknown type must not be used (§7.1).
    ///
    /// The member is required but often missing; the token is then a bearer token.
    private func tokenType(in members: JSONObject, requested: TokenType) throws(OAuthError) -> TokenType {
        let value = members["token_type"]
        if value?.isNull ?? true, requested == .bearer { return .bearer }
        if requested == .notApplicable { return .notApplicable }
        guard let type = value?.stringValue.map(TokenType.init), type == requested else { throw .unacceptableTokenType }
        return type
    }

    /// Returns the scope: a list with spaces (RFC 6749 §3.3), or an array from some servers.
    ///
    /// An empty list grants nothing, unlike a missing one.
    private func scope(in members: JSONObject) -> String? {
        guard let value = members["scope"] else { return nil }
        return value.stringValue ?? value.arrayValue?.compactMap(\.stringValue).joined(separator: " ")
    }

    /// Returns the lifetime: a number of seconds (RFC 6749 §5.1), or a string from some servers.
    ///
    /// A lifetime of less than a second would be useless, and counts as unknown.
    private func lifetime(in members: JSONObject) -> Duration? {
        let value = spelling.lifetime.lazy.compactMap { members[$0] }.first { !$0.isNull }
        guard let seconds = value?.seconds, seconds >= 1 else { return nil }
        // More than a century would overflow durations and dates.
        return .seconds(min(seconds, 36_525 * 86_400))
    }

    /// Whether a token is printable ASCII (RFC 6749 A.12 and A.17), so that it can be sent in a header field.
    static func isToken(_ text: String) -> Bool { text.utf8.allSatisfy { (0x20...0x7E).contains($0) } }
}

extension JSONValue {
    /// The value as a number of seconds, which some servers write as a string: `30`, `30.0`, `"30"` and `"30.5"`.
    ///
    /// Nil for anything else, including negative numbers and numbers that are not finite.
    package var seconds: Double? {
        if let doubleValue { return doubleValue >= 0 && doubleValue.isFinite ? doubleValue : nil }
        // `Double` would also accept `nan`, `0x1p3` and `infinity`.
        guard let text = stringValue, text.utf8.count <= 18, text.utf8.first.map(isDigit) == true,
            text.utf8.allSatisfy({ isDigit($0) || $0 == 0x2E })
        else { return nil }
        return Double(text)
    }

    /// The value as an identifier, which is a string or a number; nil for an empty string and anything else.
    package var identifier: String? {
        if let stringValue { return stringValue.isEmpty ? nil : stringValue }
        return intValue.map { String($0) }
    }
}
