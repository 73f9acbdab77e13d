// SPDX-License-Identifier: Apache-2.0

import LatchCore
package import LatchHTTP

extension URLRequest {
    /// Converts a request; a stream is omitted, because it would have to be read.
    ///
    /// - Throws: `HTTPError.invalidURL`.
    package init(core request: HTTPRequest) throws(HTTPError) {
        guard let url = URL(string: request.absoluteURL, encodingInvalidCharacters: false) else { throw .invalidURL }
        self.init(url: url)
        httpMethod = request.method.rawValue
        for line in request.fields { addValue(line.value, forHTTPHeaderField: line.name.rawName) }
        if request.body.stream == nil, !request.body.isEmpty { httpBody = Data(request.body.bytes) }
        if let timeout = request.timeout { timeoutInterval = timeout.inSeconds }
    }
}

extension HTTPRequest {
    /// Converts a request; a body stream is not read.
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

extension HTTPURLResponse {
    /// Converts a response; nil without a URL.
    ///
    /// Field lines with one name are joined by a comma, as in Foundation (RFC 9110 §5.3).
    package convenience init?(_ response: HTTPResponse, url: URL?) {
        guard let url else { return nil }
        var fields: [String: String] = [:]
        var names: [HTTPFieldName: String] = [:]
        for line in response.fields {
            let name = names[line.name] ?? line.name.rawName
            names[line.name] = name
            fields[name] = fields[name].map { "\($0), \(line.value)" } ?? line.value
        }
        self.init(url: url, statusCode: response.status.rawValue, httpVersion: "HTTP/1.1", headerFields: fields)
    }
}

extension HTTPResponse {
    /// Converts a response of a URL session.
    package init(_ response: HTTPURLResponse, data: Data) {
        var fields: HTTPFields = [:]
        for (name, value) in response.allHeaderFields {
            guard let name = name as? String, let value = value as? String else { continue }
            fields.append(value, for: HTTPFieldName(name))
        }
        self.init(status: HTTPStatus(rawValue: response.statusCode), fields: fields, body: HTTPBody(Array(data)))
    }
}
