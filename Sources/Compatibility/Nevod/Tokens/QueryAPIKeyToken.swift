// SPDX-License-Identifier: Apache-2.0

import LatchAuth

/// A key in a query parameter.
///
/// Prefer a field where the service takes one: URLs end up in the logs of servers and proxies.
public struct QueryAPIKeyToken: TokenModel, Codable, Hashable {
    /// The key.
    public let apiKey: String
    /// The parameter's name.
    public let paramName: String

    /// A key for a parameter.
    public init(apiKey: String, paramName: String = "api_key") {
        self.apiKey = apiKey
        self.paramName = paramName
    }

    /// Sets the parameter, once, however often it is called, and encodes all of it.
    public func authorize(_ request: inout URLRequest) {
        request.authorize { APIKey(apiKey, inQuery: paramName).authorize(&$0) }
    }

    /// The key and its name as JSON.
    public func encode() throws -> Data { try JSONEncoder().encode(self) }

    /// The key that `encode()` wrote.
    public static func decode(from data: Data) throws -> QueryAPIKeyToken {
        try JSONDecoder().decode(QueryAPIKeyToken.self, from: data)
    }
}

extension QueryAPIKeyToken: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// The parameter's name without the key.
    public var description: String { "QueryAPIKeyToken(\(paramName): redacted)" }

    /// The same as `description`.
    public var debugDescription: String { description }

    /// A mirror without the key, so that `dump` shows none.
    public var customMirror: Mirror { Mirror(self, children: ["paramName": paramName], displayStyle: .struct) }
}
