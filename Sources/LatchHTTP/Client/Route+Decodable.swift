// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials

// Routes whose answer is JSON; 2xx is success, anything else is `HTTPError.unacceptableStatus` with the response.

extension Route where Answer: Decodable {
    /// GET, answered with JSON.
    public static func get(_ path: String, query: [(String, String)] = [], as answer: Answer.Type) -> Route {
        Route(.get, path, query: query, sending: .nothing)
    }

    /// DELETE, answered with JSON.
    public static func delete(_ path: String, query: [(String, String)] = [], as answer: Answer.Type) -> Route {
        Route(.delete, path, query: query, sending: .nothing)
    }

    /// POST without content, answered with JSON.
    public static func post(_ path: String, query: [(String, String)] = [], as answer: Answer.Type) -> Route {
        Route(.post, path, query: query, sending: .nothing)
    }

    /// POST of JSON, answered with JSON.
    public static func post(
        _ path: String, query: [(String, String)] = [], json: any Encodable & Sendable, as answer: Answer.Type
    ) -> Route {
        Route(.post, path, query: query, sending: .json(json))
    }

    /// POST of a form, answered with JSON.
    public static func post(
        _ path: String, query: [(String, String)] = [], form: [(String, String)], as answer: Answer.Type
    ) -> Route {
        Route(.post, path, query: query, sending: .form(form))
    }

    /// PUT of JSON, answered with JSON.
    public static func put(
        _ path: String, query: [(String, String)] = [], json: any Encodable & Sendable, as answer: Answer.Type
    ) -> Route {
        Route(.put, path, query: query, sending: .json(json))
    }

    /// PATCH of JSON, answered with JSON.
    public static func patch(
        _ path: String, query: [(String, String)] = [], json: any Encodable & Sendable, as answer: Answer.Type
    ) -> Route {
        Route(.patch, path, query: query, sending: .json(json))
    }

    private init(_ method: HTTPMethod, _ path: String, query: [(String, String)], sending content: RouteContent) {
        self.init(
            method, path, query: query, accept: RouteContent.json,
            body: { try content.encoded(by: $0) },
            answer: { response, decoder in
                try response.requireSuccess()
                do {
                    return try decoder.decode(Answer.self, from: Data(response.body.bytes))
                } catch {
                    throw HTTPError.undecodable(error.whereAndWhat, response: response)
                }
            })
    }
}

extension Error {
    /// Where in the content and what, without the content itself: it may hold secrets.
    fileprivate var whereAndWhat: String {
        guard let error = self as? DecodingError else { return "it is no JSON." }
        return switch error {
        case .typeMismatch(let type, let context): "\(context.codingPath.place) there is no \(type)."
        case .valueNotFound(let type, let context): "\(context.codingPath.place) a \(type) is missing."
        case .keyNotFound(let key, let context): "\(context.codingPath.place) '\(key.stringValue)' is missing."
        case .dataCorrupted(let context): "\(context.codingPath.place) it is malformed."
        @unknown default: "it is malformed."
        }
    }
}
