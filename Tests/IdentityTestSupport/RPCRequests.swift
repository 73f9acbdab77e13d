// SPDX-License-Identifier: Apache-2.0

package import LatchCore
import LatchHTTP
package import LatchIdentity
package import LatchRPC

extension Site {
    /// One call of the user service, in JSON written by hand.
    package func call(_ method: String, _ message: JSONValue = [:], bearer: String? = nil) async throws -> Response {
        var fields: HTTPFields = [.contentType: "application/json"]
        if let bearer { fields[.authorization] = "Bearer \(bearer)" }
        return try await send(
            .post, "/userservice.v1.UserService/\(method)", fields: fields, body: HTTPBody(message.serialized()))
    }

    /// Registers somebody over the wire.
    package func register(_ email: String = "ada@example.com", username: String = "") async throws -> Response {
        try await call(
            "Register",
            [
                "email": .string(email), "password": .string(Site.password), "username": .string(username),
                "firstName": "Ada", "lastName": "Lovelace", "acceptTerms": true,
            ])
    }

    package func login(_ email: String = "ada@example.com", password: String = Site.password, device: String = "")
        async throws
        -> Response
    {
        try await call(
            "Login",
            [
                "email": .string(email), "password": .string(password), "rememberMe": true,
                "deviceInfo": .string(device),
            ])
    }

    /// The access token of somebody who was signed up with a role.
    package func token(_ email: String, _ role: Role) async throws -> (id: String, access: String) {
        let account = try await signUp(email, roles: role.words)
        return (account.id, try await login(email).session["accessToken"]?.stringValue ?? "")
    }
}

extension Site {
    /// A channel to the calls, for the generated stub.
    package func channel(using style: RPCProtocol, codec: RPCCodec) throws -> RPCChannel {
        try RPCChannel(origin.description, through: transport, using: style, codec: codec)
    }
}

extension Response {
    package var user: JSONObject { json["user"]?.objectValue ?? [:] }
    package var session: JSONObject { json["session"]?.objectValue ?? [:] }
    /// The word of a failed call.
    package var word: String { string("code") }
    /// The stable code of a failed call.
    package var stableCode: String? { field("latch-code") }
}
