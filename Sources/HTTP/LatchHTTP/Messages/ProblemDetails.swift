// SPDX-License-Identifier: Apache-2.0

public import LatchCore

/// A failure as `application/problem+json` describes it (RFC 9457): what many APIs answer with in place of success.
public struct ProblemDetails: Error, Sendable, Hashable {
    /// The media type of a problem in JSON.
    public static let mediaType = "application/problem+json"

    /// A URI that names the kind of problem; `about:blank` where the status says all.
    public var type: String
    /// The kind of problem, for people.
    public var title: String?
    /// The status that the origin server gave; a proxy may have changed that of the response.
    public var status: HTTPStatus?
    /// What happened this time, for people.
    public var detail: String?
    /// A URI that names this occurrence.
    public var instance: String?
    /// The other members, such as `code` or `errors`.
    public var extensions: JSONObject

    /// A problem from its parts.
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

    /// A problem from JSON; nil where it is no object.
    ///
    /// RFC 9457 §3.1: a member of another type than it should have is ignored.
    public init?(_ json: JSONValue) {
        guard let members = json.objectValue else { return nil }
        var rest = members
        for name in Self.names { rest[name] = nil }
        self.init(
            type: members["type"]?.stringValue ?? "about:blank", title: members["title"]?.stringValue,
            status: members["status"]?.intValue.map(HTTPStatus.init(rawValue:)),
            detail: members["detail"]?.stringValue, instance: members["instance"]?.stringValue, extensions: rest)
    }

    /// The problem as it is sent; what is nil is left out, and so is a type that says nothing.
    public var json: JSONValue {
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
    /// Reads a problem with any decoder.
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
    /// The problem that the content describes; nil where its media type is another or it is malformed.
    public var problem: ProblemDetails? {
        guard fields.mediaType == ProblemDetails.mediaType else { return nil }
        do { return ProblemDetails(try JSONValue(parsing: body.bytes)) } catch { return nil }
    }
}

extension HTTPError {
    /// The problem that the server described, where its answer carries one.
    public var problem: ProblemDetails? { response?.problem }
}
