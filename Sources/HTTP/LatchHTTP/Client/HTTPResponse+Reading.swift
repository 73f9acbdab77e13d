// SPDX-License-Identifier: Apache-2.0

package import PortableFoundation

extension HTTPResponse {
    /// This response if its status is a success.
    ///
    /// - Throws: `HTTPError.unacceptableStatus`, which carries the response.
    public func requireSuccess() throws(HTTPError) {
        guard status.isSuccess else { throw .unacceptableStatus(self) }
    }

    /// The same for an answer that may be a stream: the error carries what an error is likely to say, in memory.
    ///
    /// - Throws: `HTTPError.unacceptableStatus`.
    package func checkSuccess() async throws {
        guard !status.isSuccess else { return }
        throw HTTPError.unacceptableStatus(try await beginning(upTo: Self.largestError))
    }

    /// This response with its content in memory.
    ///
    /// - Throws: `HTTPError.tooLarge`, and what the stream throws.
    package func collected(upTo limit: Int = largestContent) async throws -> HTTPResponse {
        guard body.stream != nil else { return self }
        var response = self
        let content = try await body.collected(upTo: limit)
        response.body = HTTPBody(content, trailers: body.trailers)
        return response
    }

    /// The content as JSON of a type.
    ///
    /// No content is nil where the type is optional: RFC 9110 §15.3.5, §15.3.6 and §15.4.5 have none, and some servers
    /// answer so with 200.
    ///
    /// - Throws: `HTTPError.unacceptableStatus` and `HTTPError.undecodable`, both with the response.
    package func decoded<Answer: Decodable>(by decoder: JSONDecoder) async throws -> Answer {
        let optional = Answer.self as? any EmptyAnswer.Type
        if status == 304, let none = optional?.empty as? Answer { return none }
        try await checkSuccess()
        let response = try await collected()
        if response.body.bytes.isEmpty, let none = optional?.empty as? Answer { return none }
        do {
            return try decoder.decode(Answer.self, from: Data(response.body.bytes))
        } catch {
            throw HTTPError.undecodable(error.whereAndWhat, response: response)
        }
    }

    /// What a transport allows an answer in memory.
    package static let largestContent = 64 << 20

    /// An error that is longer says nothing that a program reads.
    private static let largestError = 1 << 20

    /// This response with so much of its content; the rest is not read.
    ///
    /// - Throws: Only `HTTPError.cancelled`: that the content breaks off is less than what the status says.
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

/// A type of answer that can say that there is none.
private protocol EmptyAnswer {
    static var empty: Self { get }
}

extension Optional: EmptyAnswer {
    fileprivate static var empty: Self { .none }
}

extension Error {
    /// Where in the content and what, without the content itself: it may hold secrets.
    package var whereAndWhat: String {
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
