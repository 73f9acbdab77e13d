// SPDX-License-Identifier: Apache-2.0

/// Makes one middleware of several, which are applied in order.
///
/// ```swift
/// @RequestBuilder
/// func editUser(_ id: Int) -> RequestMiddleware {
///     "/users/\(id)"
///     Method.put
///     header(key: "Accept", value: "application/json")
/// }
/// ```
@resultBuilder
public enum RequestBuilder {
    /// All of them, one after the other.
    public static func buildBlock(_ components: RequestMiddleware...) -> RequestMiddleware { buildArray(components) }

    /// All of them, one after the other.
    public static func buildArray(_ components: [RequestMiddleware]) -> RequestMiddleware {
        { request in try components.reduce(request) { try $1($0) } }
    }

    /// A middleware as it is.
    public static func buildExpression(_ middleware: @escaping RequestMiddleware) -> RequestMiddleware { middleware }

    /// A path, which replaces the request's.
    public static func buildExpression(_ newPath: Path) -> RequestMiddleware { path(newPath) }

    /// A method, which replaces the request's.
    public static func buildExpression(_ newMethod: Method) -> RequestMiddleware { method(newMethod) }

    /// What stands in an `if`, or nothing.
    public static func buildOptional(_ component: RequestMiddleware?) -> RequestMiddleware { component ?? identity }

    /// What stands in an `if`.
    public static func buildEither(first component: @escaping RequestMiddleware) -> RequestMiddleware { component }

    /// What stands in an `else`.
    public static func buildEither(second component: @escaping RequestMiddleware) -> RequestMiddleware { component }

    /// What stands behind an `#available`.
    public static func buildLimitedAvailability(_ component: @escaping RequestMiddleware) -> RequestMiddleware {
        component
    }
}
