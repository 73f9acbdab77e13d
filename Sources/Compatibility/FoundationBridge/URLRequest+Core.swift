// SPDX-License-Identifier: Apache-2.0

import LatchCore
package import LatchHTTP

extension URLRequest {
    /// A request of the core as Foundation has it.
    ///
    /// Content that is a stream is not shown: it would have to be read for that.
    ///
    /// - Throws: `HTTPError.invalidURL`.
    package init(core request: HTTPRequest) throws(HTTPError) {
        guard let url = URL(string: request.absoluteURL) else { throw .invalidURL }
        self.init(url: url)
        httpMethod = request.method.rawValue
        for line in request.fields { addValue(line.value, forHTTPHeaderField: line.name.rawName) }
        if request.body.stream == nil, !request.body.isEmpty { httpBody = Data(request.body.bytes) }
        if let timeout = request.timeout { timeoutInterval = timeout.inSeconds }
    }
}

extension HTTPRequest {
    /// A request as Foundation has it; a body stream is not read.
    ///
    /// - Throws: `HTTPError.invalidURL`.
    package init(_ request: URLRequest) throws(HTTPError) {
        guard let url = request.url else { throw .invalidURL }
        var fields: HTTPFields = [:]
        for (name, value) in (request.allHTTPHeaderFields ?? [:]).sorted(by: { $0.key < $1.key }) {
            fields.append(value, for: HTTPFieldName(name))
        }
        try self.init(
            method: LatchHTTP.HTTPMethod(rawValue: request.httpMethod ?? "GET"), url: url, fields: fields,
            body: HTTPBody(Array(request.httpBody ?? Data())))
    }
}
