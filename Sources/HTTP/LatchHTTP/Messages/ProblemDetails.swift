// SPDX-License-Identifier: Apache-2.0

public import LatchCore

/// A machine-readable error of an API (`application/problem+json`, RFC 9457).
public struct ProblemDetails: Error, Sendable, Hashable {
    /// The media type of a problem in JSON.
    package static let mediaType = "application/problem+json"

    /// The URI of the problem type; `about:blank` if it adds nothing to the status.
    public var type: String
    /// The human-readable summary of the problem type.
    public var title: String?
    /// The status that the origin server generated; a proxy may have changed the status of the response.
    public var status: HTTPStatus?
    /// The human-readable explanation of this occurrence.
    public var detail: String?
    /// The URI of this occurrence.
    public var instance: String?
    /// The extension members, such as `code` or `errors`.
    public var extensions: JSONObject

    /// Creates a problem.
    public init(
        type: String = "about:blank", title: String? = nil, status: HTTPStatus? = nil, detail: String? = nil,
        instance: String? = nil, extensions: JSONObject = [:]
    ) {
        self.type = type
        self.title = title
        self.status = status
        self.detail = detail
        self.instance = instance
        self.extensions = extensions
    }

    /// Creates a problem from JSON, or returns nil if it is not an object.
    ///
    /// RFC 9457 §3.1: a member of the wrong type is ignored.
    package init?(_ json: JSONValue) {
        guard let members = json.objectValue else { return nil }
        var rest = members
        for name in Self.names { rest[name] = nil }
        self.init(
            type: members["type"]?.stringValue ?? "about:blank", title: members["title"]?.stringValue,
            status: members["status"]?.intValue.map(HTTPStatus.init(rawValue:)),
            detail: members["detail"]?.stringValue, instance: members["instance"]?.stringValue, extensions: rest)
    }

    /// The problem as JSON, without missing members and without the type `about:blank`.
    package var json: JSONValue {
        var members: JSONObject = [:]
        if type != "about:blank" { members["type"] = .string(type) }
        members["title"] = title.map { .string($0) }
        members["status"] = status.map { .integer(Int64($0.rawValue)) }
        members["detail"] = detail.map { .string($0) }
        members["instance"] = instance.map { .string($0) }
        for (name, value) in extensions where !Self.names.contains(name) { members[name] = value }
        return .object(members)
    }

    private static let names: Set<String> = ["type", "title", "status", "detail", "instance"]
}

extension ProblemDetails: Decodable {
    /// Decodes a problem with any decoder.
    public init(from decoder: any Decoder) throws {
        guard let problem = ProblemDetails(try JSONValue(from: decoder)) else {
            throw DecodingError.typeMismatch(
                ProblemDetails.self,
                DecodingError.Context(codingPath: decoder.codingPath, debugDescription: "A problem is an object."))
        }
        self = problem
    }
}

extension HTTPResponse {
    /// The problem in the content; nil if the media type differs or the content is malformed.
    public var problem: ProblemDetails? {
        guard fields.mediaType == ProblemDetails.mediaType else { return nil }
        do { return ProblemDetails(try JSONValue(parsing: body.bytesWithoutMark)) } catch { return nil }
    }
}

extension HTTPError {
    /// The problem in the server's response, if it holds one.
    public var problem: ProblemDetails? { response?.problem }
}
