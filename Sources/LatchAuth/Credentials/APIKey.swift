// SPDX-License-Identifier: Apache-2.0

public import FoundationEssentials
internal import LatchCrypto
public import LatchHTTP

/// A key that stands for the program, in a header field or in a query parameter.
///
/// ```swift
/// APIKey("…")                         // X-API-Key
/// APIKey("…", inField: "X-Service")
/// APIKey("…", inQuery: "api_key")     // prefer a field: addresses end up in logs of servers and proxies
/// ```
public struct APIKey: SessionCredential, Codable {
    /// Where the key is put.
    public enum Place: Sendable, Hashable, Codable {
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

extension APIKey: Redacting {
    /// Where the key is put.
    public var description: String {
        switch place {
        case .field(let name): "APIKey(field: \(name), redacted)"
        case .query(let name): "APIKey(query: \(name), redacted)"
        }
    }
}
