// SPDX-License-Identifier: Apache-2.0

/// An interceptor that sets header fields on each request.
///
/// ```swift
/// HeaderInterceptor([.accept: "application/json", .userAgent: "Notes/2.1"])
/// ```
///
/// Do not use it for secrets: a `CredentialInterceptor` sends a credential only to its scope.
public struct HeaderInterceptor: Interceptor {
    private let fields: @Sendable (HTTPRequest) async throws -> HTTPFields
    private let replaces: Bool

    /// Creates an interceptor with the same fields for each request.
    ///
    /// - Parameters:
    ///   - fields: The header fields to set.
    ///   - replaces: Whether existing fields of the request are replaced; otherwise they are kept.
    public init(_ fields: HTTPFields, replacing replaces: Bool = true) {
        self.init(replacing: replaces) { _ in fields }
    }

    /// Creates an interceptor with fields that are computed for each request.
    public init(
        replacing replaces: Bool = true, _ fields: @escaping @Sendable (HTTPRequest) async throws -> HTTPFields
    ) {
        self.fields = fields
        self.replaces = replaces
    }

    /// Calls `next` with the fields set; a name that occurs more than once keeps all its lines.
    public func intercept(_ request: HTTPRequest, next: any Handler) async throws -> HTTPResponse {
        var request = request
        let own = request.fields
        let added = try await fields(request)
        for (index, line) in added.enumerated() where replaces || own[line.name] == nil {
            if added[..<index].contains(where: { $0.name == line.name }) {
                request.fields.append(line.value, for: line.name)
            } else {
                request.fields[line.name] = line.value
            }
        }
        return try await next.respond(to: request)
    }
}
