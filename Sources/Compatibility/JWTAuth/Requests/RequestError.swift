// SPDX-License-Identifier: Apache-2.0

public import Foundation

/// Why a request has no URL.
public enum RequestError: LocalizedError, Equatable {
    /// There is no base URL, or it is none.
    case missingBaseURL
    /// The base URL, the path and the query together are none that can be requested.
    case malformedRequestURL

    /// What happened, for a person.
    public var errorDescription: String? {
        switch self {
        case .missingBaseURL: "The base URL is missing."
        case .malformedRequestURL: "The request's URL is malformed."
        }
    }
}
