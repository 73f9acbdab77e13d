// SPDX-License-Identifier: Apache-2.0

import PortableFoundation

// Routes whose answer is taken as it comes.

extension Route where Answer == HTTPResponse {
    /// Any method; the answer is the response as it came, whatever its status.
    public static func raw(
        _ method: HTTPMethod, _ path: RoutePath, query: [(String, String)] = [],
        sending content: RouteContent = .nothing
    ) -> Route {
        Route(method, path, query: query, sending: content) { response, _ in response }
    }

    /// The same with content whose media type, if it has one, is a field of the route.
    public static func raw(
        _ method: HTTPMethod, _ path: RoutePath, query: [(String, String)] = [], body: HTTPBody
    ) -> Route {
        raw(method, path, query: query, sending: .body(body))
    }
}

extension Route where Answer == [UInt8] {
    /// Any method; the answer is the content of a success, byte for byte.
    public static func bytes(
        _ method: HTTPMethod, _ path: RoutePath, query: [(String, String)] = [],
        sending content: RouteContent = .nothing
    ) -> Route {
        Route(method, path, query: query, sending: content) { response, _ in
            try await response.checkSuccess()
            return try await response.collected().body.bytes
        }
    }
}

extension Route where Answer == String {
    /// Any method; the answer is the content of a success as text, which has to be UTF-8.
    public static func text(
        _ method: HTTPMethod, _ path: RoutePath, query: [(String, String)] = [],
        sending content: RouteContent = .nothing
    ) -> Route {
        Route(method, path, query: query, sending: content) { response, _ in
            try await response.checkSuccess()
            let response = try await response.collected()
            guard let text = response.body.text else {
                throw HTTPError.undecodable("it is no text in UTF-8.", response: response)
            }
            return text
        }
    }
}

extension Route where Answer == HTTPBodyStream {
    /// Any method; the answer is the content of a success as it arrives.
    ///
    /// The transfer lasts until the stream is read to its end or let go, and the timeout counts for all of it.
    public static func stream(
        _ method: HTTPMethod, _ path: RoutePath, query: [(String, String)] = [],
        sending content: RouteContent = .nothing
    ) -> Route {
        Route(method, path, query: query, sending: content) { response, _ in
            try await response.checkSuccess()
            return response.body.chunks
        }
        .streamed()
    }
}
