// SPDX-License-Identifier: Apache-2.0

/// What a server made of a request: the answer that the route promises, or the failure that the API describes.
public enum Outcome<Answer: Sendable, Failure: Sendable>: Sendable {
    /// The status was a success and the content is what the route promises.
    case success(Answer, HTTPResponse)
    /// The status was none and the content is what the API sends then.
    case failure(Failure, HTTPResponse)

    /// The response, with its status and its fields.
    public var response: HTTPResponse {
        switch self {
        case .success(_, let response), .failure(_, let response): response
        }
    }

    /// The answer, where there is one.
    public var answer: Answer? {
        guard case .success(let answer, _) = self else { return nil }
        return answer
    }

    /// The failure, where it is one.
    public var failure: Failure? {
        guard case .failure(let failure, _) = self else { return nil }
        return failure
    }
}

extension Outcome where Failure: Error {
    /// The answer.
    ///
    /// - Throws: The failure.
    public func get() throws(Failure) -> Answer {
        switch self {
        case .success(let answer, _): return answer
        case .failure(let failure, _): throw failure
        }
    }
}
