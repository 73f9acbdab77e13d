// SPDX-License-Identifier: Apache-2.0

internal import LatchCrypto
internal import LatchFoundation
public import LatchHTTP

/// An API key in a header field or in a query parameter.
///
/// ```swift
/// APIKey("…")                         // X-API-Key
/// APIKey("…", inField: "X-Service")
/// APIKey("…", inQuery: "api_key")     // prefer a field: URLs end up in logs of servers and proxies
/// ```
public struct APIKey: SessionCredential, Codable {
    /// The key in the form that is sent.
    private let key: String
    /// The header field that carries the key.
    private var field: String?
    /// The query parameter that carries the key; nil if a header field does.
    private var query: String?

    /// Creates a key in a header field.
    public init(_ value: String, inField field: HTTPFieldName = "X-API-Key") {
        key = value
        self.field = field.rawName
    }

    /// Creates a key in a query parameter.
    public init(_ value: String, inQuery parameter: String) {
        key = value
        query = parameter
    }

    /// The name of the header field; a stored key without a field or a parameter uses the default field.
    private var fieldName: HTTPFieldName { HTTPFieldName(field ?? "X-API-Key") }

    /// Sets the field or the parameter once, even if called repeatedly, and marks it as a secret.
    public func authorize(_ request: inout HTTPRequest) {
        if let query {
            request.setQueryParameter(query, to: key)
            request.markCredentials(query: [query])
        } else {
            request.fields[fieldName] = key
            request.markCredentials([fieldName])
        }
    }

    /// Compares the keys in constant time.
    public static func == (left: APIKey, right: APIKey) -> Bool {
        left.query == right.query && left.fieldName.rawName == right.fieldName.rawName
            && constantTimeEquals(left.key.utf8, right.key.utf8)
    }
}

extension APIKey: Redacting {
    /// The part of a request that carries the key.
    public var description: String {
        query.map { "APIKey(query: \($0), redacted)" } ?? "APIKey(field: \(fieldName.rawName), redacted)"
    }
}
