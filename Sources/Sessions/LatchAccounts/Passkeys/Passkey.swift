// SPDX-License-Identifier: Apache-2.0

import LatchCore
public import LatchFoundation
import LatchHTTP

/// A passkey of an account, as the server lists it.
public struct Passkey: Sendable, Hashable, Identifiable {
    /// The identifier of the credential, in base64url.
    public let id: String
    /// The name, such as that of the device that created the passkey.
    public let name: String
    /// The date of the registration.
    public let createdAt: Date
    /// The date of the last sign-in with the passkey; nil before the first.
    public let lastUsedAt: Date?
    /// Whether the passkey is backed up, for example in the user's cloud (WebAuthn §6.1.3, BS).
    public let isBackedUp: Bool
    /// Whether the user's devices can share the passkey (WebAuthn §6.1.3, BE), so that losing a device does not lose
    /// it.
    public let isSynced: Bool
    /// Whether the passkey can sign in; false after the server has moved to another domain.
    public let isUsable: Bool

    /// Creates a passkey.
    public init(
        id: String, name: String, createdAt: Date, lastUsedAt: Date? = nil, isBackedUp: Bool = false,
        isSynced: Bool = false, isUsable: Bool = true
    ) {
        self.id = id
        self.name = name
        self.createdAt = createdAt
        self.lastUsedAt = lastUsedAt
        self.isBackedUp = isBackedUp
        self.isSynced = isSynced
        self.isUsable = isUsable
    }

    /// Creates the passkey of a response; nil without an identifier or a date.
    init?(_ object: JSONObject) {
        guard let id = object.filled("id"), let createdAt = object.timestamp("createdAt") else { return nil }
        self.init(
            id: id, name: object["name"]?.stringValue ?? "", createdAt: createdAt,
            lastUsedAt: object.timestamp("lastUsedAt"), isBackedUp: object["isBackedUp"]?.boolValue ?? false,
            isSynced: object["isSynced"]?.boolValue ?? false, isUsable: object["isUsable"]?.boolValue ?? true)
    }
}

extension AuthClient {
    /// Returns the passkeys of the signed-in user's account.
    ///
    /// - Throws: `AccountError.refused`, with the status 404 for a server without passkeys; `AuthError.missingToken` if
    ///   no user is signed in; `HTTPError`.
    public func passkeys() async throws -> [Passkey] {
        let members = try await passkeyResponse(to: .get, [])
        guard let list = members["passkeys"]?.arrayValue else { throw AccountError.invalidResponse }
        return list.compactMap { $0.objectValue.flatMap { Passkey($0) } }
    }

    /// Creates a passkey on this device, and adds it to the signed-in user's account.
    ///
    /// ```swift no-check
    /// let passkeys = PlatformPasskeys(from: window)
    /// try await auth.addPasskey(from: passkeys)
    /// try await auth.signIn(withPasskeyFrom: passkeys)
    /// ```
    ///
    /// - Parameters:
    ///   - provider: Creates the passkey.
    ///   - name: The name in the list of passkeys; nil for the server's name of this device.
    /// - Throws: `AccountError.passkeyCancelled` if the user cancels, `passkeyExists`, `passkeysUnavailable`,
    ///   `refused`; `AuthError.stepUpRequired` where a recent authentication is required; `HTTPError`.
    @discardableResult
    public func addPasskey(from provider: any PasskeyProvider, named name: String? = nil) async throws -> Passkey {
        let members = try await passkeyResponse(to: .post, ["options"], [:])
        guard let json = members["publicKey"]?.objectValue else { throw AccountError.invalidResponse }
        let registration = try await provider.create(try PasskeyCreationOptions(json: json))
        var content: JSONObject = ["credential": .object(registration.json)]
        if let name, !name.isEmpty { content["name"] = .string(name) }
        return try passkey(in: try await passkeyResponse(to: .post, [], content, conflict: .passkeyExists))
    }

    /// Renames a passkey of the signed-in user's account.
    ///
    /// - Throws: `AccountError.refused`, with the status 404 if the passkey no longer exists.
    @discardableResult
    public func renamePasskey(_ id: String, to name: String) async throws -> Passkey {
        try passkey(in: try await passkeyResponse(to: .patch, [id], ["name": .string(name)]))
    }

    /// Removes a passkey from the signed-in user's account, so that it can no longer sign in.
    ///
    /// The device keeps its part of the passkey, which the user can remove in the device's settings.
    ///
    /// - Throws: `AccountError.lastSignInMethod` if the user has no other sign-in method; `refused`, with the status
    ///   404 if the passkey no longer exists. `AuthError.stepUpRequired` where a recent authentication is required.
    public func removePasskey(_ id: String) async throws {
        _ = try await passkeyResponse(to: .delete, [id], conflict: .lastSignInMethod)
    }

    /// Sends a request to the folder of passkeys with the session's credential, and returns the members of the
    /// response.
    private func passkeyResponse(
        to method: HTTPMethod, _ segments: [String], _ content: JSONObject? = nil, conflict: AccountError = .refused
    ) async throws -> JSONObject {
        var path = RoutePath(endpoints.passkeys)
        for segment in segments { path = "\(path)/\(segment)" }
        let request =
            if let content {
                try client.request(
                    method, path, fields: [.contentType: "application/json", .accept: "application/json"],
                    body: HTTPBody(JSONValue.object(content).serialized()))
            } else {
                try client.request(method, path, fields: [.accept: "application/json"])
            }
        return try await client.respond(to: request).members(conflict: conflict)
    }

    private func passkey(in members: JSONObject) throws(AccountError) -> Passkey {
        guard let passkey = Passkey(members) else { throw .invalidResponse }
        return passkey
    }
}
