// SPDX-License-Identifier: Apache-2.0

public import Foundation
public import LatchAuth
import LatchCore
import LatchHTTP

extension HTTPRequestClient {
    /// What keeps a request from having the answer that was asked for.
    ///
    /// Description, reflection and dump show nothing of a content: it may hold tokens.
    public enum Error: LocalizedError, Sendable {
        /// The answer is none of HTTP.
        case invalidHTTPResponse(UUID)
        /// The status is no success: it, and the content as text.
        case badResponse(UUID, Int, String)
        /// The content has another shape than was asked for.
        case decodingError(UUID, DecodingError)
        /// There was no answer, for this reason.
        case other(UUID, any Swift.Error)

        /// The identifier of the request, as the server was told it.
        public var requestID: UUID {
            switch self {
            case .invalidHTTPResponse(let id), .badResponse(let id, _, _), .decodingError(let id, _), .other(let id, _):
                id
            }
        }

        /// What happened, for a person.
        public var errorDescription: String? {
            switch self {
            case .invalidHTTPResponse: "The answer is none of HTTP."
            case .badResponse(_, let status, _): "The server answered with status \(status)."
            case .decodingError(_, let error): "The answer could not be read: \(error.place)."
            // What a foreign error says of itself may quote what was sent.
            case .other(_, let error): (error as? any CodedError)?.message ?? "The request failed: \(type(of: error))."
            }
        }
    }
}

extension HTTPRequestClient.Error: Redacting {
    /// What happened, and the request's identifier.
    public var description: String { "\(errorDescription ?? "") (request \(requestID.uuidString.lowercased()))" }
}

extension DecodingError {
    /// Where in the content and what, without the content itself.
    public func debugDescription(for requestID: UUID) -> String {
        "\(place) (request \(requestID.uuidString.lowercased()))"
    }

    fileprivate var place: String {
        func at(_ context: Context, _ key: (any CodingKey)? = nil) -> String {
            let path = (context.codingPath + (key.map { [$0] } ?? [])).map {
                $0.intValue.map { "[\($0)]" } ?? ".\($0.stringValue)"
            }
            return path.isEmpty ? "at its top" : "at \(path.joined().drop { $0 == "." })"
        }
        return switch self {
        case .typeMismatch(let type, let context): "\(at(context)) there is no \(type)"
        case .valueNotFound(let type, let context): "\(at(context)) a \(type) is missing"
        case .keyNotFound(let key, let context): "\(at(context, key)) nothing is there"
        case .dataCorrupted(let context): "\(at(context)) it is malformed"
        @unknown default: "it is malformed"
        }
    }
}
