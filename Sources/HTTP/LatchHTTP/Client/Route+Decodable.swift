// SPDX-License-Identifier: Apache-2.0

import PortableFoundation

// Routes whose answer is JSON; 2xx is success, anything else is `HTTPError.unacceptableStatus` with the response.
// Where the answer is optional, no content is nil: 204, 205, 304, and a success with nothing in it.

extension Route where Answer: Decodable {
    /// Any method, answered with JSON.
    public static func request(
        _ method: HTTPMethod, _ path: RoutePath, query: [(String, String)] = [],
        sending content: RouteContent = .nothing, as answer: Answer.Type
    ) -> Route {
        Route(method, path, query: query, sending: content, accept: RouteContent.jsonMediaType) {
            try await $0.decoded(by: $1)
        }
    }

    /// GET, answered with JSON.
    public static func get(_ path: RoutePath, query: [(String, String)] = [], as answer: Answer.Type) -> Route {
        request(.get, path, query: query, as: answer)
    }

    /// DELETE, answered with JSON.
    public static func delete(_ path: RoutePath, query: [(String, String)] = [], as answer: Answer.Type) -> Route {
        request(.delete, path, query: query, as: answer)
    }

    /// POST, answered with JSON.
    public static func post(
        _ path: RoutePath, query: [(String, String)] = [], sending content: RouteContent = .nothing,
        as answer: Answer.Type
    ) -> Route {
        request(.post, path, query: query, sending: content, as: answer)
    }

    /// PUT, answered with JSON.
    public static func put(
        _ path: RoutePath, query: [(String, String)] = [], sending content: RouteContent, as answer: Answer.Type
    ) -> Route {
        request(.put, path, query: query, sending: content, as: answer)
    }

    /// PATCH, answered with JSON.
    public static func patch(
        _ path: RoutePath, query: [(String, String)] = [], sending content: RouteContent, as answer: Answer.Type
    ) -> Route {
        request(.patch, path, query: query, sending: content, as: answer)
    }

    /// POST of JSON, answered with JSON.
    public static func post(
        _ path: RoutePath, query: [(String, String)] = [], json: any Encodable & Sendable, as answer: Answer.Type
    ) -> Route {
        request(.post, path, query: query, sending: .json(json), as: answer)
    }

    /// POST of a form, answered with JSON.
    public static func post(
        _ path: RoutePath, query: [(String, String)] = [], form: [(String, String)], as answer: Answer.Type
    ) -> Route {
        request(.post, path, query: query, sending: .form(form), as: answer)
    }

    /// PUT of JSON, answered with JSON.
    public static func put(
        _ path: RoutePath, query: [(String, String)] = [], json: any Encodable & Sendable, as answer: Answer.Type
    ) -> Route {
        request(.put, path, query: query, sending: .json(json), as: answer)
    }

    /// PATCH of JSON, answered with JSON.
    public static func patch(
        _ path: RoutePath, query: [(String, String)] = [], json: any Encodable & Sendable, as answer: Answer.Type
    ) -> Route {
        request(.patch, path, query: query, sending: .json(json), as: answer)
    }
}
