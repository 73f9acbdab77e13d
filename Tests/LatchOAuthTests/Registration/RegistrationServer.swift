// SPDX-License-Identifier: Apache-2.0

import Foundation
import LatchAuth
import LatchCore
import LatchHTTP
import LatchOAuth
import LatchServer
import LatchTesting
import Synchronization

/// A server that registers clients (RFC 7591), and lets them manage their registrations (RFC 7592).
final class RegistrationServer: Handler {
    struct State {
        var clients: [String: JSONObject] = [:]
        var requests: [HTTPRequest] = []
        var count = 0
        var supportsDocuments = false
        /// Changes a client before it is returned.
        var change: @Sendable (inout JSONObject) -> Void = { _ in }
        var acceptsClients = true
    }

    static let issuer = URL(string: "https://id.example.com") ?? URL(filePath: "/")
    let clock = ManualClock()
    let state = Mutex(State())

    func respond(to request: HTTPRequest) async throws -> HTTPResponse {
        state.withLock { state in
            state.requests.append(request)
            switch (request.method, String(request.pathWithoutQuery)) {
            case (_, "/.well-known/openid-configuration"): return .json(Self.metadata(state))
            case (.post, "/register"): return Self.register(request, &state)
            case (.post, "/token"): return Self.token(request, state)
            case (let method, let path) where path.hasPrefix("/register/"):
                return Self.manage(request, method, String(path.dropFirst("/register/".count)), &state)
            default: return HTTPResponse(status: .notFound)
            }
        }
    }

    private static func metadata(_ state: State) -> JSONValue {
        [
            "issuer": "https://id.example.com", "token_endpoint": "https://id.example.com/token",
            "registration_endpoint": "https://id.example.com/register",
            "client_id_metadata_document_supported": .bool(state.supportsDocuments),
        ]
    }

    private static func register(_ request: HTTPRequest, _ state: inout State) -> HTTPResponse {
        guard var client = (try? JSONValue(parsing: request.body.bytes))?.objectValue else {
            return HTTPResponse(status: .badRequest)
        }
        state.count += 1
        let id = "client-\(state.count)"
        client["client_id"] = .string(id)
        client["registration_access_token"] = .string("manages-\(id)")
        client["registration_client_uri"] = .string("https://id.example.com/register/\(id)")
        if client["token_endpoint_auth_method"] != "none" {
            client["client_secret"] = .string("secret-of-\(id)")
            client["client_secret_expires_at"] = 0
        }
        state.change(&client)
        state.clients[id] = client
        return .json(.object(client), status: .created)
    }

    private static func manage(
        _ request: HTTPRequest, _ method: HTTPMethod, _ id: String, _ state: inout State
    ) -> HTTPResponse {
        guard var client = state.clients[id], let token = client["registration_access_token"]?.stringValue,
            request.fields[.authorization] == "Bearer \(token)"
        else { return HTTPResponse(status: .unauthorized, body: HTTPBody(#"{"error":"invalid_token"}"#)) }
        switch method {
        case .get: break
        case .delete:
            state.clients[id] = nil
            return HTTPResponse(status: .noContent)
        default:
            // RFC 7592 §2.2: the client repeats its ID and its secret, and none of the members of its management.
            let update = (try? JSONValue(parsing: request.body.bytes))?.objectValue ?? [:]
            let forbidden = ["registration_access_token", "registration_client_uri", "client_secret_expires_at"]
            guard update["client_id"]?.stringValue == id, update["client_secret"] == client["client_secret"],
                forbidden.allSatisfy({ update[$0] == nil })
            else { return HTTPResponse(status: .badRequest) }
            for (name, value) in update { client[name] = value }
        }
        state.change(&client)
        state.clients[id] = client
        return .json(.object(client))
    }

    private static func token(_ request: HTTPRequest, _ state: State) -> HTTPResponse {
        let parameters = request.body.text ?? ""
        guard state.acceptsClients, state.clients.keys.contains(where: { parameters.contains("client_id=\($0)") })
        else { return HTTPResponse(status: .unauthorized, body: HTTPBody(#"{"error":"invalid_client"}"#)) }
        return .json(["access_token": "a", "token_type": "Bearer", "expires_in": 60])
    }

    func forget() { state.withLock { $0.clients = [:] } }

    /// The methods and paths of the requests without those for metadata.
    var calls: [String] {
        state.withLock { state in
            state.requests.filter { !$0.path.hasPrefix("/.well-known") }.map { "\($0.method.rawValue) \($0.path)" }
        }
    }

    func registrar(
        _ secrets: any SecretStore, existing: ClientRegistration? = nil, documentURL: URL? = nil,
        _ configure: (inout ClientMetadata) -> Void = { _ in }
    ) throws -> ClientRegistrar {
        var metadata = ClientMetadata(redirectURIs: [Self.issuer.appending(path: "callback")], name: "Notes")
        configure(&metadata)
        return try ClientRegistrar(
            issuer: Self.issuer, metadata: metadata, secrets: secrets, existing: existing, documentURL: documentURL,
            transport: self, clock: clock.wallClock())
    }

    /// Requests a token with a registration.
    @Sendable func token(_ registration: ClientRegistration) async throws -> String {
        let client = AuthorizationClient(
            OAuthConfiguration(issuer: Self.issuer, registration: registration), transport: self,
            clock: clock.wallClock())
        return try await client.tokens(for: ClientCredentialsGrant()).tokens.access
    }
}
