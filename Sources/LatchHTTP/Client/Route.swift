// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials

/// A typed request and its typed answer.
///
/// ```swift
/// extension Route where Answer == User {
///     static func user(_ id: String) -> Self { .get("users/\(id)", as: User.self) }
/// }
/// let user = try await client.perform(.user("ada"))
/// ```
public struct Route<Answer: Sendable>: Sendable {
    /// The method.
    public let method: HTTPMethod
    /// The path under the client's base URL.
    public let path: String
    /// The query's pairs, not encoded.
    public var query: [(String, String)]
    /// Fields of this request.
    public var fields: HTTPFields
    /// What the answer should be, for the Accept field.
    let accept: String?
    /// Writes the content with the client's encoder, which the route does not know before.
    let body: @Sendable (JSONEncoder) throws -> RouteContent.Encoded
    /// Reads any response with the client's decoder, or throws.
    let answer: @Sendable (HTTPResponse, JSONDecoder) throws -> Answer

    init(
        _ method: HTTPMethod, _ path: String, query: [(String, String)], accept: String?,
        body: @escaping @Sendable (JSONEncoder) throws -> RouteContent.Encoded,
        answer: @escaping @Sendable (HTTPResponse, JSONDecoder) throws -> Answer
    ) {
        self.method = method
        self.path = path
        self.query = query
        fields = [:]
        self.accept = accept
        self.body = body
        self.answer = answer
    }

    /// A route that reads its answer in its own way; it gets every response, whatever the status.
    public init(
        _ method: HTTPMethod, _ path: String, query: [(String, String)] = [], body: HTTPBody = .empty,
        reading answer: @escaping @Sendable (HTTPResponse) throws -> Answer
    ) {
        self.init(
            method, path, query: query, accept: nil, body: { _ in .init(content: body) },
            answer: { r, _ in try answer(r) })
    }

    /// This route with a field set, in place of one of that name and of what the client or the content would set.
    public func field(_ name: HTTPFieldName, _ value: String) -> Route {
        var copy = self
        copy.fields[name] = value
        return copy
    }
}
