// SPDX-License-Identifier: Apache-2.0

/// A key in a header field.
public struct APIKeyToken: TokenModel, Codable, Hashable {
    /// The key.
    public let apiKey: String
    /// The field's name.
    public let headerName: String

    /// A key for a field.
    public init(apiKey: String, headerName: String = "X-API-Key") {
        self.apiKey = apiKey
        self.headerName = headerName
    }

    /// Sets the field.
    public func authorize(_ request: inout URLRequest) { request.setValue(apiKey, forHTTPHeaderField: headerName) }

    /// The key and its name as JSON.
    public func encode() throws -> Data { try JSONEncoder().encode(self) }

    /// The key that `encode()` wrote.
    public static func decode(from data: Data) throws -> APIKeyToken {
        try JSONDecoder().decode(APIKeyToken.self, from: data)
    }
}

extension APIKeyToken: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// The field's name without the key.
    public var description: String { "APIKeyToken(\(headerName): redacted)" }

    /// The same as `description`.
    public var debugDescription: String { description }

    /// A mirror without the key, so that `dump` shows none.
    public var customMirror: Mirror { Mirror(self, children: ["headerName": headerName], displayStyle: .struct) }
}
