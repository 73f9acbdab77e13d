// SPDX-License-Identifier: Apache-2.0

internal import LatchCrypto
public import LatchHTTP
internal import PortableFoundation

/// An API key in a header field or in a query parameter.
///
/// ```swift
/// APIKey("…")                         // X-API-Key
/// APIKey("…", inField: "X-Service")
/// APIKey("…", inQuery: "api_key")     // prefer a field: URLs end up in logs of servers and proxies
/// ```
public struct APIKey: SessionCredential {
    /// The part of a request that carries the key.
    package enum Location: Sendable, Hashable {
        /// A header field.
        case field(String)
        /// A query parameter.
        case query(String)
    }

    /// The key as it is sent.
    package let value: String
    /// The part of a request that carries the key.
    package let location: Location

    /// Creates a key in a header field.
    public init(_ value: String, inField field: HTTPFieldName = "X-API-Key") {
        self.value = value
        location = .field(field.rawName)
    }

    /// Creates a key in a query parameter.
    public init(_ value: String, inQuery parameter: String) {
        self.value = value
        location = .query(parameter)
    }

    /// Sets the field or the parameter, once, however often it is called, and marks it as a secret.
    public func authorize(_ request: inout HTTPRequest) {
        switch location {
        case .field(let name):
            let name = HTTPFieldName(name)
            request.fields[name] = value
            request.markCredentials([name])
        case .query(let name):
            request.setQueryParameter(name, to: value)
            request.markCredentials(query: [name])
        }
    }

    /// Compares the keys in constant time.
    public static func == (left: APIKey, right: APIKey) -> Bool {
        left.location == right.location && constantTimeEquals(left.value.utf8, right.value.utf8)
    }
}

extension APIKey: Codable {
    private enum CodingKeys: String, CodingKey { case value = "key", field, query }

    /// Encodes the key and the name of its field or parameter.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(value, forKey: .value)
        switch location {
        case .field(let name): try container.encode(name, forKey: .field)
        case .query(let name): try container.encode(name, forKey: .query)
        }
    }

    /// Decodes a key; one without a field or parameter belongs into the usual field.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        let value = try container.decode(String.self, forKey: .value)
        if let parameter = try container.decodeIfPresent(String.self, forKey: .query) {
            self.init(value, inQuery: parameter)
        } else {
            let field = try container.decodeIfPresent(String.self, forKey: .field)
            self.init(value, inField: HTTPFieldName(field ?? "X-API-Key"))
        }
    }
}

extension APIKey: Redacting {
    /// The part of a request that carries the key.
    public var description: String {
        switch location {
        case .field(let name): "APIKey(field: \(name), redacted)"
        case .query(let name): "APIKey(query: \(name), redacted)"
        }
    }
}
