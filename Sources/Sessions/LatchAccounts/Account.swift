// SPDX-License-Identifier: Apache-2.0

public import LatchCore
import LatchOAuth

/// A user's account according to the server.
public struct Account: Sendable, Hashable {
    /// The server's identifier of the account.
    public var id: String
    /// The email address; empty for an account without one, such as that of a guest.
    public var email: String
    /// The name, if there is one.
    public var name: String?
    /// The tenant, if the server has tenants.
    public var tenantID: String?
    /// The names of the roles; empty if the server has none.
    public var roles: [String]
    /// The names of the permissions; empty if the server has none.
    public var permissions: [String]
    /// Whether the email address is confirmed; nil if the server did not state it.
    public var isEmailVerified: Bool?
    /// The phone number with its country code; nil for none.
    public var phone: String?
    /// Whether the user has entered a code that was sent to the number; nil without one.
    public var isPhoneVerified: Bool?
    /// The values of the app's own fields at sign-up, by field name.
    public var attributes: [String: String]
    /// The version of the terms that the user accepted at sign-up; nil if the server did not state it.
    public var acceptedTerms: String?
    /// Whether the user is a guest, who has nothing to sign in with yet.
    public var isGuest: Bool

    /// Creates an account.
    public init(
        id: String, email: String, name: String? = nil, tenantID: String? = nil, roles: [String] = [],
        permissions: [String] = [], isEmailVerified: Bool? = nil, attributes: [String: String] = [:],
        acceptedTerms: String? = nil, isGuest: Bool = false, phone: String? = nil, isPhoneVerified: Bool? = nil
    ) {
        self.id = id
        self.email = email
        self.name = name
        self.tenantID = tenantID
        self.roles = roles
        self.permissions = permissions
        self.isEmailVerified = isEmailVerified
        self.attributes = attributes
        self.acceptedTerms = acceptedTerms
        self.isGuest = isGuest
        self.phone = phone
        self.isPhoneVerified = isPhoneVerified
    }

    /// Creates an account from a JSON object: a response of the server, or the claims of its token.
    ///
    /// Backends name the identifier `id` or `sub`, and some use numbers. Returns nil without an identifier, or without
    /// both an email address and the statement whether the user is a guest.
    public init?(_ object: JSONObject) {
        let isGuest = (object["isGuest"] ?? object["is_guest"])?.boolValue
        guard let id = ["id", "sub", "_id"].lazy.compactMap({ object[$0]?.identifier }).first,
            let email = object["email"]?.stringValue ?? isGuest.map({ _ in "" })
        else { return nil }
        self.init(
            id: id, email: email, name: object["name"]?.stringValue, tenantID: object["tenantId"]?.stringValue,
            roles: Self.strings(object["roles"]), permissions: Self.strings(object["permissions"]),
            isEmailVerified: (object["emailVerified"] ?? object["email_verified"])?.boolValue,
            attributes: Self.texts(object["attributes"]), acceptedTerms: object["acceptedTerms"]?.stringValue,
            isGuest: isGuest ?? false, phone: (object["phone"] ?? object["phone_number"])?.stringValue,
            isPhoneVerified: (object["phoneVerified"] ?? object["phone_number_verified"])?.boolValue)
    }

    /// Returns the string members of an object by name, and drops the others.
    private static func texts(_ value: JSONValue?) -> [String: String] {
        (value?.objectValue ?? [:]).reduce(into: [:]) { $0[$1.key] = $1.value.stringValue }
    }

    /// Returns the string elements of an array, and drops the others.
    private static func strings(_ value: JSONValue?) -> [String] {
        value?.arrayValue?.compactMap(\.stringValue) ?? []
    }
}
