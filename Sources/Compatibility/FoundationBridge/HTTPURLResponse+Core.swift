// SPDX-License-Identifier: Apache-2.0

package import LatchHTTP

extension HTTPURLResponse {
    /// An answer of the core as Foundation shows it; nil where its URL is not known.
    ///
    /// Lines of one name are joined by a comma, as Foundation does it (RFC 9110 §5.3).
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
    /// What a URL session answered, as the core takes it.
    package init(_ response: HTTPURLResponse, data: Data) {
        var fields: HTTPFields = [:]
        for (name, value) in response.allHeaderFields {
            guard let name = name as? String, let value = value as? String else { continue }
            fields.append(value, for: HTTPFieldName(name))
        }
        self.init(status: HTTPStatus(rawValue: response.statusCode), fields: fields, body: HTTPBody(Array(data)))
    }
}
