// SPDX-License-Identifier: Apache-2.0

import Expectations
import Foundation
import LatchAccounts
import LatchAuth
import LatchHTTP
import TestTags
import Testing

@testable import AuthPackage

@Suite struct ErrorMappingTests {
    @Test(
        .tags(.errorMapping),
        arguments: [
            (HTTPError.invalidURL, .invalidURL), (.insecureURL, .invalidURL), (.timeout, .network(URLError(.timedOut))),
            (.offline, .network(URLError(.cannotConnectToHost))),
            (.tls, .network(URLError(.secureConnectionFailed))),
            (.malformedMessage, .network(URLError(.badServerResponse))), (.cancelled, .cancelled),
            (.undecodable, .decodingFailed),
            (
                .unacceptableStatus(
                    HTTPResponse(status: .unauthorized, body: HTTPBody(#"{"message":"Invalid refresh token"}"#))),
                .unauthorized
            ),
            // A gateway's.
            (.unacceptableStatus(HTTPResponse(status: .unauthorized)), .server(status: 401, message: nil)),
            (.unacceptableStatus(HTTPResponse(status: 503)), .server(status: 503, message: nil)),
        ] as [(HTTPError, APIError)])
    func `AuthPackage's errors of the core tell the failure of the connection`(error: HTTPError, told: APIError) {
        expectEqual(APIError(error), told)
    }

    @Test(
        .tags(.errorMapping),
        arguments: [
            (AuthError.missingToken, .unauthorized), (.reauthenticationRequired, .unauthorized),
            (.superseded, .unauthorized), (.storeLocked, .unknown), (.storeDenied, .unknown), (.storeCorrupt, .unknown),
            (.storeFull, .unknown), (.storeUnavailable, .unknown), (.refreshFailed, .unknown),
            (.refreshFailed.caused(by: HTTPError.offline), .network(URLError(.cannotConnectToHost))),
            (.reauthenticationRequired.caused(by: HTTPError.offline), .unauthorized),
        ] as [(AuthError, APIError)])
    func `AuthPackage's errors of the core never take a locked store for a signed-out user`(
        error: AuthError, told: APIError
    ) {
        expectEqual(APIError(error), told)
    }

    @Test(
        .tags(.errorMapping),
        arguments: [
            (401, .unauthorized), (400, .server(status: 400, message: "m")), (409, .server(status: 409, message: "m")),
            (429, .server(status: 429, message: "m")), (500, .server(status: 500, message: "m")),
        ] as [(Int, APIError)])
    func `AuthPackage's errors of the core keep the backend's status and words`(status: Int, told: APIError) {
        let error = AccountError(
            code: "any", message: "ours", status: HTTPStatus(rawValue: status), serverMessage: "m")
        expectEqual(APIError(error), told)
    }

    @Test(.tags(.errorMapping))
    func `AuthPackage's errors of the core without a status concern the answer's shape, or are unknown`() {
        expectEqual(APIError(AccountError.invalidResponse), .decodingFailed)
        expectEqual(APIError(AccountError.refused), .unknown)
        expectEqual(APIError(CancellationError()), .cancelled)
        expectEqual(APIError(CocoaError(.fileNoSuchFile)), .unknown)
    }
}
