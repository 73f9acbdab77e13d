// SPDX-License-Identifier: Apache-2.0

import Foundation
import FoundationBridge
import LatchHTTP

extension Answer {
    private typealias Error = HTTPRequestClient.Error

    /// An error's text is not longer than this.
    private static let longestText = 64 << 10

    /// Content, head and identifier.
    func parts() throws -> (Data, HTTPURLResponse, UUID) {
        (Data(response.body.bytes), try head(), requestID)
    }

    /// A success.
    func success<Value: Decodable>(_ decoder: JSONDecoder) throws -> SuccessResponse<Value> {
        guard response.status.isSuccess else { throw badResponse }
        return SuccessResponse(value: try read(decoder), response: try head(), requestID: requestID)
    }

    /// A success, or what the server says instead: with another status, or in place of the content of a success.
    func either<Value: Decodable, ServerError: Decodable>(
        _ decoder: JSONDecoder
    ) throws -> Response<Value, ServerError> {
        let refusal: any Swift.Error
        if response.status.isSuccess {
            do {
                return .success(Received(value: try read(decoder), requestID: requestID, response: try head()))
            } catch {
                refusal = error
            }
        } else {
            refusal = badResponse
        }
        do {
            let said: ServerError = try read(decoder)
            return .failure(Received(value: said, requestID: requestID, response: try head()))
        } catch {
            throw refusal
        }
    }

    private func head() throws -> HTTPURLResponse {
        guard let head = HTTPURLResponse(response, url: url) else { throw Error.invalidHTTPResponse(requestID) }
        return head
    }

    private var badResponse: Error {
        let text = String(decoding: response.body.bytes.prefix(Self.longestText), as: UTF8.self)
        return .badResponse(requestID, response.status.rawValue, text)
    }

    /// The content as JSON of a type.
    ///
    /// - Throws: `HTTPRequestClient.Error.decodingError`, or `other` with what the type's own decoding threw.
    private func read<Value: Decodable>(_ decoder: JSONDecoder) throws -> Value {
        if let empty = EmptyResponse() as? Value { return empty }
        do {
            return try decoder.decode(Value.self, from: Data(response.body.bytes))
        } catch let error as DecodingError {
            throw Error.decodingError(requestID, error)
        } catch {
            throw Error.other(requestID, error)
        }
    }
}
