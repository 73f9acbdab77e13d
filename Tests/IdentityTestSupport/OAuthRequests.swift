// SPDX-License-Identifier: Apache-2.0

package import LatchAuth
package import LatchCore
package import LatchHTTP
import LatchIdentity

extension Site {
    /// Posts a form to the token endpoint; parameters whose value is nil are left out.
    package func token(_ parameters: KeyValuePairs<String, String?>, fields: HTTPFields = [:]) async throws -> Response
    {
        try await form("/oauth/token", parameters, fields: fields)
    }

    /// A password grant as seed 004's client sends it.
    package func passwordGrant(
        _ username: String = "ada@example.com", password: String = Site.password, scope: String? = nil,
        as app: String? = nil
    ) async throws -> Response {
        try await token([
            "grant_type": "password", "username": username, "password": password, "scope": scope, "client_id": app,
        ])
    }

    package func refreshGrant(
        _ token: String, scope: String? = nil, as app: String? = nil, fields: HTTPFields = [:]
    ) async throws -> Response {
        try await self.token(
            ["grant_type": "refresh_token", "refresh_token": token, "scope": scope, "client_id": app], fields: fields)
    }

    package func form(
        _ path: String, _ parameters: KeyValuePairs<String, String?>, fields: HTTPFields = [:],
        showing certificate: [UInt8]? = nil
    ) async throws -> Response {
        let text = parameters.compactMap { name, value in value.map { "\(name)=\(Self.encoded($0))" } }
            .joined(separator: "&")
        var fields = fields
        fields[.contentType] = "application/x-www-form-urlencoded"
        return try await send(.post, path, fields: fields, body: HTTPBody(text), showing: certificate)
    }

    package static func encoded(_ text: String) -> String {
        text.utf8.map { byte in
            let isPlain = (0x30...0x39).contains(byte) || (0x41...0x5A).contains(byte) || (0x61...0x7A).contains(byte)
            let digits = String(byte, radix: 16, uppercase: true)
            return isPlain ? String(Unicode.Scalar(byte)) : "%" + (digits.utf8.count == 1 ? "0" : "") + digits
        }.joined()
    }

    package func call(_ method: HTTPMethod, _ path: String, bearer: String, _ json: JSONValue? = nil) async throws
        -> Response
    {
        var fields: HTTPFields = [.authorization: "Bearer \(bearer)"]
        if json != nil { fields[.contentType] = "application/json" }
        return try await send(method, path, fields: fields, body: json.map { HTTPBody($0.serialized()) } ?? .empty)
    }
}

extension Response {
    package var accessToken: String { string("access_token") }
    package var refreshToken: String { string("refresh_token") }
    package var scopes: Scopes { Scopes(parsing: string("scope")) }
    package var oauthError: String { string("error") }
    package var errorCode: String { string("error_code") }
    package func number(_ name: String) -> Int? { json[name]?.intValue.map { Int($0) } }
}
