// SPDX-License-Identifier: Apache-2.0

public import PortableFoundation

/// A typed request and its typed answer.
///
/// ```swift
/// extension Route where Answer == User {
///     static func user(_ id: String) -> Self { .get("users/\(id)", as: User.self) }
/// }
/// let user = try await client.perform(.user("ada"))
/// ```
///
/// A verb says what is asked, `sending:` what goes along, `as:` what comes back:
///
/// ```swift
/// .post("users", json: user, as: User.self)          // JSON both ways
/// .post("files", multipart: form, as: File.self)     // a form with files
/// .put("picture", sending: .bytes(png, as: "image/png"))
/// .request("REPORT", "usage", sending: .json(question), as: Usage.self)
/// .text(.get, "robots.txt")                          // text, bytes, a stream, or the response as it came
/// .stream(.get, "export")
/// ```
public struct Route<Answer: Sendable>: Sendable {
    /// The method.
    public let method: HTTPMethod
    /// The path under the client's base URL.
    public let path: RoutePath
    /// The query's pairs, not encoded.
    public var query: [(String, String)]
    /// Fields of this request.
    public var fields: HTTPFields
    /// What is sent.
    public var content: RouteContent
    /// How long one transfer may take; nil leaves it to the client.
    public var timeout: Duration?
    /// What travels with the request inside the process.
    public var context: HTTPContext
    /// What the answer should be, for the Accept field.
    let accept: String?
    /// Reads any response with the client's decoder, or throws.
    let answer: @Sendable (HTTPResponse, JSONDecoder) async throws -> Answer

    /// A route that reads its answer in its own way; it gets every response, whatever the status.
    ///
    /// - Parameters:
    ///   - accept: The media types that `answer` can read, for the Accept field.
    ///   - answer: Gets the response and the client's decoder.
    public init(
        _ method: HTTPMethod, _ path: RoutePath, query: [(String, String)] = [], sending content: RouteContent,
        accept: String? = nil, decoding answer: @escaping @Sendable (HTTPResponse, JSONDecoder) async throws -> Answer
    ) {
        self.method = method
        self.path = path
        self.query = query
        self.content = content
        self.accept = accept
        self.answer = answer
        fields = [:]
        context = HTTPContext()
    }

    /// A route that reads its answer in its own way and needs no decoder for it; it gets every response.
    public init(
        _ method: HTTPMethod, _ path: RoutePath, query: [(String, String)] = [], body: HTTPBody = .empty,
        reading answer: @escaping @Sendable (HTTPResponse) async throws -> Answer
    ) {
        self.init(method, path, query: query, sending: .body(body)) { response, _ in try await answer(response) }
    }

    /// This route with a field set, in place of one of that name and of what the client or the content would set.
    public func field(_ name: HTTPFieldName, _ value: String) -> Route {
        var copy = self
        copy.fields[name] = value
        return copy
    }

    /// This route with a time that one transfer may take, in place of the client's.
    public func timeout(_ timeout: Duration) -> Route {
        var copy = self
        copy.timeout = timeout
        return copy
    }

    /// This route with a value that interceptors find in the request's context.
    public func context<Key: HTTPContextKey>(_ key: Key.Type, _ value: Key.Value) -> Route {
        var copy = self
        copy.context[key] = value
        return copy
    }

    /// This route with an answer that is read piece by piece.
    func streamed() -> Route {
        var copy = self
        copy.context[StreamedResponse.self] = true
        return copy
    }
}
