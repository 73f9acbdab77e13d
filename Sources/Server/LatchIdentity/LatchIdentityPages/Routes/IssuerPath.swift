// SPDX-License-Identifier: Apache-2.0

import LatchHTTP
package import LatchServer

extension Router {
    /// Adds routes, and adds them once more below the path of the issuer: some proxies remove that path, others do not.
    ///
    /// A few paths then mean two things: with the issuer `https://example.com/auth`, `/auth/login` is the form of a page
    /// whose path is in place, and a JSON route whose path was removed. The content decides: only pages send forms.
    ///
    /// - Parameter path: The path of the issuer without a slash at its end; empty for none.
    package mutating func merge(_ routes: Router, alsoBelow path: String) {
        merge(routes)
        guard !path.isEmpty else { return }
        group(interceptors: [IssuerPathInterceptor(path: path)]) { $0.merge(routes, below: path) }
        let known = Set(routes.routes.map { "\($0.method) \($0.pattern)" })
        for route in routes.routes where known.contains("\(route.method) \(path)\(route.pattern)") {
            on(route.method, path + route.pattern, handledBy: FormDispatch(path: path, routes: routes))
        }
    }
}

/// An interceptor that removes the path of the issuer, so that an endpoint sees its own path.
private struct IssuerPathInterceptor: Filter {
    let path: String

    func filter(_ request: inout HTTPRequest) -> Filtering<Void> {
        request.removePrefix(path)
        return .proceed(())
    }
}

/// A handler of a path that exists with and without the path of the issuer.
private struct FormDispatch: Handler {
    let path: String
    let routes: Router

    func respond(to request: HTTPRequest) async throws -> HTTPResponse {
        var request = request
        if request.mediaType == "application/x-www-form-urlencoded" { request.removePrefix(path) }
        return try await routes.respond(to: request)
    }
}

extension HTTPRequest {
    /// Removes the beginning of the path; a path that spells it in another way stays.
    fileprivate mutating func removePrefix(_ prefix: String) {
        guard path.utf8.starts(with: prefix.utf8) else { return }
        path = String(Substring(path.utf8.dropFirst(prefix.utf8.count)))
    }
}
