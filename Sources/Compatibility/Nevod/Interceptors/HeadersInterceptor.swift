// SPDX-License-Identifier: Apache-2.0

/// Sets the same fields on each request, in place of what was there.
public actor HeadersInterceptor: RequestInterceptor {
    private let headers: [String: String]

    /// An interceptor for these fields.
    public init(headers: [String: String]) { self.headers = headers }

    /// The request with the fields.
    public func adapt(_ request: URLRequest) async throws -> URLRequest {
        var request = request
        // Names that differ in case alone are one field: the last in this order counts, the same each time.
        for (name, value) in headers.sorted(by: { $0.key < $1.key }) {
            request.setValue(value, forHTTPHeaderField: name)
        }
        return request
    }

    /// Sets the `User-Agent` field.
    public static func userAgent(_ userAgent: String) -> HeadersInterceptor {
        HeadersInterceptor(headers: ["User-Agent": userAgent])
    }

    /// Sets the field that names the version of the API.
    public static func apiVersion(_ version: String, headerName: String = "X-API-Version") -> HeadersInterceptor {
        HeadersInterceptor(headers: [headerName: version])
    }
}
