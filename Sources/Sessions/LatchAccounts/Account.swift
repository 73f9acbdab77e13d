// SPDX-License-Identifier: Apache-2.0

public import LatchCore

/// A person as the server describes them.
public struct Account: Sendable, Hashable {
    /// The server's identifier.
    public var id: String
    /// The e-mail address.
    public var email: String
    /// The name, where one was given.
    public var name: String?
    /// The tenant, where the server has such.
    public var tenantID: String?
    /// The roles.
    public var roles: [String]
    /// The permissions.
    public var permissions: [String]
    /// Whether the e-mail address is confirmed; nil where the server did not say.
    public var isEmailVerified: Bool?

    /// An account from its parts.
    public init(
        id: String, email: String, name: String? = nil, tenantID: String? = nil, roles: [String] = [],
        permissions: [String] = [], isEmailVerified: Bool? = nil
    ) {
        self.id = id
        self.email = email
        self.name = name
        self.tenantID = tenantID
        self.roles = roles
        self.permissions = permissions
        self.isEmailVerified = isEmailVerified
    }

    /// An account from a JSON object: an answer of the server, or the claims of its token.
    ///
    /// Backends name the identifier `id` or `sub` and number it at times; nil where there is none, or no address.
    public init?(_ object: JSONObject) {
        guard let id = ["id", "sub", "_id"].lazy.compactMap({ Self.identifier(object[$0]) }).first,
            let email = object["email"]?.stringValue
        else { return nil }
        self.init(
            id: id, email: email, name: object["name"]?.stringValue, tenantID: object["tenantId"]?.stringValue,
            roles: Self.strings(object["roles"]), permissions: Self.strings(object["permissions"]),
            isEmailVerified: (object["emailVerified"] ?? object["email_verified"])?.boolValue)
    }

    /// An identifier as text; an empty one is none.
    private static func identifier(_ value: JSONValue?) -> String? {
        if let text = value?.stringValue { return text.isEmpty ? nil : text }
        return value?.intValue.map { String($0) }
    }

    /// The texts of an array; whatever else a backend puts between them is left out.
    private static func strings(_ value: JSONValue?) -> [String] {
        value?.arrayValue?.compactMap(\.stringValue) ?? []
    }
}
