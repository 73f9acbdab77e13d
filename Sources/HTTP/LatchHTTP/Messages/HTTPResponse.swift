// SPDX-License-Identifier: Apache-2.0

package import LatchFoundation

/// A response as a value (RFC 9110 §3.9).
public struct HTTPResponse: Sendable {
    /// The status of the final response, such as 404.
    public var status: HTTPStatus
    /// The header fields.
    public var fields: HTTPFields
    /// The content.
    public var body: HTTPBody

    /// Creates a response.
    public init(status: HTTPStatus, fields: HTTPFields = [:], body: HTTPBody = .empty) {
        self.status = status
        self.fields = fields
        self.body = body
    }
}

extension HTTPResponse {
    /// Checks that the status is a success.
    ///
    /// - Throws: `HTTPError.unacceptableStatus`, which carries the response.
    public func requireSuccess() throws(HTTPError) {
        guard status.isSuccess else { throw .unacceptableStatus(self) }
    }

    /// Checks that the status is a success; the error of a streamed response carries the beginning of its content.
    ///
    /// - Throws: `HTTPError.unacceptableStatus`.
    package func checkSuccess() async throws {
        guard !status.isSuccess else { return }
        throw HTTPError.unacceptableStatus(try await beginning(upTo: Self.maximumErrorBytes))
    }

    /// Returns this response with its content in memory.
    ///
    /// - Throws: `HTTPError.tooLarge`, and the errors of the stream.
    package func collected(upTo limit: Int = defaultMaximumBytes) async throws -> HTTPResponse {
        guard body.stream != nil else { return self }
        var response = self
        let content = try await body.collected(upTo: limit)
        response.body = HTTPBody(content, trailers: body.trailers)
        return response
    }

    /// Decodes the content as JSON.
    ///
    /// Missing content decodes as nil if the type is optional. Responses of RFC 9110 §15.3.5, §15.3.6 and §15.4.5 have
    /// none, and some servers also send an empty 200.
    ///
    /// - Throws: `HTTPError.unacceptableStatus` and `HTTPError.undecodable`, both with the response.
    package func decoded<Response: Decodable>(by decoder: JSONDecoder) async throws -> Response {
        let optional = Response.self as? any EmptyResponse.Type
        if status == 304, let none = optional?.empty as? Response { return none }
        try await checkSuccess()
        let response = try await collected()
        if response.body.bytes.isEmpty, let none = optional?.empty as? Response { return none }
        do {
            return try decoder.decode(Response.self, from: Data(response.body.bytes))
        } catch {
            throw HTTPError.undecodable(error.decodingFailureDescription, response: response)
        }
    }

    /// The number of bytes that a transport accepts for a response in memory.
    package static let defaultMaximumBytes = 64 << 20

    /// The maximum number of bytes that are kept of an error response.
    private static let maximumErrorBytes = 1 << 20

    /// Returns this response with the beginning of its content; the rest is not read.
    ///
    /// - Throws: Only `HTTPError.cancelled`; the status matters more than an interrupted transfer.
    private func beginning(upTo limit: Int) async throws -> HTTPResponse {
        guard let stream = body.stream else { return self }
        var bytes: [UInt8] = []
        do {
            for try await chunk in stream {
                bytes.append(contentsOf: chunk.prefix(limit - bytes.count))
                if bytes.count == limit { break }
            }
        } catch {
            guard !Task.isCancelled else { throw HTTPError.cancelled }
        }
        var response = self
        response.body = HTTPBody(bytes)
        return response
    }
}

/// A response type that can represent missing content.
private protocol EmptyResponse {
    static var empty: Self { get }
}

extension Optional: EmptyResponse {
    fileprivate static var empty: Self { .none }
}

extension Error {
    /// The location and the kind of a decoding failure, without the content itself, which may hold secrets.
    package var decodingFailureDescription: String {
        guard let error = self as? DecodingError else { return "it is not JSON." }
        return switch error {
        case .typeMismatch(let type, let context): "\(context.codingPath.pathDescription) there is no \(type)."
        case .valueNotFound(let type, let context): "\(context.codingPath.pathDescription) a \(type) is missing."
        case .keyNotFound(let key, let context):
            "\(context.codingPath.pathDescription) '\(key.stringValue)' is missing."
        case .dataCorrupted(let context): "\(context.codingPath.pathDescription) it is malformed."
        @unknown default: "it is malformed."
        }
    }
}
