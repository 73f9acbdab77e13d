// SPDX-License-Identifier: Apache-2.0

public import LatchAuth
public import LatchCore
import LatchFoundation
import LatchHTTP

/// A client that a program has registered itself (RFC 7591 §3.2.1), with the token that manages the registration
/// (RFC 7592 §3).
public struct RegisteredClient: Sendable, Hashable {
    /// The registration, for an ``OAuthConfiguration``.
    public let registration: ClientRegistration
    /// The members of the server's response, some of which are secrets.
    private let members: JSONObject
    /// The members whose values are secrets.
    private static let secrets = ["client_secret", "registration_access_token"]

    /// Decodes a response of a registration endpoint.
    ///
    /// - Parameter requested: The method of authentication if the response names none.
    /// - Throws: `OAuthError.invalidResponse`.
    init(
        _ members: JSONObject, requested: ClientRegistration.Authentication, status: HTTPStatus? = nil
    ) throws(OAuthError) {
        guard let clientID = members["client_id"]?.stringValue, !clientID.isEmpty else {
            throw .invalidResponse("it has no client_id", status: status)
        }
        // RFC 7591 §3.2.1: the server may have changed any member.
        let method = members["token_endpoint_auth_method"]?.stringValue
        guard let authentication = method.map({ .init(metadataValue: $0) }) ?? requested else {
            throw .invalidResponse("it has a method of authentication that is not supported here")
        }
        registration = ClientRegistration(
            clientID: clientID, secret: members["client_secret"]?.stringValue, authentication: authentication)
        var members = members
        members["token_endpoint_auth_method"] = .string(authentication.metadataValue)
        self.members = members
    }

    /// The metadata as the server registered it, without secrets.
    public var metadata: JSONObject { JSONObject(members.filter { !Self.secrets.contains($0.key) }) }

    /// The URL of the registration, and the token for it (RFC 7592 §3); nil if the server gave none.
    var management: (url: URL, token: String)? {
        guard let url = members["registration_client_uri"]?.stringValue.flatMap({ URL(encodingOnce: $0) }),
            let token = members["registration_access_token"]?.stringValue, !token.isEmpty
        else { return nil }
        return (url, token)
    }

    /// Whether the client secret has expired at a date (RFC 7591 §3.2.1: zero means never).
    func isExpired(at date: Date) -> Bool {
        guard registration.secret != nil, let end = members["client_secret_expires_at"]?.doubleValue, end > 0 else {
            return false
        }
        return date.timeIntervalSince1970 >= end
    }

    /// Returns the client after a response about it, which may contain a new token and a new secret (RFC 7592 §3).
    ///
    /// - Throws: `OAuthError.invalidResponse` if the response is about another client.
    func updated(by response: JSONObject) throws(OAuthError) -> RegisteredClient {
        var response = response
        for name in Self.secrets + ["registration_client_uri"] where response[name]?.stringValue == nil {
            response[name] = members[name]
        }
        let updated = try RegisteredClient(response, requested: registration.authentication)
        guard updated.registration.clientID == registration.clientID else {
            throw .invalidResponse("it is about another client")
        }
        return updated
    }

    // MARK: The store

    /// The secret to store.
    var stored: [UInt8] { JSONValue.object(members).serialized() }

    /// Creates a client from a stored secret; nil if it is not one.
    init?(stored: [UInt8]) {
        do {
            guard let members = try JSONValue(parsing: stored).objectValue else { return nil }
            try self.init(members, requested: .none)
        } catch {
            return nil
        }
    }
}

extension RegisteredClient: Redacting {
    /// The client identifier, without the secrets.
    public var description: String { "RegisteredClient(\(registration.clientID ?? ""))" }
}
