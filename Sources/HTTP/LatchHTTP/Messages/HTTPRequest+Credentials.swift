// SPDX-License-Identifier: Apache-2.0

private enum CredentialFields: HTTPContextKey {
    static var defaultValue: [HTTPFieldName] { [] }
}

private enum CredentialQueryNames: HTTPContextKey {
    static var defaultValue: [String] { [] }
}

extension HTTPRequest {
    /// The names of fields that carry a credential, beside those that always do.
    ///
    /// They are dropped where a redirect leaves the origin, and are not for logs. What authorises a request with a
    /// field of its own, such as `X-Api-Key`, adds its name here.
    public var credentialFields: [HTTPFieldName] {
        get { context[CredentialFields.self] }
        set { context[CredentialFields.self] = newValue }
    }

    /// Whether a field carries a credential in this request.
    public func isCredential(_ name: HTTPFieldName) -> Bool {
        Self.alwaysCredentials.contains(name) || credentialFields.contains(name)
    }

    /// The names of query parameters whose values are secrets, as they read once percent-decoded.
    ///
    /// They are not for logs. What authorises a request with a parameter of its own, such as `api_key`, adds its name
    /// here.
    public var credentialQueryNames: [String] {
        get { context[CredentialQueryNames.self] }
        set { context[CredentialQueryNames.self] = newValue }
    }

    /// Leaves the request without anything that says who sends it.
    mutating func removeCredentials() {
        for name in Self.alwaysCredentials + credentialFields { fields[name] = nil }
    }

    /// RFC 9110 §11.6.2 and §11.7.2, RFC 6265 §5.4, RFC 9449 §4.1.
    private static let alwaysCredentials: [HTTPFieldName] = [
        .authorization, .cookie, "Proxy-Authorization", "DPoP",
    ]
}
