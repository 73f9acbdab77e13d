// SPDX-License-Identifier: Apache-2.0

/// Sets header fields on each request.
///
/// ```swift
/// FieldsInterceptor([.accept: "application/json", .userAgent: "Notes/2.1"])
/// ```
///
/// It is not for secrets: a credential belongs to a `CredentialInterceptor`, which sends it nowhere but to its scope.
public struct FieldsInterceptor: Interceptor {
    private let fields: @Sendable (HTTPRequest) async throws -> HTTPFields
    private let replaces: Bool

    /// An interceptor with the same fields for each request.
    ///
    /// - Parameter replaces: Whether fields that the request has already give way; otherwise they stay.
    public init(_ fields: HTTPFields, replacing replaces: Bool = true) {
        self.init(replacing: replaces) { _ in fields }
    }

    /// An interceptor that asks for the fields of each request.
    public init(
        replacing replaces: Bool = true, _ fields: @escaping @Sendable (HTTPRequest) async throws -> HTTPFields
    ) {
        self.fields = fields
        self.replaces = replaces
    }

    /// An interceptor for the User-Agent field (RFC 9110 §10.1.5).
    public static func userAgent(_ product: String) -> FieldsInterceptor { FieldsInterceptor([.userAgent: product]) }

    /// An interceptor that says which version of an API is spoken.
    public static func apiVersion(_ version: String, in name: HTTPFieldName = "X-API-Version") -> FieldsInterceptor {
        FieldsInterceptor([name: version])
    }

    /// Asks `next` with the fields set; a name that stands in several lines keeps all of them.
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
