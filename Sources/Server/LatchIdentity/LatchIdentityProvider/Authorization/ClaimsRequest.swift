// SPDX-License-Identifier: Apache-2.0

import LatchAuth
import LatchCore
import LatchIdentityAccounts
import LatchIdentityStorage

/// The parameter `claims` of an authorization request (OpenID Connect Core §5.5).
struct ClaimsRequest {
    /// The known claims that it names.
    ///
    /// `essential` changes nothing: each one that the user has is given.
    var names = GrantDetails.ClaimNames()
    /// The account that the client expects, as it names it by the value of `sub`; nil for any.
    var subject: String?

    /// Parses a parameter; nil names no claims.
    ///
    /// Unknown claims are ignored (§5.5.1), and so are those of scopes that the client may not have.
    ///
    /// - Throws: `IdentityError.invalidInput` for a text that is not an object of objects.
    init(_ text: String?, of client: OAuthClient) throws(IdentityError) {
        guard let text, !text.isEmpty else { return }
        let members: JSONObject?
        do throws(JSONError) { members = try JSONValue(parsing: text).objectValue } catch { members = nil }
        guard text.utf8.count <= 8192, let members else { throw .invalid("claims", "is not a JSON object") }
        names = GrantDetails.ClaimNames(
            userInfo: try Self.known(members["userinfo"], client),
            idToken: try Self.known(members["id_token"], client).filter(UserClaims.namesOfIDTokens.contains))
        for part in ["id_token", "userinfo"] {
            subject = subject ?? members[part]?["sub"]?["value"]?.stringValue
        }
    }

    private static func known(_ value: JSONValue?, _ client: OAuthClient) throws(IdentityError) -> [String] {
        guard let value, !value.isNull else { return [] }
        guard let members = value.objectValue else { throw .invalid("claims", "has a part that is not a JSON object") }
        return UserClaims.names.filter { name in
            members[name] != nil && client.scopes?.contains(GrantDetails.ClaimNames.scope(of: name)) ?? true
        }
    }
}
