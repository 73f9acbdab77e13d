// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials

// Routes whose answer says all with its status, or is taken as it comes.

extension Route where Answer == Void {
    /// GET whose answer's content does not matter.
    public static func get(_ path: String, query: [(String, String)] = []) -> Route {
        Route(.get, path, query: query, sending: .nothing)
    }

    /// DELETE whose answer's content does not matter.
    public static func delete(_ path: String, query: [(String, String)] = []) -> Route {
        Route(.delete, path, query: query, sending: .nothing)
    }

    /// POST without content whose answer's content does not matter.
    public static func post(_ path: String, query: [(String, String)] = []) -> Route {
        Route(.post, path, query: query, sending: .nothing)
    }

    /// POST of JSON whose answer's content does not matter.
    public static func post(
        _ path: String, query: [(String, String)] = [], json: any Encodable & Sendable
    ) -> Route {
        Route(.post, path, query: query, sending: .json(json))
    }

    /// POST of a form whose answer's content does not matter.
    public static func post(_ path: String, query: [(String, String)] = [], form: [(String, String)]) -> Route {
        Route(.post, path, query: query, sending: .form(form))
    }

    /// PUT of JSON whose answer's content does not matter.
    public static func put(
        _ path: String, query: [(String, String)] = [], json: any Encodable & Sendable
    ) -> Route {
        Route(.put, path, query: query, sending: .json(json))
    }

    /// PATCH of JSON whose answer's content does not matter.
    public static func patch(
        _ path: String, query: [(String, String)] = [], json: any Encodable & Sendable
    ) -> Route {
        Route(.patch, path, query: query, sending: .json(json))
    }

    private init(_ method: HTTPMethod, _ path: String, query: [(String, String)], sending content: RouteContent) {
        self.init(
            method, path, query: query, accept: nil, body: { try content.encoded(by: $0) },
            answer: { response, _ in try response.requireSuccess() })
    }
}

extension Route where Answer == HTTPResponse {
    /// Any method; the answer is the response as it came, whatever its status.
    public static func raw(
        _ method: HTTPMethod, _ path: String, query: [(String, String)] = [], body: HTTPBody = .empty
    ) -> Route {
        Route(method, path, query: query, body: body) { $0 }
    }
}

extension HTTPResponse {
    /// This response if its status is a success.
    ///
    /// - Throws: `HTTPError.unacceptableStatus`, which carries the response.
    public func requireSuccess() throws(HTTPError) {
        guard status.isSuccess else { throw .unacceptableStatus(self) }
    }
}
