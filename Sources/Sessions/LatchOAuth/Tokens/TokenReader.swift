// SPDX-License-Identifier: Apache-2.0

package import PortableFoundation
package import LatchAuth
package import LatchCore
package import LatchHTTP

/// Reads tokens out of the answer of an issuer: the one place in the package that does.
package struct TokenReader: Sendable {
    /// How a kind of server spells the members that mean something here; the first that holds something counts.
    package struct Spelling: Sendable {
        var access: [String]
        var refresh: [String]
        var lifetime: [String]

        /// RFC 6749 §5.1.
        package static let oauth = Spelling(
            access: ["access_token"], refresh: ["refresh_token"], lifetime: ["expires_in"])

        /// That of backends written in JavaScript, and RFC 6749's beside it.
        package static let camelCase = Spelling(
            access: ["accessToken", "access_token"], refresh: ["refreshToken", "refresh_token"],
            lifetime: ["expiresIn", "expires_in"])

        var names: [String] { access + refresh + lifetime + ["token_type", "scope", "id_token"] }
    }

    let spelling: Spelling
    /// For answers without a date.
    let clock: WallClock

    /// A reader for servers that spell so.
    package init(_ spelling: Spelling = .oauth, clock: WallClock) {
        self.spelling = spelling
        self.clock = clock
    }

    /// The tokens of a success.
    ///
    /// - Parameters:
    ///   - type: The token type that was asked for.
    ///   - scopes: What is granted where the answer does not say (RFC 6749 §5.1).
    ///   - refresh: The refresh token that stays where the answer brings no other (RFC 6749 §6).
    /// - Throws: `OAuthError.invalidResponse` and `OAuthError.unacceptableTokenType`; neither quotes the answer.
    package func read(
        _ response: HTTPResponse, type: TokenType = .bearer, expecting scopes: Scopes? = nil,
        keeping refresh: String? = nil
    ) throws(OAuthError) -> TokenResponse {
        let members: JSONObject?
        do { members = try JSONValue(parsing: response.body.bytes).objectValue } catch {
            throw .invalidResponse("it is no JSON")
        }
        // RFC 8259 §4 leaves open what names mean that come twice; the parser refuses them, so that nobody else can read
        // the same answer otherwise.
        guard let members else { throw .invalidResponse("it is no JSON object") }
        let date = response.fields[.date].flatMap(HTTPDate.init)?.date
        return try read(members, issued: date, type: type, expecting: scopes, keeping: refresh)
    }

    /// The same for the members of a success.
    ///
    /// - Parameter issued: When the issuer answered, by its clock; nil where it did not say.
    package func read(
        _ members: JSONObject, issued: Date? = nil, type: TokenType = .bearer, expecting scopes: Scopes? = nil,
        keeping refresh: String? = nil
    ) throws(OAuthError) -> TokenResponse {
        guard let access = text(spelling.access, in: members), Self.isToken(access) else {
            throw .invalidResponse("it has no usable access token")
        }
        let tokenType = try tokenType(in: members, asked: type)
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

    private func text(_ names: [String], in members: JSONObject) -> String? {
        names.lazy.compactMap { members[$0]?.stringValue }.first { !$0.isEmpty }
    }

    /// Who the tokens belong to, as a text or a number; no specification has a name for it.
    private func userID(in members: JSONObject) -> String? {
        let value = members["user_id"] ?? members["userId"]
        return value?.stringValue.flatMap { $0.isEmpty ? nil : $0 } ?? value?.intValue.map { String($0) }
    }

    /// RFC 6749 §7.1: a token of a type that one does not understand must not be used; §5.1: its case means nothing.
    ///
    /// The member is required, and often missing. A bearer token is then what is meant by everybody who leaves it out.
    private func tokenType(in members: JSONObject, asked: TokenType) throws(OAuthError) -> TokenType {
        let value = members["token_type"]
        if value?.isNull ?? true, asked == .bearer { return .bearer }
        guard let type = value?.stringValue.map(TokenType.init), type == asked else { throw .unacceptableTokenType }
        return type
    }

    /// RFC 6749 §3.3 has a list with spaces; some send an array.
    ///
    /// An empty list grants nothing, and is not the same as none.
    private func scope(in members: JSONObject) -> String? {
        guard let value = members["scope"] else { return nil }
        return value.stringValue ?? value.arrayValue?.compactMap(\.stringValue).joined(separator: " ")
    }

    /// RFC 6749 §5.1 has a number of seconds; some send it as text.
    ///
    /// Less than a second would be a token that nobody could ever use (and may be none at all beside a date of today): it is
    /// used until it is refused, as where nothing is said.
    private func lifetime(in members: JSONObject) -> Duration? {
        let value = spelling.lifetime.lazy.compactMap { members[$0] }.first { !$0.isNull }
        guard let seconds = value?.doubleValue ?? value?.stringValue.flatMap(Self.seconds), seconds >= 1 else {
            return nil
        }
        // A century is for ever; what lies beyond has no duration or date.
        return .seconds(min(seconds, 36_525 * 86_400))
    }

    /// Digits only: `Double` would also read `nan`, `0x1p3` and `infinity`.
    private static func seconds(_ text: String) -> Double? {
        guard !text.isEmpty, text.utf8.count <= 18, text.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else {
            return nil
        }
        return Double(text)
    }

    /// RFC 6749 A.12 and A.17: printable ASCII; anything else could not be sent back, or would break a header field.
    private static func isToken(_ text: String) -> Bool { text.utf8.allSatisfy { (0x20...0x7E).contains($0) } }
}
