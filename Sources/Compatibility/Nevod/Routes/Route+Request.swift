// SPDX-License-Identifier: Apache-2.0

import LatchHTTP

/// A route whose content is read while it is sent.
protocol StreamedRoute: Route {
    /// The content and its media type.
    func content() throws -> RouteContent.Encoded
}

extension Route {
    /// The request, as it is before interceptors change it.
    public func makeRequest(with config: NetworkConfig) -> Result<URLRequest, NetworkError> {
        Result { () throws(NetworkError) in
            let base = try config.baseURL(for: domain).get()
            let client = Client(baseURL: base)
            return try URLRequest(try coreRequest(by: client, encoder: config.jsonEncoder, timeout: config.timeout))
        }
    }

    /// The request in the core's terms.
    ///
    /// - Throws: `invalidURL`, `bodyEncodingFailed`.
    func coreRequest(
        by client: Client, encoder: JSONEncoder, timeout: TimeInterval
    ) throws(NetworkError) -> HTTPRequest {
        let content = try encodedContent(by: encoder)
        let query = (urlQueryItems ?? []).map { ($0.name, $0.value ?? "") }
        var request: HTTPRequest
        do {
            request = try client.request(method.core, RoutePath(endpoint), query: query, body: content.body)
        } catch {
            throw NetworkError(error)
        }
        request.fields[.contentType] = content.mediaType
        for (name, value) in (headers ?? [:]).sorted(by: { $0.key < $1.key }) {
            request.fields[HTTPFieldName(name)] = value
        }
        if timeout > 0 { request.timeout = .seconds(min(timeout, 86_400)) }
        return request
    }

    private func encodedContent(by encoder: JSONEncoder) throws(NetworkError) -> RouteContent.Encoded {
        do {
            if let streamed = self as? any StreamedRoute { return try streamed.content() }
            let body = HTTPBody(Array(try bodyData(using: encoder) ?? Data()))
            return RouteContent.Encoded(body, mediaType: body.isEmpty ? nil : parameterEncoding.contentType)
        } catch {
            throw .bodyEncodingFailed
        }
    }

    /// Reads a successful answer; one without content is read as an empty object or as nothing, where the type allows.
    func answer(_ response: HTTPResponse, decoder: JSONDecoder) throws(NetworkError) -> Response {
        let data = Data(response.body.bytes)
        do {
            return try decode(data, using: decoder)
        } catch {
            guard data.isEmpty else { throw .parsingError(data: data, error: error) }
            // RFC 9110 §15.3.5: 204 never has content, and some servers answer so with 200.
            for stand in ["null", "{}"] {
                if let empty = try? decode(Data(stand.utf8), using: decoder) { return empty }
            }
            throw .parsingError(data: data, error: error)
        }
    }
}
