// SPDX-License-Identifier: Apache-2.0

import LatchHTTP

extension HTTPRequest {
    /// A request as Foundation has it, without its content.
    ///
    /// - Throws: `HTTPError.invalidURL`.
    init(_ request: URLRequest) throws(HTTPError) {
        guard let url = request.url else { throw .invalidURL }
        var fields: HTTPFields = [:]
        for (name, value) in (request.allHTTPHeaderFields ?? [:]).sorted(by: { $0.key < $1.key }) {
            fields.append(value, for: HTTPFieldName(name))
        }
        try self.init(method: LatchHTTP.HTTPMethod(rawValue: request.httpMethod ?? "GET"), url: url, fields: fields)
    }
}

extension URLRequest {
    /// Lets a credential of the core authorise this request, whose content plays no part in it.
    ///
    /// A request that cannot be sent stays as it is: it fails where it is sent.
    mutating func authorize(_ body: (inout HTTPRequest) -> Void) {
        guard let url else { return }
        do {
            var message = try HTTPRequest(self)
            let before = message
            body(&message)
            if message.path != before.path { self.url = URL(string: message.absoluteURL) ?? url }
            for line in message.fields where before.fields[line.name] != line.value {
                setValue(line.value, forHTTPHeaderField: line.name.rawName)
            }
        } catch {
            // See above.
        }
    }
}
