// SPDX-License-Identifier: Apache-2.0

import PortableFoundation

// Routes whose answer says all with its status: 2xx is success, anything else is `HTTPError.unacceptableStatus`.

extension Route where Answer == Void {
    /// Any method, whose answer's content does not matter.
    public static func request(
        _ method: HTTPMethod, _ path: RoutePath, query: [(String, String)] = [],
        sending content: RouteContent = .nothing
    ) -> Route {
        Route(method, path, query: query, sending: content) { response, _ in try await response.checkSuccess() }
    }

    /// GET whose answer's content does not matter.
    public static func get(_ path: RoutePath, query: [(String, String)] = []) -> Route {
        request(.get, path, query: query)
    }

    /// HEAD: the answer of GET without its content.
    public static func head(_ path: RoutePath, query: [(String, String)] = []) -> Route {
        request(.head, path, query: query)
    }

    /// DELETE whose answer's content does not matter.
    public static func delete(_ path: RoutePath, query: [(String, String)] = []) -> Route {
        request(.delete, path, query: query)
    }

    /// POST whose answer's content does not matter.
    public static func post(
        _ path: RoutePath, query: [(String, String)] = [], sending content: RouteContent = .nothing
    ) -> Route {
        request(.post, path, query: query, sending: content)
    }

    /// PUT whose answer's content does not matter.
    public static func put(
        _ path: RoutePath, query: [(String, String)] = [], sending content: RouteContent
    ) -> Route {
        request(.put, path, query: query, sending: content)
    }

    /// PATCH whose answer's content does not matter.
    public static func patch(
        _ path: RoutePath, query: [(String, String)] = [], sending content: RouteContent
    ) -> Route {
        request(.patch, path, query: query, sending: content)
    }

    /// POST of JSON whose answer's content does not matter.
    public static func post(
        _ path: RoutePath, query: [(String, String)] = [], json: any Encodable & Sendable
    ) -> Route {
        request(.post, path, query: query, sending: .json(json))
    }

    /// POST of a form whose answer's content does not matter.
    public static func post(_ path: RoutePath, query: [(String, String)] = [], form: [(String, String)]) -> Route {
        request(.post, path, query: query, sending: .form(form))
    }

    /// PUT of JSON whose answer's content does not matter.
    public static func put(
        _ path: RoutePath, query: [(String, String)] = [], json: any Encodable & Sendable
    ) -> Route {
        request(.put, path, query: query, sending: .json(json))
    }

    /// PATCH of JSON whose answer's content does not matter.
    public static func patch(
        _ path: RoutePath, query: [(String, String)] = [], json: any Encodable & Sendable
    ) -> Route {
        request(.patch, path, query: query, sending: .json(json))
    }
}
