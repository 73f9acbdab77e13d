// SPDX-License-Identifier: Apache-2.0

public import PortableFoundation
internal import LatchCrypto
public import LatchHTTP

/// A key that stands for the program, in a header field or in a query parameter.
///
/// ```swift
/// APIKey("…")                         // X-API-Key
/// APIKey("…", inField: "X-Service")
/// APIKey("…", inQuery: "api_key")     // prefer a field: addresses end up in logs of servers and proxies
/// ```
public struct APIKey: SessionCredential {
    /// Where the key is put.
    public enum Place: Sendable, Hashable {
        /// In the header field of this name.
        case field(String)
        /// In the query parameter of this name.
        case query(String)
    }

    /// The key as it is sent.
    public let value: String
    /// Where it is put.
    public let place: Place

    /// A key in a header field.
    public init(_ value: String, inField field: HTTPFieldName = "X-API-Key") {
        self.value = value
        place = .field(field.rawName)
    }

    /// A key in a query parameter.
    public init(_ value: String, inQuery parameter: String) {
        self.value = value
        place = .query(parameter)
    }

    /// Not known: the key does not say.
    public var expiry: Date? { nil }

    /// Sets the field or the parameter, once, however often it is called, and marks it as a secret.
    public func authorize(_ request: inout HTTPRequest) {
        switch place {
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
        left.place == right.place && constantTimeEquals(left.value.utf8, right.value.utf8)
    }
}

extension APIKey: Codable {
    private enum CodingKeys: String, CodingKey { case value = "key", field, query }

    /// Writes the key and the name of its place.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(value, forKey: .value)
        switch place {
        case .field(let name): try container.encode(name, forKey: .field)
        case .query(let name): try container.encode(name, forKey: .query)
        }
    }

    /// Reads what ``encode(to:)`` wrote; a key without a place is one for the usual field.
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
    /// Where the key is put.
    public var description: String {
        switch place {
        case .field(let name): "APIKey(field: \(name), redacted)"
        case .query(let name): "APIKey(query: \(name), redacted)"
        }
    }
}
