// SPDX-License-Identifier: Apache-2.0

import LatchAuth
import LatchCore
import LatchIdentityAccounts
import LatchIdentityStorage

/// The parameter `claims` of an authorization request (OpenID Connect Core §5.5).
struct ClaimsRequest {
    /// The known claims that it names.
    ///
    /// `essential` changes nothing for them: each one that the user has is given.
    var names = GrantDetails.ClaimNames()
    /// The account that the client expects, as it names it by the value of `sub`; nil for any.
    var subject: String?
    /// The authentication context classes that it names; nil if it names none.
    var classes: RequestedClasses?

    /// Parses a parameter; nil names no claims.
    ///
    /// Unknown claims are ignored (§5.5.1), and so are those of scopes that the client may not have.
    ///
    /// - Throws: `IdentityError.invalidInput` for a text that is not an object of objects.
    init(_ text: String?, of client: OAuthClient, among claims: UserClaims) throws(IdentityError) {
        guard let text, !text.isEmpty else { return }
        let members: JSONObject?
        do throws(JSONError) { members = try JSONValue(parsing: text).objectValue } catch { members = nil }
        guard text.utf8.count <= 8192, let members else { throw .invalid("claims", "is not a JSON object") }
        let userInfo = try Self.known(members["userinfo"], client, claims)
        let idToken = try Self.known(members["id_token"], client, claims).filter(claims.namesOfIDTokens.contains)
        names = GrantDetails.ClaimNames(
            userInfo: userInfo, idToken: idToken,
            attributeScopes: claims.scopesOfAttributes.filter { userInfo.contains($0.key) || idToken.contains($0.key) })
        for part in ["id_token", "userinfo"] {
            subject = subject ?? members[part]?["sub"]?["value"]?.stringValue
        }
        classes = members["id_token"]?["acr"].flatMap(RequestedClasses.init(claim:))
    }

    private static func known(
        _ value: JSONValue?, _ client: OAuthClient, _ claims: UserClaims
    ) throws(IdentityError) -> [String] {
        guard let value, !value.isNull else { return [] }
        guard let members = value.objectValue else { throw .invalid("claims", "has a part that is not a JSON object") }
        return claims.names.filter { name in
            members[name] != nil && client.scopes?.contains(claims.scope(of: name)) ?? true
        }
    }
}

/// The authentication context classes that a request asks for, by `acr_values` or by the claim `acr`.
struct RequestedClasses: Codable, Sendable {
    /// The values, the preferred one first.
    ///
    /// The second class includes the first one.
    let values: [String]
    /// Whether the request fails without one of them.
    let isEssential: Bool

    /// What the clients need whose users must have a second factor.
    static let factor = RequestedClasses(values: [AuthenticationClass.twoFactors.rawValue], isEssential: true)

    private init(values: [String], isEssential: Bool) {
        (self.values, self.isEssential) = (values, isEssential)
    }

    /// Reads `acr_values`, which is a wish (OpenID Connect Core §3.1.2.1); nil for none.
    init?(_ text: String?) {
        let values = (text ?? "").unicodeScalars.split(separator: " ").map { String($0) }
        guard !values.isEmpty else { return nil }
        self.init(values: values, isEssential: false)
    }

    /// Reads the request of the claim `acr` (OpenID Connect Core §5.5.1.1); nil if it names no value.
    fileprivate init?(claim: JSONValue) {
        // A value that is not a text is one that the server does not have.
        let values = claim["values"]?.arrayValue ?? claim["value"].map { [$0] } ?? []
        guard !values.isEmpty else { return nil }
        self.init(values: values.map { $0.stringValue ?? "" }, isEssential: claim["essential"]?.boolValue == true)
    }

    /// Returns whether a session of a class meets the request.
    func isMet(by found: AuthenticationClass) -> Bool {
        values.contains(AuthenticationClass.oneFactor.rawValue)
            || found == .twoFactors && values.contains(found.rawValue)
    }

    /// Whether a sign-in can meet the request.
    var canBeMet: Bool { isMet(by: .twoFactors) }
}
