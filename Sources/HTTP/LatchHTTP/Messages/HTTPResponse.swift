// SPDX-License-Identifier: Apache-2.0

/// A response as a value (RFC 9110 §3.9).
public struct HTTPResponse: Sendable {
    /// The status.
    public var status: HTTPStatus
    /// The header fields.
    public var fields: HTTPFields
    /// The content.
    public var body: HTTPBody

    /// A response from its parts.
    public init(status: HTTPStatus, fields: HTTPFields = [:], body: HTTPBody = .empty) {
        self.status = status
        self.fields = fields
        self.body = body
    }
}
