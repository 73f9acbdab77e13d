// SPDX-License-Identifier: Apache-2.0

/// A route that sends a value as JSON.
public protocol EncodableRoute: Route {
    /// What is sent.
    associatedtype Body: Encodable

    /// The value; nil sends nothing.
    var body: Body? { get }

    /// Writes the value; the configuration's encoder does, unless a route has one of its own.
    var bodyEncoder: JSONEncoder { get }
}

extension EncodableRoute {
    /// None: all is in the body.
    public var parameters: [String: String]? { nil }

    /// JSON, whatever the method.
    public var parameterEncoding: ParameterEncoding { .json }

    /// The configuration's.
    public var bodyEncoder: JSONEncoder { configurationsEncoder }

    /// The value as JSON.
    public func bodyData(using encoder: JSONEncoder) throws -> Data? {
        let own = bodyEncoder
        return try body.map { try (own === configurationsEncoder ? encoder : own).encode($0) }
    }
}

/// Stands for the encoder of the configuration, which a route does not know.
let configurationsEncoder = JSONEncoder()
