// SPDX-License-Identifier: Apache-2.0

import LatchHTTP
import LatchTesting
import TestSupport

extension RawHTTPServer {
    /// A request to this server, as it goes to a transport.
    func request(
        _ method: HTTPMethod = .get, _ path: String = "/", fields: HTTPFields = [:], body: HTTPBody = .empty
    ) -> HTTPRequest {
        HTTPRequest(
            method: method, scheme: "http", authority: "127.0.0.1:\(port)", path: path, fields: fields, body: body)
    }
}
